import { describe, expect, test } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import { trace } from '../../engine/probes/trace.ts'
import { peakOf } from '../../engine/probes/trial.ts'
import { PythonWorker } from '../../engine/probes/worker.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { hasTorch, python } from './python.ts'
import { tinyContext as context, tinyConfig, tinySpec } from './tiny-spec.ts'

/** The traced peak, which the estimate has to give too. */
async function tracedAsEstimated(worker: PythonWorker, spec: TrainingSpec, config: ModelConfig): Promise<number> {
  const answer = await trace(worker, spec, config)
  if (answer.kind !== 'done') throw new Error(answer.kind)
  const { bytes } = new Footprint(spec, config).peak(spec.microBatch, 0)
  expect(bytes / answer.result.peakBytes, spec.loop).toBeCloseTo(1, 2)
  return answer.result.peakBytes
}

function llamaOf(keyValueHeads: number): ModelConfig {
  return modelConfig.parse({
    model_type: 'llama',
    vocab_size: 100,
    hidden_size: 128,
    intermediate_size: 256,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    num_key_value_heads: keyValueHeads,
    max_position_embeddings: 1_024,
  })
}

describe.skipIf(!hasTorch)('the trace engine, with Python and PyTorch', () => {
  test('gives the peak within 3 % of the estimate, and reserves no less than the peak', async () => {
    await using traced = await openProbe('trace', context)
    await using estimated = await openProbe('estimate', context)
    const { provenance, outcome } = await traced.trial(512)
    const expected = peakOf((await estimated.trial(512)).outcome) ?? 0
    expect(provenance).toBe('traced')
    if (outcome.kind !== 'fits') throw new Error(outcome.kind)
    expect(outcome.reservedBytes).toBeGreaterThanOrEqual(outcome.peakBytes ?? Number.POSITIVE_INFINITY)
    expect(Math.abs((outcome.peakBytes ?? 0) / expected - 1)).toBeLessThan(0.03)
  })

  test('the outputs of a plain loop are there through the next forward pass, as in the estimate', async () => {
    await using worker = new PythonWorker(python)
    const config = modelConfig.parse({
      model_type: 'gpt2',
      vocab_size: 5_000,
      n_embd: 64,
      n_layer: 2,
      n_head: 2,
      n_positions: 64,
    })
    const spec = {
      ...tinySpec,
      task: 'causal-lm',
      step: 'forward-backward',
      microBatch: 64,
      sequenceLength: 64,
    } as const
    for (const loop of ['plain', 'trainer'] as const) await tracedAsEstimated(worker, { ...spec, loop }, config)
  })

  test('flash attention sees windows and grouped heads without a mask or copies, as in the estimate', async () => {
    await using worker = new PythonWorker(python)
    const config = modelConfig.parse({
      model_type: 'mistral',
      vocab_size: 100,
      hidden_size: 128,
      intermediate_size: 256,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      max_position_embeddings: 1_024,
      sliding_window: 256,
    })
    const peaks = ['sdpa' as const, 'flash' as const].map(async attention => {
      const spec = {
        ...tinySpec,
        task: 'causal-lm',
        loop: 'trainer',
        precision: 'bf16',
        sequenceLength: 1_024,
        attention,
      } as const
      return tracedAsEstimated(worker, spec, config)
    })
    const [fused = 0, flash = 0] = await Promise.all(peaks)
    expect(flash).toBeLessThan(0.8 * fused)
  })

  test.each([
    ['fp32', 2],
    ['bf16', 2],
    ['amp-bf16', 2],
    ['amp-bf16', 1],
  ] as const)(
    'the pinned memory-efficient kernel in %s, with %i heads of keys, as in the estimate',
    async (precision, heads) => {
      await using worker = new PythonWorker(python)
      const config = llamaOf(heads)
      const spec = { ...tinySpec, task: 'causal-lm', loop: 'trainer', precision, sequenceLength: 1_000 } as const
      const free = await tracedAsEstimated(worker, spec, config)
      const pinned = await tracedAsEstimated(worker, { ...spec, sdpaKernel: 'efficient' }, config)
      expect(pinned / free)[precision === 'fp32' ? 'toBeLessThan' : 'toBeGreaterThan'](
        precision === 'fp32' ? 0.7 : 1.01,
      )
      await tracedAsEstimated(worker, spec, config)
    },
  )

  test.each([
    ['scores', { attention: 'eager', sequenceLength: 512 }],
    ['logits', { task: 'masked-lm', microBatch: 64 }],
  ] as const)(
    'autocast in fp16 copies no %s to float32, as their softmax reads fp16, as in the estimate',
    async (_, changes) => {
      await using worker = new PythonWorker(python)
      const config = { ...tinyConfig, vocab_size: 5_000, max_position_embeddings: 512 }
      const peaks = (['amp-bf16', 'amp-fp16'] as const).map(precision =>
        tracedAsEstimated(worker, { ...tinySpec, loop: 'trainer', precision, ...changes }, config),
      )
      const [bf16 = 0, fp16 = 0] = await Promise.all(peaks)
      expect(fp16 / bf16).toBeLessThan(0.97)
    },
  )

  test('eager scores of weights in fp16 have no copy in float32, as in the estimate', async () => {
    await using worker = new PythonWorker(python)
    const spec = {
      ...tinySpec,
      task: 'causal-lm',
      loop: 'trainer',
      precision: 'bf16',
      attention: 'eager',
      sequenceLength: 512,
    } as const
    const bf16 = await tracedAsEstimated(worker, spec, llamaOf(2))
    expect((await tracedAsEstimated(worker, { ...spec, inFloat16: true }, llamaOf(2))) / bf16).toBeLessThan(0.97)
  })

  test('autocast over 16-bit weights makes norms float32, and keeps copies of their inputs, as in the estimate', async () => {
    await using worker = new PythonWorker(python)
    const spec = { ...tinySpec, microBatch: 512, precision: 'bf16', loop: 'trainer' } as const
    const pure = await tracedAsEstimated(worker, spec, tinyConfig)
    expect(await tracedAsEstimated(worker, { ...spec, autocasts: true }, tinyConfig)).toBeGreaterThan(1.1 * pure)
  })

  test('Lightning zeroes gradients between the forward and the backward pass, as in the estimate', async () => {
    await using worker = new PythonWorker(python)
    const spec = { ...tinySpec, microBatch: 256, loop: 'lightning' } as const
    await tracedAsEstimated(worker, spec, tinyConfig)
  })

  test('on a card that is too small it is out of memory, and says how much was needed', async () => {
    await using traced = await openProbe('trace', { ...context, limitMemoryBytes: 340 * MIB })
    const { outcome } = await traced.trial(4096)
    expect(outcome.kind).toBe('out-of-memory')
    expect(peakOf(outcome)).toBeGreaterThan(40 * MIB)
  })

  test('a whole number of the config is a float where its class takes no other, as Gemma 2’s limits of logits', async () => {
    await using worker = new PythonWorker(python)
    const config = modelConfig.parse({
      model_type: 'gemma2',
      vocab_size: 64,
      hidden_size: 64,
      intermediate_size: 128,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      head_dim: 32,
      max_position_embeddings: 64,
      final_logit_softcapping: 30,
      attn_logit_softcapping: 50,
    })
    const answer = await trace(worker, { ...tinySpec, task: 'causal-lm', loop: 'trainer' }, config)
    expect(answer.kind === 'done' ? 'done' : answer).toBe('done')
  })

  test('an entry point is refused: user code runs for real or not at all', async () => {
    await expect(openProbe('trace', { ...context, entrypoint: 'own.py:step' })).rejects.toThrow(/entry point/)
  })
})
