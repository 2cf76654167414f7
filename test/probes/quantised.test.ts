/** Adapters over bitsandbytes' weights: traced on the meta device, and stepped for real on the CPU. */
import { describe, expect, test } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import { peakOf } from '../../engine/probes/trial.ts'
import type { Quantization } from '../../engine/training/choices.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { hasBitsandbytes, hasTorch, python } from './python.ts'
import { tinySpec } from './tiny-spec.ts'

const config = modelConfig.parse({
  model_type: 'llama',
  hidden_size: 128,
  intermediate_size: 256,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 200,
  max_position_embeddings: 64,
})

function contextOf(quantization: Quantization) {
  const spec: TrainingSpec = {
    ...tinySpec,
    task: 'causal-lm',
    precision: 'bf16',
    loop: 'trainer',
    gradientCheckpointing: false,
    lora: { rank: 4, targets: ['q_proj', 'down_proj'], dropout: 0.1 },
    quantization,
  }
  return { spec, config, footprints: new FootprintCache(), gpu: defaultGpu, python }
}

const kinds = ['nf4', 'nf4-double', 'int8'] as const

describe.skipIf(!hasBitsandbytes)('with bitsandbytes', () => {
  test.each(kinds)('%s is traced within 3 % of the estimate', async quantization => {
    const context = contextOf(quantization)
    await using traced = await openProbe('trace', context)
    await using estimated = await openProbe('estimate', context)
    const [truth = 0, estimate = 0] = [
      peakOf((await traced.trial(512)).outcome),
      peakOf((await estimated.trial(512)).outcome),
    ]
    expect(truth).toBeGreaterThan(50 * MIB)
    expect(Math.abs(estimate / truth - 1)).toBeLessThan(0.03)
  })

  test.each(kinds)(
    'adapters on %s take their input as it is under autocast, in the trace as in the estimate',
    async kind => {
      const pure = contextOf(kind)
      const mixed = { ...pure, spec: { ...pure.spec, autocasts: true as const } }
      const peaks = [pure, mixed].flatMap(context =>
        (['trace', 'estimate'] as const).map(async engine => {
          await using probe = await openProbe(engine, context)
          return peakOf((await probe.trial(512)).outcome) ?? 0
        }),
      )
      const [pureTruth = 0, , truth = 0, estimate = 0] = await Promise.all(peaks)
      expect(truth).toBeLessThan(pureTruth)
      expect(Math.abs(estimate / truth - 1)).toBeLessThan(0.03)
    },
  )

  test.each(kinds)('%s steps for real', async quantization => {
    const context = { ...contextOf(quantization), deviceKind: 'cpu' as const, limitMemoryBytes: 1_000 * MIB }
    await using probe = await openProbe('torch', context)
    expect((await probe.trial(2)).outcome).toMatchObject({ kind: 'fits', stepMillis: expect.any(Number) })
  })
})

describe.skipIf(!hasTorch || hasBitsandbytes)('without bitsandbytes', () => {
  test('auto is the estimate, and the trace says what to install', async () => {
    await using auto = await openProbe('auto', contextOf('nf4'))
    expect(auto.engine).toBe('estimate')
    await using traced = await openProbe('trace', contextOf('nf4'))
    const { outcome } = await traced.trial(2)
    expect(outcome.kind === 'failed' && outcome.problem.message).toMatch(/pip install bitsandbytes/)
  })
})
