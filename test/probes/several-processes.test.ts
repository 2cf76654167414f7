/** Methods that compare with a second model, in two processes on the CPU. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import { beyondTorch } from '../../engine/estimate/error-band.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { hasTorch, python } from './python.ts'
import { tinySpec } from './tiny-spec.ts'

const config = modelConfig.parse({
  model_type: 'llama',
  vocab_size: 64,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
})
const dpo: TrainingSpec = {
  ...tinySpec,
  model: 'meta-llama/Llama-3.2-1B',
  task: 'causal-lm',
  loop: 'trainer',
  gpus: 2,
  method: { kind: 'preference', logProbabilities: 'trl', reference: 'copy', withCrossEntropy: false },
}

describe.skipIf(!hasTorch)('in two processes, with Python and PyTorch', () => {
  test.for(['ddp', 'fsdp'] as const)('DPO steps with its frozen copy under %s', async (sharding, { skip }) => {
    await using probe = await openProbe('torch', {
      spec: { ...dpo, sharding },
      config,
      footprints: new FootprintCache(),
      gpu: defaultGpu,
      python,
      deviceKind: 'cpu',
      limitMemoryBytes: GIB,
    })
    const { outcome } = await probe.trial(2)
    const needsGpu = outcome.kind === 'failed' && /'Stream' object has no attribute/.test(outcome.problem.message)
    skip(needsGpu, 'fully_shard of PyTorch 2.6 steps on a GPU alone')
    expect(outcome).toMatchObject({ kind: 'fits' })
  })
})

test('what cannot be run in several processes is estimated, and runs in one', () => {
  const quantized: TrainingSpec = { ...tinySpec, quantization: 'nf4', gpus: 2, sharding: 'fsdp' }
  expect(beyondTorch(quantized)).toBe('quantised weights under FSDP')
  expect(beyondTorch({ ...quantized, sharding: 'ddp' })).toBeUndefined()
  const rewards: TrainingSpec = { ...tinySpec, gpus: 2, method: { kind: 'reward', head: 'value' } }
  expect(beyondTorch(rewards)).toBe('a value head on several GPUs')
  expect(beyondTorch({ ...rewards, gpus: 1 })).toBeUndefined()
})
