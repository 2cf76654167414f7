/**
 * EBFT's strided mode against PyTorch's trace of the passes of Axolotl 0.18's core/trainers/ebft/strided.py, run with a causal
 * kernel in the place of flex attention, which does not run on the meta device.
 */
import { describe, expect, test } from 'vitest'
import type { TrainingSpec } from '../../../engine/config/spec.ts'
import type { TrainingMethod } from '../../../engine/config/training-method.ts'
import { bandClassOf, beyondTorch } from '../../../engine/estimate/error-band.ts'
import { places, stridedTokens } from '../../../engine/estimate/objectives/strided-log-probabilities.ts'
import { footprintOf, knownModel, specOf } from '../specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'
const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const lora = { rank: 16, targets, dropout: 0.05 }

type Strided = Extract<TrainingMethod, { kind: 'strided-ebft' }>

const method: Strided = {
  kind: 'strided-ebft',
  reference: 'adapters-off',
  rollouts: 4,
  context: 8,
  stride: 8,
  completionLength: 8,
  withCrossEntropy: false,
}

function strided(sequenceLength: number, changes: Partial<Strided>): Partial<TrainingSpec> {
  const recipe = { precision: 'bf16', gradientCheckpointing: true, loop: 'trainer', sequenceLength } as const
  return { ...recipe, method: { ...method, ...changes } }
}

describe('answers at every eighth token', () => {
  test('start at 31 places of 256 tokens, and add 8 tokens each', () => {
    expect(places(method, 256)).toBe(31)
    expect(stridedTokens(specOf(MODEL, strided(256, {})))).toBe(256 + 31 * 8)
    expect(places(method, 4)).toBe(1)
  })

  test.each([
    ['with adapters', { ...strided(256, {}), lora }, 1_410_740_224],
    ['that learns from the sequence too', { ...strided(256, { withCrossEntropy: true }), lora }, 1_611_280_384],
    ['of longer sequences', { ...strided(1_024, {}), lora }, 4_746_182_656],
    ['beside a copy', strided(256, { reference: 'copy' }), 2_032_360_448],
  ] as const)('%s take what the trace says, within 2 %%', (_, changes, bytes) => {
    expect(Math.abs(footprintOf(MODEL, changes).peak(1, 0).bytes / bytes - 1)).toBeLessThan(0.02)
  })

  test('are beyond what the worker runs, and so in part untraced', () => {
    const spec = specOf(MODEL, strided(256, { reference: 'copy' }))
    expect(beyondTorch(spec)).toBe("EBFT's strided mode")
    expect(bandClassOf(spec, knownModel(MODEL).config)).toContain('in part untraced')
  })
})
