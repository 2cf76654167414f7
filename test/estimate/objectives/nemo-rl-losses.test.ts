/** NeMo RL's steps, compared with FSDP2 itself by bench:sharding; what they hold at sizes that no CPU runs. */
import { describe, expect, it } from 'vitest'
import { GIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf } from '../specs.ts'

const llama = 'meta-llama/Llama-3.1-8B'
const worker = {
  gpus: 8,
  sharding: 'fsdp',
  fsdpVersion: 2,
  syncsEveryMicroBatch: true,
  precision: 'bf16-master',
  autocasts: true,
  attention: 'sdpa',
  paddedBatches: false,
  optimizer: 'adamw-loop',
  sequenceLength: 4096,
  microBatch: 1,
} as const
const first = { ...worker, loop: 'nemo-rl' } as const
const second = { ...worker, loop: 'nemo-rl-v2' } as const
const inModules = { gradientCheckpointing: true, checkpointsModules: true, reentrantCheckpoints: false } as const
const inBlocks = { gradientCheckpointing: true, reentrantCheckpoints: true } as const
const preferences = {
  method: { kind: 'preference', reference: 'copy', logProbabilities: 'torchtune', withCrossEntropy: false },
} as const

const peak = (spec: Partial<TrainingSpec>, batch = 1) => footprintOf(llama, spec).peak(batch, 0)
type Generation = Extract<NonNullable<TrainingSpec['method']>, { kind: 'online' }>['generation']

const LOGITS = 4096 * 128_256 * 4
const HIDDEN = 4096 * 4096 * 2
const LAYERS = 32

describe('a step of NeMo RL', () => {
  it('takes three times the float32 logits where their log-probabilities begin the backward pass', () => {
    const { breakdown, moment } = peak({ ...first, ...inModules })
    expect(moment).toContain('log_softmax')
    expect(breakdown.logits / LOGITS).toBeCloseTo(3, 2)
  })

  it('keeps four inputs of every block with the first worker, one twice as wide with the second', () => {
    const kept = (spec: Partial<TrainingSpec>) => peak({ ...spec, optimizer: 'sgd' }).breakdown.activations / HIDDEN
    const outside = kept({ ...first, ...inModules }) - 4 * LAYERS
    const inOnes = kept({ ...second, gradientCheckpointing: true, reentrantCheckpoints: false })
    expect(inOnes - outside).toBeGreaterThan(2 * LAYERS - 2)
    expect(inOnes - outside).toBeLessThan(2 * LAYERS + 2)
  })

  it('gathers all but one block again with the second worker, whose recomputations gather ahead', () => {
    const { breakdown, moment } = peak({ ...second, ...inBlocks })
    expect(moment).toContain('backward')
    expect(breakdown.temporaries / GIB).toBeGreaterThan(12.5)
    expect(breakdown.temporaries / GIB).toBeLessThan(13.5)
  })

  it('gathers the whole model with the first worker to score pairs by the reference', () => {
    const short = { ...first, ...inModules, sequenceLength: 128, ...preferences }
    const { moment, breakdown } = peak(short)
    expect(moment).toContain('scoring')
    // A part of the float32 weights, and all of them in 16 bits.
    expect(breakdown.weights / (8.03e9 * (4 / 8 + 2))).toBeCloseTo(1, 1)
    expect(peak({ ...short, loop: 'nemo-rl-v2' }).bytes).toBeLessThan(peak(short).bytes)
  })

  it('counts of the gathered model what exceeds the optimizer state that waits on the host meanwhile', () => {
    const terms = { reference: 'none', completionLength: 64, completions: 1, scored: 1 } as const
    const online = (generation: Generation) =>
      peak({
        ...first,
        ...inModules,
        sequenceLength: 128,
        method: { kind: 'online', ...terms, tempersInPlace: false, comparesFeatures: false, generation },
      })
    const apart = online({ kind: 'server' })
    const asleep = online({ kind: 'vllm', share: 0.5, sleeps: true, movedOut: ['weights', 'optimizerState'] })
    expect(apart.moment).toContain('scoring')
    expect(asleep.moment).not.toContain('scoring')
    expect(asleep.bytes).toBeLessThan(apart.bytes)
  })
})
