/** What scripts ask of the arguments that they have made, or that a command line was parsed into. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (args: string, library = 'transformers', name = 'TrainingArguments') => `import torch
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer
from ${library} import ${name}
args = ${args}
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16 if args.bf16 else torch.float32)
Trainer(model=model, args=args).train()
`

describe('the type of the weights, chosen by the arguments', () => {
  it.each([
    ['per_device_train_batch_size=4, bf16=True', 'bf16'],
    ['per_device_train_batch_size=4, bf16=False', 'fp32'],
    ['per_device_train_batch_size=4', 'fp32'],
  ])('%s is %s', async (given, precision) => {
    expect((await trained(script(`TrainingArguments("out", ${given})`))).spec.precision).toBe(precision)
  })

  it('is asked for where something unknown is unpacked into them', async () => {
    const found = await problems(script('TrainingArguments("out", per_device_train_batch_size=4, **load())'))
    expect(found[0]).toMatchObject({ code: 'not-in-file', message: expect.stringContaining('args.bf16') })
  })

  it('is off where TRL’s arguments say fp16, and hangs on its release where they say neither', async () => {
    const config = (given: string) =>
      script(`SFTConfig("out", per_device_train_batch_size=4${given})`, 'trl', 'SFTConfig')
    expect((await trained(config(', fp16=True'))).spec.precision).toBe('amp-fp16')
    expect((await problems(config('')))[0]).toMatchObject({ code: 'not-in-file', line: 5 })
  })
})
