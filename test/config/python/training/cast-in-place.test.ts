/** Casts of a model's weights: given on, or by a statement of their own. */
import { describe, expect, it } from 'vitest'
import { loop, spec } from '../loop.ts'
import { finetuning, problems, read, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size=8'
const withTorch = 'import torch, os'

const cast = (statement: string, above = withTorch) =>
  finetuning(above, batch).replace('args =', `${statement}\nargs =`)

describe('of a model that a trainer gets', () => {
  it.each([
    ['model.half()', { precision: 'bf16', inFloat16: true }],
    ['model.bfloat16()', { precision: 'bf16' }],
    ['model.to(torch.bfloat16)', { precision: 'bf16' }],
    ['model.to(device="cuda", dtype=torch.bfloat16)', { precision: 'bf16' }],
    ['model = model.to(torch.bfloat16)', { precision: 'bf16' }],
    ['model.half()\nmodel.float()', { precision: 'fp32' }],
    ['model.to("cuda")', { precision: 'fp32' }],
  ])('%j', async (statement, of) => {
    expect((await trained(cast(statement))).spec).toMatchObject(of)
  })

  it('in the function that loads it', async () => {
    const text = finetuning('', batch).replace(
      /model = (.*)/,
      'def load():\n    loaded = $1\n    loaded.bfloat16()\n    return loaded\nmodel = load()',
    )
    expect((await trained(text)).spec).toMatchObject({ precision: 'bf16' })
  })

  it.each([
    ['once it is trained', `${finetuning('', batch)}model.half()\nmodel.save_pretrained("out")\n`],
    ['to evaluate it', cast('def evaluate():\n    model.half()')],
  ])('%s is none of the training', async (_, text) => {
    expect((await trained(text)).spec).toMatchObject({ precision: 'fp32' })
  })

  it.each([
    ['a type that a run chooses', cast('model.to(dtype=getattr(torch, os.environ["TYPE"]))')],
    ['a condition of a run', cast('if os.environ["HALF"]:\n    model.half()')],
    [
      'adapters that are cast with it',
      cast(
        'model = get_peft_model(model, LoraConfig(r=8, target_modules=["c_attn"]))\nmodel.bfloat16()',
        'from peft import LoraConfig, get_peft_model',
      ),
    ],
    ['another function', cast('def prepare():\n    model.half()\nprepare()')],
  ])('%s is asked for', async (_, text) => {
    expect(await problems(text)).toMatchObject([{ code: 'not-in-file', field: 'torch_dtype' }])
  })

  it('another model says nothing of it', async () => {
    const text = cast('teacher = AutoModelForCausalLM.from_pretrained("gpt2-xl")\nteacher.half()\ndel teacher')
    expect(await read(text)).toMatchObject({ kind: 'training-config', spec: { precision: 'fp32' } })
  })
})

describe('of a model in a loop', () => {
  it.each([
    ['model.half()', { precision: 'bf16', inFloat16: true }],
    ['model.to("cuda", torch.bfloat16)', { precision: 'bf16' }],
  ])('%j', async (above, of) => {
    expect(await spec({ above })).toMatchObject(of)
    expect(await read(loop({ above }))).toMatchObject({ kind: 'training-config' })
  })
})
