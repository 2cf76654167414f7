/** What a GPU gathers to save weights that are divided, by how the libraries' sources gather it. */
import { expect, it } from 'vitest'
import type { TrainingSpec } from '../../engine/config/spec/spec.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
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

it.each([
  ['FSDP2: the largest tensor in float32', {}, 4 * table],
  ["FSDP1: the root's unit in float32", { fsdpVersion: 1 }, 4 * root],
  [
    'FSDP1 before transformers 4.30: everything, beside the root',
    { versions: { transformers: '4.29.2' } },
    4 * (all + root),
  ],
  ['ZeRO-3: the largest module in 16 bits', { sharding: 'zero3' }, 2 * table],
] as const)('%s', (_, changes, bytes) => {
  expect(gathered(changes)).toBeCloseTo(bytes, -1)
})

it.each([
  ['whole weights', { sharding: 'ddp' }],
  ['ZeRO-2', { sharding: 'zero2' }],
  ['one GPU', { gpus: 1 }],
  ["a loop of a script's own", { loop: 'plain' }],
] as const)('nothing is known to be gathered of %s', (_, changes) => {
  expect(gathered(changes)).toBeUndefined()
})
