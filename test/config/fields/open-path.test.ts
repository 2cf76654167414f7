// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** A path whose beginning only a run can tell still ends in a model's name. */
import { describe, expect, it } from 'vitest'
import { endOfPath } from '../../../engine/config/fields/open-path.ts'
import { read, trained } from '../python/scripts.ts'

describe('the end of a path', () => {
  it.each([
    ['$MODELS/Qwen2.5-7B', '/Qwen2.5-7B'],
    ['${MODELS}/qwen/Qwen2.5-7B/', '/qwen/Qwen2.5-7B'],
    ['f"{root}/Qwen2.5-7B"', '/Qwen2.5-7B'],
    ["os.path.join(ROOT, 'Qwen2.5-7B')", '/Qwen2.5-7B'],
  ])('%s is %s', (written, end) => expect(endOfPath(written)).toBe(end))

  it.each(['$MODEL', '$MODELS/$NAME', 'f"{root}/{name}"', 'root', '$MODELS-7B', 'os.path.join(root, name)'])(
    '%s says none',
    written => expect(endOfPath(written)).toBeUndefined(),
  )
})

const arguments_ = '--per_device_train_batch_size 4 --output_dir out --bf16 True'

it('names the model of a launcher, which is told', async () => {
  const shell = (model: string) => `python run_clm.py --do_train --model_name_or_path ${model} ${arguments_}\n`
  const reading = await read(shell('$WORK/models/Llama-3.1-8B-Instruct-hf'), 'run.sh')
  expect(reading).toMatchObject({ kind: 'training-config', model: { family: 'llama', config: { hidden_size: 4096 } } })
  expect(reading.kind === 'training-config' && reading.assumptions.join()).toContain('by its name')
  for (const unclear of ['$WORK/models/base', '$MODEL'])
    expect(await read(shell(unclear), 'run.sh')).toMatchObject({ problems: [{ code: 'not-in-file' }] })
})

it('names the model of a script, which is told', async () => {
  const script = `import os
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(os.path.join(os.environ["MODELS"], "gpt2-medium"))
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4), train_dataset=data).train()
`
  const { model, assumptions } = await trained(script)
  expect(model).toMatchObject({ family: 'gpt2', config: { n_layer: 24 } })
  expect(assumptions.join()).toContain('by its name')
})
