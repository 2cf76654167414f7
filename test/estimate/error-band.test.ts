import { expect, test } from 'vitest'
import {
  bandClassOf,
  beyondTrace,
  derivationOf,
  errorBand,
  errorBandPercent,
  TRACED_BAND_PERCENT,
} from '../../engine/estimate/error-band.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, onlineMethod, specOf } from './specs.ts'

test('a step that PyTorch’s trace covers carries the band of its class’s readings, never narrower than the trace’s', () => {
  const spec = specOf('bert')
  const { config } = knownModel('bert')
  expect([beyondTrace(spec), derivationOf(spec, config)]).toEqual([undefined, []])
  const { lowPercent, highPercent, of } = errorBand(spec, config)
  expect(of).toBe('full training on one GPU')
  expect(Math.min(-lowPercent, highPercent)).toBeGreaterThanOrEqual(TRACED_BAND_PERCENT)
  expect(errorBandPercent(spec, config)).toBe(Math.max(-lowPercent, highPercent))
})

test.each<[string, Partial<TrainingSpec>]>([
  ['offloading', { offload: 'optimizer' }],
  ['layers that train in turn', { trainable: { names: ['.*'], inputGradients: false, inTurns: true } }],
  ['a fused loss', { fusedLoss: true }],
  ['float32 master weights', { precision: 'bf16-master' }],
  ["Axolotl's kernels for experts", { expertStyle: 'axolotl-kernels' }],
  ['experts as linear layers', { expertStyle: 'axolotl-linear' }],
  ["torchtune's experts", { expertStyle: 'torchtune' }],
])('%s are of another class, and the report says why', (what, changes) => {
  const spec = specOf('bert', changes)
  expect(bandClassOf(spec, knownModel('bert').config)).toMatch(/in part untraced|the host/)
  expect(derivationOf(spec, knownModel('bert').config)).toEqual([expect.stringContaining(what)])
})

test.each<[string, Partial<TrainingSpec>]>([
  ['DistributedDataParallel', { gpus: 8 }],
  ['FSDP', { gpus: 8, sharding: 'fsdp', precision: 'bf16-master' }],
  ['DeepSpeed', { gpus: 8, sharding: 'zero3', precision: 'bf16-master' }],
  ['DeepSpeed', { gpus: 1, sharding: 'zero2', precision: 'bf16-master' }],
])('what %s keeps and exchanges has been run, but not on GPUs', (library, changes) => {
  const spec = specOf('bert', changes)
  expect(bandClassOf(spec, knownModel('bert').config)).toBe('several GPUs')
  expect(derivationOf(spec, knownModel('bert').config)).toEqual([expect.stringContaining(`with ${library} running`)])
})

test.each([
  ['google/gemma-3-4b-it', { precision: 'bf16' }, 'the number and size of images in a sample'],
  [
    'Qwen/Qwen2.5-VL-3B-Instruct',
    { precision: 'bf16' },
    "Set image_size, the pixels of an image's side, in the overrides",
  ],
  ['LiquidAI/LFM2-VL-450M', { precision: 'bf16' }, 'what images take is not modelled here, and comes on top'],
  ['mistralai/Voxtral-Mini-3B-2507', { precision: 'bf16' }, 'what sound takes is not modelled here, and comes on top'],
  [
    'mistral-community/pixtral-12b',
    { precision: 'bf16', images: { tiles: 1, height: 512, width: 512, checkpointed: 'decoder' } },
    'a mask whose memory grows with the square of the batch size',
  ],
  [
    'Qwen/Qwen2.5-VL-3B-Instruct',
    { precision: 'bf16', videoFrames: 16, images: { tiles: 8, height: 448, width: 448, checkpointed: 'decoder' } },
    'One video per sample is counted, of 16 frames of 448×448 pixels',
  ],
  ['Qwen/Qwen3-30B-A3B', { precision: 'bf16', quantization: 'nf4' }, 'The experts are counted without quantisation'],
  ['XiaomiMiMo/MiMo-7B-RL', {}, 'the code published with its weights, which only the estimate engine supports.'],
  ['ultralytics/yolo11n', { loop: 'ultralytics' }, 'was compared with a trace of it'],
  ['Qwen/Qwen3-30B-A3B', { precision: 'amp-bf16' }, 'Experts in float32 run in a kernel'],
  [
    'Qwen/Qwen3.5-4B',
    { precision: 'bf16', versions: { 'flash-linear-attention': '0.5' } },
    "with flash-linear-attention's kernels",
  ],
  ['tiiuae/Falcon-H1-7B-Base', { precision: 'bf16' }, 'the kernels of mamba-ssm and causal-conv1d'],
  ['tiiuae/Falcon-H1-7B-Base', { precision: 'bf16', quantization: 'nf4' }, 'output projections are counted without'],
] as const)('%s with %j is in part untraced: %s', (id, changes, why) => {
  const [spec, { config }] = [specOf(id, changes), knownModel(id)]
  expect(bandClassOf(spec, config)).toContain('in part untraced')
  expect(derivationOf(spec, config)).toContainEqual(expect.stringContaining(why))
})

test('a mixture of experts in bfloat16 is traced like any other model', () => {
  const { config } = knownModel('Qwen/Qwen3-30B-A3B')
  expect(derivationOf(specOf('Qwen/Qwen3-30B-A3B', { precision: 'bf16' }), config)).toEqual([])
})

test('a gated delta net without flash-linear-attention is traced, and said to be counted without it', () => {
  const [spec, { config }] = [specOf('Qwen/Qwen3.5-4B', { precision: 'bf16' }), knownModel('Qwen/Qwen3.5-4B')]
  expect(derivationOf(spec, config)).toContainEqual(expect.stringContaining('without flash-linear-attention'))
  expect(derivationOf(spec, config)).not.toContainEqual(expect.stringContaining("flash-linear-attention's kernels"))
})

test('answers that a model without attention in every layer makes itself are counted without what those layers remember', () => {
  const { config } = knownModel('Qwen/Qwen3.5-4B')
  const sentences = (kind: 'transformers' | 'server') => {
    const spec = specOf('Qwen/Qwen3.5-4B', { precision: 'bf16', method: onlineMethod({ kind }) })
    return derivationOf(spec, config).filter(sentence => sentence.includes('recurrent state'))
  }
  expect(sentences('transformers')).toHaveLength(1)
  expect(sentences('server')).toEqual([])
})

test('a class without readings has a wide band, and the report says that it is assumed', () => {
  const [spec, { config }] = [specOf('bert', { offload: 'optimizer' }), knownModel('bert')]
  const { lowPercent, highPercent } = errorBand(spec, config)
  expect([lowPercent <= -30, highPercent >= 30]).toEqual([true, true])
  expect(derivationOf(spec, config).join(' ')).toContain('too few published readings')
})
