/** What a GPU holds while a run goes on from a checkpoint, by how the libraries load it. */
import { expect, it } from 'vitest'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { resumingOf } from '../../engine/estimate/sharding/resuming.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from './specs.ts'

const model = 'huggyllama/llama-7b'
const { config } = knownModel(model)
const all = 6_738_415_616
const table = 32_000 * 4_096
const block = (all - 2 * table - 4_096) / 32

/** Bytes above what stays between steps. */
function beside(changes: Partial<TrainingSpec>): number | undefined {
  const spec = specOf(model, { loop: 'trainer', precision: 'bf16-master', gpus: 8, sharding: 'fsdp', ...changes })
  const resuming = resumingOf(spec)
  if (resuming === undefined) return undefined
  const footprint = new Footprint(spec, config)
  return footprint.resumingBytes(resuming, 0) - footprint.resting(0).bytes
}

const lightning = { loop: 'lightning', fsdpVersion: 1 } as const
const torchtune = { loop: 'plain', precision: 'bf16' } as const

it.each([
  ['FSDP2: two moments more', {}, all],
  ['FSDP2 with a momentum alone: as much as the gradients', { optimizer: 'sgd-momentum' }, all / 2],
  ['FSDP2 on one GPU: nothing', { gpus: 1 }, 0],
  ['torchtune: gradients beside the fused state', { ...torchtune, optimizer: 'adamw-fused' }, all / 4],
  ['torchtune without moments on many GPUs: a table', { ...torchtune, optimizer: 'sgd', gpus: 64 }, 2 * table],
  ['ZeRO-3: nothing', { sharding: 'zero3' }, 0],
  ['ZeRO-2 under Lightning: nothing', { sharding: 'zero2', loop: 'lightning' }, 0],
  ['Lightning with a policy for layers: the weights come first', lightning, 0],
  [
    'Lightning without state: the root and a block',
    { ...lightning, optimizer: 'sgd' },
    4 * (2 * table + 4_096 + block),
  ],
  ['Lightning without a policy: all weights', { ...lightning, wrapsWholeModel: true, optimizer: 'sgd' }, 4 * all],
] as const)('%s', (_, changes, bytes) => {
  expect(beside(changes)).toBeCloseTo(bytes, -6)
})

it.each([
  ['FSDP1 by the Trainer, whose checkpoints are of two kinds', { fsdpVersion: 1 }],
  ['an optimizer of bitsandbytes', { optimizer: 'adamw-8bit', sharding: 'ddp' }],
  ['a step in the backward pass', { ...torchtune, optimizerInBackward: true }],
  ["verl's own", { loop: 'verl', fsdpVersion: 2 }],
] as const)('nothing is known of %s', (_, changes) => {
  expect(beside(changes)).toBeUndefined()
})
