/** What of a quantised model several GPUs divide, and what it comes to. */
import { expect, it } from 'vitest'
import { readConfig } from '../../../engine/config/read.ts'
import { footprintOf } from '../../estimate/specs.ts'
import { trainingConfig } from '../readings.ts'

const GIB = 2 ** 30
const qlora = `model_name_or_path: meta-llama/Meta-Llama-3-70B
per_device_train_batch_size: 1
block_size: 1024
bf16: true
torch_dtype: bfloat16
gradient_checkpointing: true
load_in_4bit: true
use_peft: true
lora_r: 8
`
const fsdp = `${qlora}fsdp: full_shard auto_wrap\n`
const bfloat16 = 'bnb_4bit_quant_storage: bfloat16\n'
const fsdp1 = `${fsdp}fsdp_config:\n  fsdp_version: 1\n`
const wholeIn = (text: string) => trainingConfig(text).spec.wholeQuantized

it('FSDP2 leaves out 4-bit weights unless they are packed in floats, and says so', () => {
  const { spec, assumptions } = trainingConfig(fsdp)
  expect(spec.wholeQuantized).toBe('all')
  expect(assumptions.join()).toContain('Every GPU keeps all 4-bit weights')
  expect(wholeIn(`${fsdp}bnb_4bit_quant_storage: uint8\n`)).toBe('all')
  expect(wholeIn(fsdp + bfloat16)).toBe('constants')
  expect(trainingConfig(fsdp + bfloat16).assumptions.join()).not.toContain('4-bit')
})

it('ZeRO-3 and FSDP1 divide the weights alone, and nothing is kept whole where nothing is divided', () => {
  expect(wholeIn(`${qlora}deepspeed: ds_z3_config.json\n`)).toBe('constants')
  expect(wholeIn(fsdp1 + bfloat16)).toBe('constants')
  expect(wholeIn(qlora)).toBeUndefined()
  expect(wholeIn(`${qlora}deepspeed: ds_z2_config.json\n`)).toBeUndefined()
  expect(wholeIn(fsdp.replace('load_in_4bit: true\n', ''))).toBeUndefined()
})

it('what is kept whole weighs half a byte a weight, and its constants a sixteenth of a byte', () => {
  const { spec } = trainingConfig(fsdp + bfloat16)
  const { wholeQuantized: _, ...divided } = spec
  const weights = (changes: Partial<typeof spec>) =>
    footprintOf('meta-llama/Meta-Llama-3-70B', { ...divided, ...changes }).resting(0).breakdown.weights
  // 80 layers: everything but the embeddings, the output layer and the norms.
  const quantised = 80 * (8192 * (2 * 8192 + 2 * 1024) + 3 * 8192 * 28_672)
  const others = 1 - 1 / spec.gpus
  const constants = weights({ wholeQuantized: 'constants' }) - weights({})
  expect(constants / GIB).toBeCloseTo((others * quantised) / 16 / GIB, 2)
  const all = weights({ wholeQuantized: 'all' }) - weights({})
  expect(all / GIB).toBeCloseTo((others * quantised * (1 / 2 + 1 / 16)) / GIB, 1)
})

/** What FSDP1 of torch 2.13 says of such tensors, when it wraps them on the CPU. */
it.each([
  ['Cannot flatten integer dtype tensors', fsdp1, /Set bnb_4bit_quant_storage to bfloat16, or use FSDP2/],
  ['Cannot flatten integer dtype tensors', `${fsdp1}bnb_4bit_quant_storage: uint8\n`, /Set bnb_4bit_quant_storage/],
  [
    'Cannot flatten integer dtype tensors',
    fsdp1.replace('load_in_4bit', 'load_in_8bit'),
    /Use 4-bit weights, or use FSDP2/,
  ],
  ['Must flatten tensors with uniform dtype', `${fsdp1}bnb_4bit_quant_storage: float16\n`, /Load the model in float16/],
])('a training that FSDP1 would end at its start with %j is told, and what to change', (words, text, fix) => {
  const reading = readConfig({ path: 'train.yaml', text })
  const [problem] = reading.kind === 'unreadable' ? reading.problems : []
  expect(problem?.message).toContain(`${words}”), so the training would not start`)
  expect(problem?.fix).toMatch(fix)
  const alone = readConfig({ path: 'train.yaml', text: `${text}n_gpu: 1\n` })
  expect(alone.kind).toBe('training-config')
})
