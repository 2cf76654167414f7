// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** The folder that a launcher stands in, by the ways in which scripts ask for it. */
import { expect, it, test } from 'vitest'
import { ownFolder } from '../../../engine/config/shell/own-folder.ts'
import { readBeside } from '../python/scripts.ts'

const folderOf = (text: string, path = 'jobs/sft/run.sh') =>
  ownFolder(text, path, name => ({ HERE: 'jobs/sft', DATA: '/data' })[name])

it.each([
  ['$(dirname "$0")', 'jobs/sft'],
  ['$(dirname $0)', 'jobs/sft'],
  ['$(dirname -- "${BASH_SOURCE[0]}")', 'jobs/sft'],
  ['$(dirname "$(realpath "$0")")', 'jobs/sft'],
  ['$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")', 'jobs/sft'],
  ['$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)', 'jobs/sft'],
  ['$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &> /dev/null && pwd)', 'jobs/sft'],
  ['$(cd "$(dirname "$0")/.."; pwd -P)', 'jobs'],
  ['$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/../.." && pwd)', '.'],
  ['$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)', '.'],
  ['$(cd "${HERE}/.." && pwd)', 'jobs'],
  ['$(git rev-parse --show-toplevel)', '.'],
])('%s is %s', (text, folder) => {
  expect(folderOf(text)).toBe(folder)
})

it.each([
  '$(cd "$(dirname "$0")/../../.." && pwd)',
  '$(cd "$DATA" && pwd)',
  '$(cd "$UNKNOWN/.." && pwd)',
  '$(dirname "$1")',
  '$(cd /opt/code && pwd)',
  '$(dirname "$(which python)")',
])('%s is none that is known', text => {
  expect(folderOf(text)).toBeUndefined()
})

const sft = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--model-path", required=True)
parser.add_argument("--micro", type=int, required=True)
options = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(options.model_path)
args = TrainingArguments("out", per_device_train_batch_size=options.micro)
Trainer(model=model, args=args, train_dataset=data).train()
`

test('a script that is started by its path from there is read with its arguments', async () => {
  const launcher =
    'ROOT="$(cd "$(dirname "$0")/.." && pwd)"\ntorchrun --nproc_per_node 2 "$ROOT/src/sft.py" --model-path gpt2 --micro 4\n'
  const reading = await readBeside(launcher, { 'src/sft.py': sft }, { path: 'jobs/run.sh' })
  expect(reading).toMatchObject({
    kind: 'training-config',
    spec: { model: 'openai-community/gpt2', microBatch: 4, gpus: 2 },
  })
})

test('the folder that a script is started in is taken for the root, unless it changed to another before', async () => {
  const line = 'ROOT=$(pwd)\naccelerate launch "$ROOT/src/sft.py" --model-path gpt2 --micro 4\n'
  const reading = await readBeside(line, { 'src/sft.py': sft }, { path: 'jobs/run.sh' })
  expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 4 } })
  const moved = await readBeside(`cd /opt/code\n${line}`, { 'src/sft.py': sft }, { path: 'jobs/run.sh' })
  expect(moved.kind).toBe('not-a-training-config')
})
