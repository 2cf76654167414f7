/** What a GPU gathers to save weights that are divided, by how the libraries' sources gather it. */
import { expect, it } from 'vitest'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from './specs.ts'

const model = 'huggyllama/llama-7b'
const { config } = knownModel(model)

/** Bytes above what stays between steps. */
function gathered(changes: Partial<TrainingSpec>): number | undefined {
  const spec = specOf(model, { loop: 'trainer', precision: 'bf16-master', gpus: 8, sharding: 'fsdp', ...changes })
  const footprint = new Footprint(spec, config)
  const bytes = footprint.savingBytes(0)
  return bytes === undefined ? undefined : bytes - footprint.resting(0).bytes
}

const table = 32_000 * 4_096
const all = 6_738_415_616
const root = 2 * table + 4_096
const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
const offload = 'optimizer-and-weights'
const lightning = { loop: 'lightning', fsdpVersion: 1 } as const

it.each([
  ['FSDP2: the largest tensor in float32', {}, 4 * table],
  ["FSDP1: a moment of the root's unit, beside an eighth of it and of the moment before", { fsdpVersion: 1 }, 5 * root],
  ["FSDP1 without moments: the root's unit in float32", { fsdpVersion: 1, optimizer: 'sgd' }, 4 * root],
  ['FSDP1 over adapters: the weights alone', { fsdpVersion: 1, precision: 'bf16', lora }, 2 * root],
  ['FSDP1 with moments on the host: both shares of them come back', { fsdpVersion: 1, offload }, 6 * root],
  [
    'FSDP1 before transformers 4.30: everything, beside the root',
    { versions: { transformers: '4.29.2' } },
    4 * (all + root),
  ],
  ['ZeRO-3: the largest module in 16 bits', { sharding: 'zero3' }, 2 * table],
  [
    'Lightning without a policy: a moment of all, beside the gradients',
    { ...lightning, wrapsWholeModel: true },
    5.5 * all,
  ],
  ['Lightning with one: a unit, beside the gradients', lightning, 5 * root + 0.5 * all],
] as const)('%s', (_, changes, bytes) => {
  expect(gathered(changes)).toBeCloseTo(bytes, -1)
})

it.each([
  ['whole weights', { sharding: 'ddp' }],
  ['ZeRO-2', { sharding: 'zero2' }],
  ['one GPU', { gpus: 1 }],
  ["DeepSpeed's own checkpoint, which Lightning takes", { loop: 'lightning', sharding: 'zero3' }],
  ["a loop of a script's own", { loop: 'plain' }],
] as const)('nothing is known to be gathered of %s', (_, changes) => {
  expect(gathered(changes)).toBeUndefined()
})
