/**
 * What an evaluation takes beside the weights, against PyTorch's own trace: torch 2.13 and transformers 5.18 on the meta device with CUDA's
 * kernels, the model in eval mode under torch.no_grad over two batches, its loss computed; MiB above the weights, of 512 tokens a sample.
 */
import { describe, expect, it } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import { evaluationOf } from '../../engine/estimate/evaluation.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, onlineMethod, specOf } from './specs.ts'

const adapters = { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0.05 }

const preference = (reference: 'copy' | 'adapters-off', logProbabilities: 'trl' | 'llamafactory') =>
  ({ method: { kind: 'preference', reference, logProbabilities, withCrossEntropy: false }, dropout: false }) as const
const everyAdapter = {
  ...adapters,
  targets: [...adapters.targets, 'k_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
}
const image = (tiles: number, height?: number, width = height): Partial<TrainingSpec> => ({
  precision: 'bf16',
  sequenceLength: 1024,
  images: { tiles, checkpointed: 'decoder', ...(height && width && { height, width }) },
})

const traced: readonly [string, Partial<TrainingSpec>, one: number, eight: number][] = [
  ['Qwen/Qwen2.5-0.5B', { precision: 'amp-bf16' }, 1_685.9, 6_891.4],
  ['Qwen/Qwen2.5-0.5B', { precision: 'bf16' }, 742.8, 5_942.1],
  ['Qwen/Qwen2.5-0.5B', { precision: 'fp32' }, 595.3, 4_762.1],
  ['Qwen/Qwen3-0.6B', { precision: 'amp-bf16', paddedBatches: true }, 1_880.6, 7_087.9],
  ['Qwen/Qwen3-30B-A3B', { precision: 'bf16' }, 743.9, 5_951.1],
  ['openai-community/gpt2', { precision: 'amp-bf16' }, 482.7, 2_211.1],
  ['mistralai/Mistral-7B-v0.1', { precision: 'bf16' }, 160.3, 1_282.1],
  ['microsoft/phi-2', { precision: 'amp-bf16' }, 5_306.5, 7_091.6],
  ['google/gemma-2-2b', { precision: 'amp-bf16' }, 6_240.5, 15_022.1],
  ['google/gemma-4-E2B', { precision: 'bf16' }, 1_281.5, 10_252.1],
  ['EleutherAI/pythia-410m', { precision: 'amp-fp16' }, 922.3, 2_655.8],
  ['facebook/opt-350m', { precision: 'amp-bf16' }, 873.5, 2_595.4],
  ['meta-llama/Llama-3.2-1B', { precision: 'bf16', lora: adapters }, 628.3, 5_026.1],
  ['FacebookAI/roberta-base', { precision: 'amp-bf16', task: 'masked-lm' }, 484.0, 2_212.6],
  ['google-bert/bert-base-cased', { precision: 'amp-bf16', task: 'token-classification', labels: 9 }, 173.4, 252.3],
  ['google-bert/bert-base-cased', { precision: 'amp-bf16', task: 'sequence-classification', labels: 3 }, 173.4, 252.2],
  ['Qwen/Qwen2.5-0.5B', { precision: 'bf16', task: 'sequence-classification' }, 17.9, 142.2],
  ['google-t5/t5-base', { precision: 'fp32', task: 'seq2seq-lm' }, 130.0, 1_040.1],
  ['google/vit-base-patch16-224', { precision: 'amp-bf16' }, 167.6, 200.3],
  ['google/vit-base-patch16-224', { precision: 'fp32' }, 7.5, 60.0],
  ['facebook/convnext-tiny-224', { precision: 'amp-fp16' }, 55.5, 73.1],
  // Of models that read images the decoder fills its cache of keys and values, but for SmolVLM's.
  ['Qwen/Qwen2-VL-2B-Instruct', image(1, 448, 672), 1_521.7, 12_173.8],
  ['Qwen/Qwen2-VL-2B-Instruct', { ...image(1, 448), precision: 'amp-bf16' }, 5_763.2, 16_616.1],
  ['Qwen/Qwen2.5-VL-3B-Instruct', { ...image(2, 448), lora: everyAdapter }, 1_533.0, 12_264.2],
  ['google/gemma-3-4b-it', image(1), 2_712.1, 21_696.8],
  ['llava-hf/llava-1.5-7b-hf', image(1), 838.9, 6_711.6],
  ['HuggingFaceTB/SmolVLM2-2.2B-Instruct', image(5), 508.9, 4_071.5],
  ['OpenGVLab/InternVL3_5-8B-HF', image(5), 1_657.3, 13_258.1],
  ['Qwen/Qwen2.5-0.5B', { precision: 'bf16', checkpointedLoss: true }, 595.3, 607.6],
  // Both models of a preference method, of which the trace keeps the weights.
  ['Qwen/Qwen2.5-0.5B', { precision: 'bf16', ...preference('copy', 'trl') }, 2_001.9, 14_457.4],
  [
    'Qwen/Qwen2.5-0.5B',
    { precision: 'amp-bf16', ...preference('adapters-off', 'trl'), lora: everyAdapter },
    2_001.9,
    14_457.4,
  ],
  ['Qwen/Qwen2.5-0.5B', { precision: 'bf16', ...preference('copy', 'llamafactory') }, 1_779.4, 14_234.9],
  [
    'Qwen/Qwen2.5-0.5B',
    { precision: 'bf16', method: { kind: 'reward', head: 'score' }, task: 'sequence-classification', labels: 1 },
    35.6,
    284.2,
  ],
]

/** Of one sequence alone these copy less than they are counted to, so that their evaluations of one sample are not told. */
const tracedOfSeveral: readonly [string, Partial<TrainingSpec>, eight: number][] = [
  ['Qwen/Qwen2.5-0.5B', { method: { kind: 'kto', reference: 'copy', logProbabilities: 'trl' } }, 7_340.0],
  [
    'Qwen/Qwen2.5-0.5B',
    { method: { ...preference('copy', 'trl').method, reference: 'none', withCrossEntropy: true } },
    9_486.9,
  ],
  ['Qwen/Qwen2.5-0.5B', { method: online({}) }, 2_601.3],
  ['Qwen/Qwen2.5-0.5B', { method: online({ reference: 'copy' }) }, 2_601.3],
]

function online(changes: Partial<OnlineMethod>): OnlineMethod {
  return { ...onlineMethod({ kind: 'server' }), completions: 1, tempersInPlace: true, ...changes }
}
type OnlineMethod = ReturnType<typeof onlineMethod>

/** Of all that is allocated, the weights included. */
const BAND = 0.02

describe('an evaluation', () => {
  it.each(traced)('of %s %j is within 2 %% of the trace', (name, changes, one, eight) => {
    const spec = specOf(name, { sequenceLength: 512, loop: 'trainer', ...changes })
    const { config } = knownModel(name)
    const weights = new Footprint(spec, config).resting(0).breakdown.weights
    const evaluation = evaluationOf(spec, config, { hasFlash: true })
    for (const [batch, mib] of [
      [1, one],
      [8, eight],
    ] as const) {
      const whole = weights + mib * MIB
      expect(Math.abs(weights + evaluation.bytesAt(batch) - whole) / whole, `batch ${batch}`).toBeLessThan(BAND)
    }
  })

  it.each(tracedOfSeveral)('of %s %j is within 2 %% of the trace', (name, changes, mib) => {
    const spec = specOf(name, { sequenceLength: 512, loop: 'trainer', precision: 'bf16', dropout: false, ...changes })
    const { config } = knownModel(name)
    const weights = new Footprint(spec, config).resting(0).breakdown.weights
    const bytes = weights + evaluationOf(spec, config, { hasFlash: true }).bytesAt(8)
    const whole = weights + mib * MIB
    expect(Math.abs(bytes - whole) / whole).toBeLessThan(BAND)
  })

  it('is the same whether the training recomputes its blocks or drops features out', () => {
    const plain = specOf('gpt2', { loop: 'trainer', precision: 'amp-bf16' })
    const { config } = knownModel('gpt2')
    const of = (spec: TrainingSpec) => evaluationOf(spec, config, { hasFlash: true }).bytesAt(8)
    expect(of({ ...plain, gradientCheckpointing: true })).toBe(of(plain))
    expect(of({ ...plain, gradientAccumulation: 8 })).toBe(of(plain))
  })

  it('keeps float32 logits of every token for metrics, and 16-bit ones where DeepSpeed hands them on', () => {
    const { config } = knownModel('gpt2')
    const of = (precision: TrainingSpec['precision']) =>
      evaluationOf(specOf('gpt2', { sequenceLength: 512, precision }), config, { hasFlash: true }).keptBytesPerSample
    expect(of('amp-bf16')).toBe(512 * 50_257 * 4)
    expect(of('bf16-master')).toBe(512 * 50_257 * 2)
  })
})
