import { describe, expect, test } from 'vitest'
import { elements } from '../../engine/estimate/tape/storage.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const MODEL = 'meta-llama/Llama-3.1-8B'
const HIDDEN_BYTES = elements({ shape: [2, 1024, 4096] }) * 2
const LOGITS_BYTES = elements({ shape: [2, 1024, 128_256] }) * 2
const LAYERS = 32

const lora: Pick<TrainingSpec, 'lora'> = { lora: { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0 } }

function peakOf(changes: Partial<TrainingSpec>): number {
  const spec = { loop: 'trainer', precision: 'bf16', gradientCheckpointing: true, sequenceLength: 1024 } as const
  return footprintOf(MODEL, { ...spec, ...changes }).peak(2, 0).bytes
}

describe('transformers 4.46 to 4.48', () => {
  test('hold one more 16-bit copy of the logits than later releases and earlier ones', () => {
    const peaks = ['4.45.2', '4.48.1', '4.49'].map(transformers => peakOf({ ...lora, versions: { transformers } }))
    const [before = 0, during = 0, after = 0] = peaks
    expect(before).toBe(after)
    expect((during - after) / LOGITS_BYTES).toBeCloseTo(1, 1)
  })
})

test("OPT's eager attention before transformers 4.49 keeps every layer's scores a second time", () => {
  const peak = (transformers: string, attention: TrainingSpec['attention']) =>
    footprintOf('facebook/opt-350m', {
      step: 'forward-backward',
      precision: 'bf16',
      attention,
      sequenceLength: 1024,
      versions: { transformers },
    }).peak(2, 0).bytes
  const scoreBytes = elements({ shape: [2, 16, 1024, 1024] }) * 2
  expect((peak('4.45', 'eager') - peak('4.49', 'eager')) / scoreBytes).toBeCloseTo(24, 0)
  expect(peak('4.45', 'sdpa')).toBe(peak('4.49', 'sdpa'))
})

describe('FSDP1 around frozen blocks', () => {
  const sharded = { ...lora, fusedLoss: true, gpus: 8, sharding: 'fsdp', fsdpVersion: 1 } as const

  test('keeps input and gradient of every block until the backward pass ends, if reentrant checkpoints are outside', () => {
    const [outside, inside] = ['4.52.4', '4.53'].map(transformers => peakOf({ ...sharded, versions: { transformers } }))
    // All but the first block's, which is not there yet, and the last one's, which is in either.
    expect(((outside ?? 0) - (inside ?? 0)) / HIDDEN_BYTES).toBeCloseTo(LAYERS - 2, 0)
  })

  test('keeps nothing where every block trains, or checkpoints are not reentrant', () => {
    const versions = { transformers: '4.52.4' }
    const { lora: _, ...full } = sharded
    const training = ['4.52.4', '4.53'].map(transformers => peakOf({ ...full, versions: { transformers } }))
    expect(training[0]).toBe(training[1])
    expect(peakOf({ ...sharded, versions, reentrantCheckpoints: false })).toBeLessThan(peakOf({ ...sharded, versions }))
  })

  test('is what transformers before 5 takes unless the config says otherwise', () => {
    const { fsdpVersion: _, ...open } = sharded
    const old = { transformers: '4.57' }
    expect(peakOf({ ...open, versions: old })).toBe(peakOf({ ...sharded, versions: old }))
    expect(peakOf({ ...open, versions: old })).not.toBe(peakOf({ ...open, fsdpVersion: 2, versions: old }))
    expect(peakOf(open)).toBe(peakOf({ ...open, fsdpVersion: 2 }))
  })
})

describe('bitsandbytes before 0.43.2 keeps the inputs of 4-bit layers', () => {
  const small = { ...lora, quantization: 'nf4', fusedLoss: true } as const
  const old = { versions: { bitsandbytes: '0.43.1' } }
  /** Those of one block: of q, k and v together, of o, of gate and up together, and of down. */
  const inputBytes = HIDDEN_BYTES * (3 + 14_336 / 4096)
  const kept = (changes: Partial<TrainingSpec>) =>
    (peakOf({ ...small, ...old, ...changes }) - peakOf({ ...small, ...changes })) / inputBytes

  test('out of the sight of a checkpoint, until the backward pass is over', () => {
    expect(kept({ reentrantCheckpoints: false })).toBeCloseTo(LAYERS, 0)
  })

  test('through the next forward pass in a loop that holds its outputs', () => {
    // The forward pass then makes the peak, before the loss.
    const twice = kept({ reentrantCheckpoints: false, loop: 'plain' }) / (2 * LAYERS)
    expect(twice).toBeGreaterThan(0.9)
    expect(twice).toBeLessThanOrEqual(1)
  })

  test('within the block that a reentrant checkpoint computes again', () => {
    const share = kept({ reentrantCheckpoints: true })
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThan(1)
  })

  test('and no later release does, nor any other format', () => {
    const peaks = ['0.43.2', '0.50'].map(bitsandbytes => peakOf({ ...small, versions: { bitsandbytes } }))
    expect(new Set([...peaks, peakOf(small)]).size).toBe(1)
    expect(kept({ quantization: 'gptq' })).toBe(0)
    expect(kept({ quantization: 'int8' })).toBe(0)
  })
})

test('a reentrant checkpoint holds its output and the gradient of it while it computes the gradients inside', () => {
  const small = { ...lora, fusedLoss: true }
  const more = peakOf({ ...small, reentrantCheckpoints: true }) - peakOf(small)
  expect(more / HIDDEN_BYTES).toBeCloseTo(1, 1)
})

test('fused norms keep no float32 copy of their input in a recomputed block', () => {
  const small = { ...lora, fusedLoss: true }
  expect(peakOf(small) - peakOf({ ...small, fusedNorms: true })).toBeGreaterThan(2 * HIDDEN_BYTES)
})

describe('torch before 2.0', () => {
  const small = { task: 'sequence-classification', precision: 'fp32', sequenceLength: 128, loop: 'trainer' } as const
  const bert = (changes: Partial<TrainingSpec>) => footprintOf('bert', { ...small, ...changes })
  const old = { versions: { torch: '1.13.1' } } as const

  test('runs the forward pass beside the gradients of the step before, as gradient accumulation does', () => {
    const peakAt = (footprint: ReturnType<typeof bert>) => footprint.peak(32, 0).bytes
    const kept = peakAt(bert(old))
    expect(kept).toBe(peakAt(bert({ gradientAccumulation: 2 })))
    expect(kept).toBe(peakAt(bert({ ...old, gradientAccumulation: 4 })))
    const newest = bert({})
    expect(kept - peakAt(newest)).toBeCloseTo(4 * newest.parameterCount, -8)
    expect(peakAt(bert({ versions: { torch: '2.0' } }))).toBe(peakAt(newest))
  })

  test('steps with one tensor after the other', () => {
    const peakAt = (footprint: ReturnType<typeof bert>) => footprint.peak(1, 0).bytes
    const [together, alone] = [peakAt(bert({ sequenceLength: 8 })), peakAt(bert({ ...old, sequenceLength: 8 }))]
    expect(alone).toBeLessThan(together)
    expect(alone).toBe(peakAt(bert({ ...old, optimizer: 'adamw-loop', sequenceLength: 8 })))
  })
})

test('AdamW of torch 2.0 steps with two more copies of the weights, that of 2.1 with one', () => {
  const bert = (torch: string, optimizer: TrainingSpec['optimizer'] = 'adamw') =>
    footprintOf('bert', { sequenceLength: 1, optimizer, versions: { torch } }).peak(1, 0)
  const parameterBytes = 4 * footprintOf('bert').parameterCount
  expect((bert('2.0').bytes - bert('2.1').bytes) / parameterBytes).toBeCloseTo(1, 3)
  expect(bert('2.0').moment).toBe('the optimizer')
  expect(bert('2.0', 'adamw-fused')).toEqual(bert('2.1', 'adamw-fused'))
})

describe('Lightning', () => {
  const peakAt = (changes: Partial<TrainingSpec>) =>
    footprintOf('bert', { sequenceLength: 128, ...changes }).peak(64, 0)

  test('runs a forward pass beside the gradients of the step before, and its backward pass without them', () => {
    const [lightning, trainer] = [peakAt({ loop: 'lightning' }), peakAt({ loop: 'trainer' })]
    const parameterBytes = 4 * footprintOf('bert').parameterCount
    expect(lightning.moment).toMatch(/^forward of/)
    expect(lightning.breakdown.gradients).toBeCloseTo(parameterBytes, -6)
    expect(trainer.moment).toMatch(/^backward of/)
    const accumulating = peakAt({ loop: 'trainer', gradientAccumulation: 2 })
    expect(lightning.bytes).toBeLessThan(accumulating.bytes)
  })

  test('accumulates as others do, and leaves gradients to DeepSpeed', () => {
    const same: Partial<TrainingSpec>[] = [{ gradientAccumulation: 4 }, { gpus: 4, sharding: 'zero2' }]
    for (const changes of same)
      expect(peakAt({ ...changes, loop: 'lightning' })).toEqual(peakAt({ ...changes, loop: 'trainer' }))
  })

  test('does not hold the outputs of a step', () => {
    const logits = (loop: TrainingSpec['loop']) =>
      footprintOf('gpt2', { loop, sequenceLength: 64 }).peak(1, 0).breakdown.logits
    expect([logits('lightning'), logits('plain')]).toEqual([0, expect.any(Number)])
    expect(logits('plain')).toBeGreaterThan(0)
  })
})

test('torch before 1.11 keeps the input of every softmax in the attention of each layer', () => {
  const spec = { task: 'sequence-classification', precision: 'fp32', sequenceLength: 512, loop: 'trainer' } as const
  const peaks = ['1.10', '1.11'].map(torch =>
    footprintOf('bert', { ...spec, attention: 'eager', versions: { torch } }).peak(4, 0),
  )
  const [before = 0, after = 0] = peaks.map(({ bytes }) => bytes)
  const scoresBytes = elements({ shape: [4, 12, 512, 512] }) * 4
  expect((before - after) / scoresBytes).toBeCloseTo(12, 0)
})

test('gated delta nets without flash-linear-attention keep what PyTorch’s ops save in float32, layer by layer', () => {
  const peak = (versions: TrainingSpec['versions']) =>
    footprintOf('Qwen/Qwen3.5-0.8B', {
      loop: 'trainer',
      precision: 'bf16',
      sequenceLength: 1024,
      ...(versions && { versions }),
    }).peak(2, 0).bytes
  const [composed, fused] = [peak(undefined), peak({ 'flash-linear-attention': '0.5' })]
  // Of queries, keys or values: 16 MiB in float32. PyTorch's trace of one rule saves 248.8 MiB beside its output, and the kernels keep
  // queries, keys and values in 16 bits and 4 MiB of scores.
  const [stateBytes, linearLayers] = [elements({ shape: [2, 16, 1024, 128] }) * 4, 18]
  expect((composed - fused) / linearLayers / stateBytes).toBeCloseTo((248.8 - 24 - 4) / 16, 1)
  expect(peak({ 'flash-linear-attention': '0' })).toBe(composed)
})
