// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Launchers that change to a folder of the repository before they start a script. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { changedFolders } from '../../../engine/config/shell/changed-folder.ts'

describe('the folder that a script changes to', () => {
  it.each([
    ['cd src && ', 'src'],
    ['cd "$ROOT/code/nl"\n', 'code/nl'],
    ['set -e\n  cd ${ROOT}/nl/ ;', 'nl'],
    ['pushd -- ../tuning\n', '../tuning'],
    ['cd data; cd src\n', 'src'],
  ])('%j is %s', (text, folder) => {
    expect(changedFolders(`${text}python train.py`)(text.length)).toBe(folder)
  })

  it.each([
    '',
    '# cd src\n',
    'cd $HOME\n',
    'cd /opt/code\n',
    'cd src\ncd "$(dirname "$0")"\n',
    'cd src\npopd\n',
    'abcd src\n',
  ])('%j says none', text => {
    expect(changedFolders(`${text}python train.py`)(text.length)).toBeUndefined()
  })

  it('is that of the place, whatever comes later', () => {
    const text = 'cd one\npython a.py\ncd two\npython b.py\n'
    const folderAt = changedFolders(text)
    expect([0, text.indexOf('python a'), text.indexOf('python b')].map(folderAt)).toEqual([undefined, 'one', 'two'])
  })
})

describe('a script in the folder that its launcher changes to', () => {
  const script = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=8)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("gpt2")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.batch, bf16=True)).train()
`
  const files: Readonly<Record<string, string>> = {
    'run.sh': 'cd "$REPO/nl"\ntorchrun --nproc_per_node 2 tune.py --batch 24\n',
    'nl/tune.py': script,
  }
  const read = (path: string) =>
    readConfigAsync(
      { path, text: files[path] ?? '' },
      {
        readFile: async name => files[name],
        listFolder: async folder => (folder === '.' ? ['run.sh'] : folder === 'nl' ? ['tune.py'] : []),
      },
    )

  it.each(['run.sh', 'nl/tune.py'])('is read with its arguments from %s', async path => {
    expect(await read(path)).toMatchObject({
      kind: 'training-config',
      dialect: 'Hugging Face Trainer',
      spec: { microBatch: 24, gpus: 2, precision: 'amp-bf16' },
    })
  })
})
