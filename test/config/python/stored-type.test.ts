/** The weights' type where a script writes none: the checkpoint's from transformers 5 on, and fp32 before (modeling_utils.py). */
import { describe, expect, it, test } from 'vitest'
import { readBeside } from './scripts.ts'

interface Script {
  readonly model?: string
  /** Further arguments of `from_pretrained`. */
  readonly loading?: string
  readonly given?: string
  /** Between the model and its trainer. */
  readonly between?: string
  /** Further arguments of the trainer. */
  readonly ofTrainer?: string
}

const script = ({ model = 'Qwen/Qwen3-0.6B', loading = '', given = '', between = '', ofTrainer = '' }: Script) => `
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
import torch
model = AutoModelForCausalLM.from_pretrained("${model}"${loading})
${between}
args = TrainingArguments("out", per_device_train_batch_size=4${given})
Trainer(model=model, args=args${ofTrainer}).train()
`
const adapters = 'model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))'

const shape = {
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 1_000,
  max_position_embeddings: 2_048,
}

async function trained(changes: Script) {
  const read = await readBeside(script(changes), {})
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

const pinned = async (changes: Script, version: string) => {
  const supplied = { versions: [{ library: 'transformers', version, place: 'settings.yml' }] } as const
  const read = await readBeside(script(changes), {}, { supplied })
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

describe('the type of weights that no script writes', () => {
  test.each<[string, Script, string]>([
    ['the checkpoint’s', {}, 'bf16'],
    ['the checkpoint’s, under autocast too', { given: ', bf16=True' }, 'bf16'],
    ['the checkpoint’s below adapters that fp16 trains', { given: ', fp16=True', between: adapters }, 'bf16'],
    ['fp32 of a family that is stored so', { model: 'openai-community/gpt2', given: ', bf16=True' }, 'amp-bf16'],
    ['what is written', { loading: ', dtype=torch.float32', given: ', bf16=True' }, 'amp-bf16'],
    ['fp32 where the script casts', { between: 'model = prepare_model_for_kbit_training(model)' }, 'fp32'],
  ])('is %s', async (_, changes, precision) => {
    expect((await trained(changes)).spec.precision).toBe(precision)
  })

  test.each([
    ['dtype', 'float32', 'amp-bf16'],
    ['torch_dtype', 'float32', 'amp-bf16'],
    ['torch_dtype', 'float16', 'bf16'],
  ])('is what %s of its config.json says: %s', async (key, dtype, precision) => {
    const config = JSON.stringify({ model_type: 'llama', ...shape, [key]: dtype })
    const text = script({ model: 'models/own', given: ', bf16=True' })
    expect(await readBeside(text, { 'models/own/config.json': config })).toMatchObject({ spec: { precision } })
  })

  test.each<[string, string | undefined, true | undefined]>([
    ['', 'bfloat16', undefined],
    ['', 'float16', true],
    [', dtype="auto"', 'float16', true],
    [', dtype="auto"', 'bfloat16', undefined],
    [', dtype=torch.bfloat16', 'float16', undefined],
  ])('computes in fp16 where %j loads weights that config.json has in %s', async (loading, dtype, inFloat16) => {
    const config = JSON.stringify({ model_type: 'llama', ...shape, dtype })
    const read = await readBeside(script({ model: 'models/own', loading }), { 'models/own/config.json': config })
    if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
    expect([read.spec.precision, read.spec.inFloat16]).toEqual(['bf16', inFloat16])
    const told = "Weights in fp16, as the model's config.json says"
    expect(read.assumptions.some(sentence => sentence.startsWith(told))).toBe(inFloat16 === true)
  })

  it('is told where autocast computes in another type than that in which weights are stored', async () => {
    const config = JSON.stringify({ model_type: 'llama', ...shape, dtype: 'float16' })
    const text = script({ model: 'models/own', given: ', bf16=True' })
    const read = await readBeside(text, { 'models/own/config.json': config })
    expect(read).toMatchObject({ kind: 'training-config', spec: { precision: 'bf16', autocasts: true } })
    expect(JSON.stringify(read)).toContain('says, counted as bf16, in which autocast computes')
  })

  it('is told', async () => {
    expect((await trained({})).assumptions).toContain(
      "Weights in 16 bits, as in most decoder checkpoints: no dtype is written, and transformers 5 keeps the checkpoint's.",
    )
  })

  it('is fp32 under a release that loads it so', async () => {
    expect((await pinned({ given: ', bf16=True' }, '4.57.1')).spec.precision).toBe('amp-bf16')
    expect((await pinned({ given: ', bf16=True' }, '5.0.0')).spec.precision).toBe('bf16')
  })

  test.each<[string, Script]>([
    ['evaluation_strategy (line 7)', { given: ', bf16=True, evaluation_strategy="steps"' }],
    ['tokenizer (line 8)', { given: ', bf16=True', ofTrainer: ', tokenizer=tokenizer' }],
  ])('is fp32 where only such a release takes %s', async (named, changes) => {
    const { spec, assumptions } = await trained(changes)
    expect(spec.precision).toBe('amp-bf16')
    expect(assumptions.join('\n')).toContain(named)
    expect((await pinned(changes, '5.0.0')).spec.precision).toBe('bf16')
  })

  it('is fp32 where the script could not train others', async () => {
    const { spec, assumptions } = await trained({ given: ', fp16=True' })
    expect(spec.precision).toBe('amp-fp16')
    expect(assumptions.join('\n')).toContain('fp16 cannot train the 16-bit weights')
  })

  it('is 16 bits beside those that bitsandbytes quantises: fp16 before transformers 5, and then the checkpoint’s', async () => {
    const quantised = { loading: ', load_in_4bit=True', between: adapters, given: ', bf16=True' }
    expect((await pinned(quantised, '4.57.1')).spec.precision).toBe('bf16')
    expect((await pinned(quantised, '4.57.1')).assumptions).toContain(
      'What is not quantised is in fp16, as transformers before 5.0 loads it where no dtype is written.',
    )
    expect((await trained(quantised)).spec.precision).toBe('bf16')
    const ofOld = { ...quantised, given: ', fp16=True, evaluation_strategy="steps"' }
    expect((await trained(ofOld)).spec.precision).toBe('bf16')
    const prepared = `model = prepare_model_for_kbit_training(model)\n${adapters}`
    expect((await pinned({ ...quantised, between: prepared }, '4.57.1')).spec.precision).toBe('amp-bf16')
  })

  it('left to the checkpoint by name is its own under every release', async () => {
    const auto = { loading: ', torch_dtype="auto"', given: ', bf16=True' }
    expect((await pinned(auto, '4.57.1')).spec.precision).toBe('bf16')
    expect((await pinned({ ...auto, model: 'openai-community/gpt2' }, '4.57.1')).spec.precision).toBe('amp-bf16')
  })
})

describe('weights that a checkpoint stores in 4 bits', () => {
  test.each([
    ['TheBloke/Mistral-7B-Instruct-v0.2-AWQ', 'awq'],
    ['TheBloke/Mistral-7B-Instruct-v0.2-GPTQ', 'gptq'],
    ['ISTA-DASLab/Mistral-7B-Instruct-v0.2-AQLM-2Bit-1x16', 'aqlm'],
    ['unsloth/mistral-7b-instruct-v0.2-bnb-4bit', 'nf4-double'],
  ])('are loaded so: %s', async (model, quantization) => {
    const { spec, assumptions } = await trained({ model, between: adapters, given: ', bf16=True' })
    expect(spec.quantization).toBe(quantization)
    expect(assumptions.join('\n')).toContain(`judging by the name "${model}"`)
  })

  it.each([
    ['unsloth/Qwen3-14B-unsloth-bnb-4bit', true],
    ['unsloth/Qwen3-14B-bnb-4bit', false],
  ])(
    'of Unsloth’s keep some layers in 16 bits where they are dynamic, which is told: %s, %s',
    async (model, isTold) => {
      const { spec, assumptions } = await trained({ model, between: adapters, given: ', bf16=True' })
      expect(spec.quantization).toBe('nf4-double')
      expect(assumptions.some(each => each.includes('keep some in 16'))).toBe(isTold)
    },
  )

  it.each([
    ['TheBloke/Mistral-7B-Instruct-v0.2-GPTQ', 'bf16'],
    ['TheBloke/Mistral-7B-Instruct-v0.2-AWQ', 'amp-fp16'],
  ])('are cast by peft, but not beside GPTQ’s: %s', async (model, precision) => {
    const between = `model = prepare_model_for_kbit_training(model)\n${adapters}`
    expect((await trained({ model, between, given: ', fp16=True' })).spec.precision).toBe(precision)
  })

  it('are not trained without adapters', async () => {
    const read = await readBeside(script({ model: 'TheBloke/Mistral-7B-Instruct-v0.2-AWQ' }), {})
    expect(read).toMatchObject({ kind: 'unreadable', problems: [{ code: 'quantised-without-adapter' }] })
  })
})

describe("in a loop of the script's own", () => {
  const looped = (between: string, step = 'loss = model(**batch).loss') => `
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B").cuda()
${between}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in DataLoader(rows, batch_size=4):
    ${step}
    loss.backward()
    optimizer.step()
`
  const under = (type: string) => `with torch.autocast("cuda", dtype=torch.${type}):
        loss = model(**batch).loss`

  test.each([
    ["the checkpoint's", looped(''), '5.0.0', 'bf16'],
    ["the checkpoint's under autocast to bf16", looped('', under('bfloat16')), '5.0.0', 'bf16'],
    ['fp32 where autocast to fp16 trains it', looped('', under('float16')), '5.0.0', 'amp-fp16'],
    ['fp32 where the script casts', looped('model = model.float()'), '5.0.0', 'fp32'],
    ['fp32 under a release that loads it so', looped(''), '4.57.1', 'fp32'],
  ])('it is %s', async (_, text, version, precision) => {
    const supplied = { versions: [{ library: 'transformers', version, place: 'settings.yml' }] } as const
    expect(await readBeside(text, {}, { supplied })).toMatchObject({ spec: { loop: 'plain', precision } })
  })
})
