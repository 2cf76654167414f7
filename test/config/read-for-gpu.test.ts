/** What a script makes of its GPU, by which GPU it is read for. */
import { describe, expect, it } from 'vitest'
import { explainFile } from '../../engine/explain.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { judged } from './job/judged.ts'

const script = (supports: string) => `from transformers import AutoModelForCausalLM, TrainingArguments, Trainer
import torch
model = AutoModelForCausalLM.from_pretrained("gpt2")
bf16 = ${supports}
args = TrainingArguments("out", per_device_train_batch_size=4, bf16=bf16, fp16=not bf16)
Trainer(model=model, args=args, train_dataset=data).train()
`
const asked = script('torch.cuda.is_bf16_supported()')
const sky = (card: string) => ({ 'sky.yaml': `resources:\n  accelerators: ${card}:1\nrun: |\n  python train.py\n` })

describe('a script that asks whether its GPU computes in bf16', () => {
  it.each([
    [undefined, 'amp-bf16', 'is taken to be true.'],
    ['a10', 'amp-bf16', 'is taken to be true.'],
    [
      't4',
      'amp-fp16',
      'does not compute in bf16, as none before Ampere does: torch.cuda.is_bf16_supported() (line 4) is taken to be false.',
    ],
    ['v100-32gb', 'amp-fp16', 'is taken to be false.'],
  ])('on %s trains in %s', async (id, precision, sentence) => {
    const gpu = id === undefined ? {} : { gpu: findGpu(id)! }
    const { spec, assumptions } = await judged({}, gpu, 'train.py', asked)
    expect(spec.precision).toBe(precision)
    expect(assumptions.join('\n')).toContain(sentence)
  })

  it.each([
    ['T4', 't4', 'amp-fp16'],
    ['L4', 'l4', 'amp-bf16'],
  ])('on the %s of its job trains as that does', async (card, id, precision) => {
    const { gpu, spec } = await judged(sky(card), {}, 'train.py', asked)
    expect([gpu.id, spec.precision]).toEqual([id, precision])
    const files: Record<string, string> = { 'train.py': asked, ...sky(card) }
    const sources = { readFile: async (path: string) => files[path], listFolder: async () => Object.keys(files) }
    const { reading } = await explainFile({ path: 'train.py', text: asked }, { sources })
    expect(reading).toMatchObject({ spec: { precision } })
  })
})

it.each([
  ['t4', 'amp-fp16'],
  ['a10', 'amp-bf16'],
])('compute capability is that of %s', async (id, precision) => {
  const text = script('torch.cuda.get_device_capability()[0] >= 8')
  expect((await judged({}, { gpu: findGpu(id)! }, 'train.py', text)).spec.precision).toBe(precision)
})
