/** Training methods in the Python worker: real steps on the CPU, and the trace of the same steps against the tape. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import { trace } from '../../engine/probes/trace.ts'
import { PythonWorker } from '../../engine/probes/worker.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { LogProbabilityStyle } from '../../engine/training/training-method.ts'
import { hasTorch, python } from './python.ts'
import { tinySpec } from './tiny-spec.ts'

const config = modelConfig.parse({
  model_type: 'llama',
  vocab_size: 4_096,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 512,
})

const decoder: TrainingSpec = { ...tinySpec, task: 'causal-lm', sequenceLength: 64, loop: 'trainer', precision: 'fp32' }
const adapters = { lora: { rank: 4, targets: ['q_proj', 'v_proj'], dropout: 0 }, dropout: false }

const preference = (logProbabilities: LogProbabilityStyle, reference: 'none' | 'adapters-off' | 'copy') =>
  ({ method: { kind: 'preference', reference, logProbabilities, withCrossEntropy: false } }) as const

/** Two of them have as many tokens as entropies are taken of at a time. */
const answers = {
  kind: 'online',
  completionLength: 64,
  completions: 4,
  tempersInPlace: true,
  comparesFeatures: false,
} as const
const withPrompts = { sequenceLength: 96 }

const methods: readonly (readonly [name: string, changes: Partial<TrainingSpec>])[] = [
  ['DPO of TRL beside a copy', preference('trl', 'copy')],
  [
    'DPO of TRL in bfloat16 beside a copy in float32',
    {
      method: { ...preference('trl', 'copy').method, referenceType: 'float32' },
      precision: 'bf16',
      autocasts: true,
    },
  ],
  ['DPO of TRL 0.29 to 1.5 beside a copy', preference('trl-copied', 'copy')],
  ['DPO of TRL 0.29 to 1.5 with adapters', { ...preference('trl-copied', 'adapters-off'), ...adapters }],
  ['DPO of LLaMA-Factory with adapters', { ...preference('llamafactory', 'adapters-off'), ...adapters }],
  ['DPO of torchtune without a reference', preference('torchtune', 'none')],
  ['KTO', { method: { kind: 'kto', reference: 'copy', logProbabilities: 'trl' } }],
  ['a reward model', { method: { kind: 'reward', head: 'score' }, task: 'sequence-classification', labels: 1 }],
  ['a process reward model', { method: { kind: 'reward', head: 'steps' }, task: 'sequence-classification' }],
  [
    'GRPO beside a copy',
    { method: { ...answers, reference: 'copy', generation: { kind: 'transformers' } }, ...withPrompts },
  ],
  [
    "Liger's loss of completions",
    { method: { ...answers, reference: 'none', generation: { kind: 'server' } }, fusedLoss: true, ...withPrompts },
  ],
  [
    'EBFT with adapters',
    {
      method: { ...answers, reference: 'adapters-off', generation: { kind: 'server' }, comparesFeatures: true },
      lora: adapters.lora,
      ...withPrompts,
    },
  ],
  ['quantisation-aware training', { fakeQuantization: { groupSize: 32 } }],
]

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  /** Each starts a process of its own. */
  const inProcesses = methods.filter(([name]) => /^DPO of (?:TRL|LLaMA)|process reward|GRPO|EBFT/.test(name))

  test.each(inProcesses)('%s takes real steps', async (_, changes) => {
    const spec = { ...decoder, ...changes }
    await using probe = await openProbe('torch', {
      spec,
      config,
      footprints: new FootprintCache(),
      gpu: defaultGpu,
      python,
      deviceKind: 'cpu',
      limitMemoryBytes: 4 * GIB,
    })
    expect((await probe.trial(2)).outcome.kind).toBe('fits')
  })

  test('their traces are the tape’s', async () => {
    await using worker = new PythonWorker(python)
    for (const [name, changes] of methods) {
      const spec = { ...decoder, ...changes }
      const answer = await trace(worker, spec, config)
      if (answer.kind !== 'done') throw new Error(`${name}: ${JSON.stringify(answer)}`)
      const { bytes } = new Footprint(spec, config).peak(spec.microBatch, 0)
      expect(bytes / answer.result.peakBytes, name).toBeCloseTo(1, 1)
    }
  })
})
