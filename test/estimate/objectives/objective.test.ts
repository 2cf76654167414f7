/** Peaks of training methods against PyTorch's own trace of the same step (torch 2.13, transformers 5.18, peft 0.21). */
import { describe, expect, test } from 'vitest'
import { beyondTrace } from '../../../engine/estimate/error-band.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import type { TrainingMethod } from '../../../engine/training/training-method.ts'
import { footprintOf, onlineMethod, specOf } from '../specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'
const BATCH = 2

const lora = { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0.05 }
const recipe: Partial<TrainingSpec> = {
  sequenceLength: 1_024,
  precision: 'bf16',
  gradientCheckpointing: true,
  loop: 'trainer',
}

function peakBytes(changes: Partial<TrainingSpec>): number {
  return footprintOf(MODEL, { ...recipe, ...changes }).peak(BATCH, 0).bytes
}

type Preference = Extract<TrainingMethod, { kind: 'preference' }>

function preference(
  logProbabilities: Preference['logProbabilities'],
  reference: Preference['reference'],
): Partial<TrainingSpec> {
  return { method: { kind: 'preference', reference, logProbabilities, withCrossEntropy: false } }
}

type Answers = Extract<TrainingMethod, { kind: 'online' }>

function answers(changes: Partial<Answers> = {}): Partial<TrainingSpec> {
  return { method: { ...onlineMethod({ kind: 'server' }), completionLength: 512, ...changes } }
}

const byTransformers = { completions: 64, generation: { kind: 'transformers' } } as const

const traced: readonly (readonly [name: string, changes: Partial<TrainingSpec>, bytes: number])[] = [
  ['DPO of TRL beside a frozen copy', preference('trl', 'copy'), 3_727_647_744],
  ['DPO of TRL with adapters', { ...preference('trl', 'adapters-off'), lora, dropout: false }, 2_922_108_416],
  [
    'DPO of TRL under autocast, its reference computed beforehand',
    { ...preference('trl', 'none'), precision: 'amp-bf16', gradientCheckpointing: false },
    8_054_859_776,
  ],
  [
    'ORPO',
    { method: { kind: 'preference', reference: 'none', logProbabilities: 'trl', withCrossEntropy: true } },
    4_187_599_872,
  ],
  [
    'DPO of LLaMA-Factory under autocast beside a copy in 16 bits',
    { ...preference('llamafactory', 'copy'), precision: 'amp-bf16' },
    5_466_897_920,
  ],
  [
    'DPO of LLaMA-Factory with adapters',
    { ...preference('llamafactory', 'adapters-off'), lora, dropout: false },
    3_651_130_368,
  ],
  ['DPO of torchtune beside a frozen copy', preference('torchtune', 'copy'), 4_455_883_264],
  ['DPO of torchtune with adapters', { ...preference('torchtune', 'adapters-off'), lora }, 3_650_343_936],
  ['KTO of TRL', { method: { kind: 'kto', reference: 'copy', logProbabilities: 'trl' } }, 2_439_816_192],
  [
    'KTO of LLaMA-Factory with adapters',
    { method: { kind: 'kto', reference: 'adapters-off', logProbabilities: 'llamafactory' }, lora, dropout: false },
    1_965_757_440,
  ],
  [
    'a reward model',
    {
      method: { kind: 'reward', head: 'score' },
      task: 'sequence-classification',
      labels: 1,
      gradientCheckpointing: false,
    },
    3_889_424_896,
  ],
  [
    'a process reward model',
    { method: { kind: 'reward', head: 'steps' }, task: 'sequence-classification', gradientCheckpointing: false },
    2_348_466_176,
  ],
  [
    'adapters beside an embedding and an output layer that train whole',
    { lora: { ...lora, modulesToSave: ['embed_tokens', 'lm_head'] } },
    1_905_980_928,
  ],
  ['RMSprop on few tokens', { optimizer: 'rmsprop', sequenceLength: 16, gradientCheckpointing: false }, 1_076_214_784],
  ['quantisation-aware training', { fakeQuantization: { groupSize: 64 }, gradientCheckpointing: false }, 5_701_278_208],
  ['quantisation-aware training of adapted layers', { fakeQuantization: { groupSize: 64 }, lora }, 1_563_883_008],
  ['GRPO of TRL 1.8 beside a copy', answers({ tempersInPlace: true, reference: 'copy' }), 1_961_659_904],
  ['GRPO with adapters', { ...answers({ reference: 'adapters-off', completionLength: 256 }), lora }, 657_918_464],
  ["GRPO with Liger's loss", { ...answers(), fusedLoss: true }, 1_345_268_224],
  ["GRPO with Liger's loss, without autocast", { ...answers(), fusedLoss: true, precision: 'amp-bf16' }, 2_690_379_264],
  [
    'answers that transformers makes of padded prompts',
    { ...answers(byTransformers), paddedBatches: true },
    2_469_272_064,
  ],
  [
    'distillation',
    { method: { kind: 'distillation', teacher: 'HuggingFaceTB/SmolLM2-360M', chunks: 8 } },
    3_372_969_984,
  ],
  [
    'distillation with adapters',
    { method: { kind: 'distillation', teacher: 'HuggingFaceTB/SmolLM2-360M', chunks: 8 }, lora },
    2_841_203_712,
  ],
]

describe('the peak', () => {
  test.each(traced)('of %s is that of the trace', (_, changes, bytes) => {
    expect(Math.abs(peakBytes(changes) / bytes - 1)).toBeLessThan(0.001)
  })

  test("of LLaMA-Factory's value head is within a percent of the trace", () => {
    const bytes = peakBytes({ method: { kind: 'reward', head: 'value' }, gradientCheckpointing: false })
    expect(bytes / 5_210_696_192).toBeCloseTo(1, 2)
  })
})

describe('answers of the model’s own', () => {
  const features = { completions: 32, comparesFeatures: true } as const

  test.each([
    ['in a step of TRL 1.13', answers(), 1_490_502_656],
    ["in a step of Liger's with adapters", { ...answers(), fusedLoss: true, lora }, 587_143_168],
    ['made by transformers at once', answers(byTransformers), 2_354_860_032],
    [
      'compared by the hidden states of the base',
      { ...answers({ ...features, reference: 'adapters-off' }), lora },
      4_785_058_304,
    ],
    ['compared by the hidden states of a copy', answers({ ...features, reference: 'copy' }), 2_586_697_728],
  ] as const)('%s take what the trace says, within 2 %%', (_, changes, bytes) => {
    expect(Math.abs(peakBytes(changes) / bytes - 1)).toBeLessThan(0.02)
  })

  test('take as much for any micro-batch up to their number, and more above it', () => {
    const footprint = footprintOf(MODEL, { ...recipe, ...answers({ ...features, reference: 'copy' }) })
    expect(footprint.peak(1, 0).moment).toContain('generating and scoring completions')
    expect(footprint.peak(2, 0).bytes).toBe(footprint.peak(1, 0).bytes)
    expect(footprint.peak(64, 0).bytes).toBeGreaterThan(2 * footprint.peak(1, 0).bytes)
  })

  test('compared with a copy of the adapters hold those a second time', () => {
    const held = (reference: Answers['reference']) =>
      footprintOf(MODEL, { ...recipe, ...answers({ reference }), lora }).peak(BATCH, 0).breakdown.weights
    // q_proj and v_proj of 30 layers: 16 by 576 and 576 by 16, 16 by 576 and 192 by 16, in float32.
    expect(held('adapters-copy') - held('adapters-off')).toBe(30 * 4 * 16 * (576 + 576 + 576 + 192))
  })

  test('of a server leave no trace here', () => {
    expect(peakBytes(answers({ completions: 4_096 }))).toBe(peakBytes(answers()))
  })
})

describe('quantisation-aware training', () => {
  const rounded = (groupSize: number) => peakBytes({ fakeQuantization: { groupSize }, gradientCheckpointing: false })

  test('passes over layers whose width no group divides', () => {
    expect(rounded(256)).toBeLessThan(rounded(64))
    expect(rounded(999)).toBe(peakBytes({ gradientCheckpointing: false }))
  })
})

describe('training in 4-bit floats', () => {
  const nvfp4 = { fakeQuantization: { groupSize: 16, format: 'nvfp4' } } as const
  /** Of 30 layers; the output layer shares the embedding's weight and stays as it is. */
  const LINEAR_ELEMENTS = 30 * (2 * 576 * 576 + 2 * 576 * 192 + 3 * 576 * 1_536)

  /** Activations that do not grow with the batch. */
  const fixedBytes = (changes: Partial<TrainingSpec>) => {
    const footprint = footprintOf(MODEL, { ...recipe, gradientCheckpointing: false, ...changes })
    return 2 * footprint.peak(4, 0).breakdown.activations - footprint.peak(8, 0).breakdown.activations
  }

  test('keeps every weight a second time, in half a byte and a scale of a byte for 16', () => {
    expect(fixedBytes(nvfp4) - fixedBytes({})).toBeCloseTo(LINEAR_ELEMENTS * (1 / 2 + 1 / 16), -5)
  })

  test('is beyond the trace', () => {
    expect(beyondTrace(specOf(MODEL, nvfp4))).toBe('4-bit floats')
  })
})

describe('a reference', () => {
  const parameters = 134_515_008
  const weights = (changes: Partial<TrainingSpec>) =>
    footprintOf(MODEL, { ...recipe, ...changes }).peak(BATCH, 0).breakdown.weights

  test('that is a copy doubles the weights, and not the parameters', () => {
    expect(weights(preference('trl', 'copy'))).toBe(2 * weights(preference('trl', 'none')))
    expect(footprintOf(MODEL, { ...recipe, ...preference('trl', 'copy') }).parameterCount).toBe(parameters)
  })

  test('that is the base with its adapters off holds no weights of its own, quantised or not', () => {
    for (const changes of [{ lora }, { lora, quantization: 'nf4' as const }]) {
      expect(weights({ ...preference('trl', 'adapters-off'), ...changes })).toBe(
        weights({ ...preference('trl', 'none'), ...changes }),
      )
    }
  })
})
