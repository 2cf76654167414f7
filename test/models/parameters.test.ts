import { describe, expect, test } from 'vitest'
import { modelIds } from '../../engine/models/catalogue.ts'
import type { Task } from '../../engine/training/choices.ts'
import { footprintOf, knownModel } from '../estimate/specs.ts'

/** As `model.num_parameters()` counts them: tied weights once, buffers not. */
const published: [model: string, task: Task, count: number][] = [
  ['google-bert/bert-base-uncased', 'sequence-classification', 109_483_778],
  ['google-bert/bert-base-uncased', 'masked-lm', 109_514_298],
  ['google-bert/bert-base-cased', 'sequence-classification', 108_311_810],
  ['google-bert/bert-large-uncased', 'sequence-classification', 335_143_938],
  ['google-bert/bert-large-uncased', 'masked-lm', 335_174_458],
  ['FacebookAI/roberta-base', 'sequence-classification', 124_647_170],
  ['FacebookAI/roberta-base', 'masked-lm', 124_697_433],
  ['FacebookAI/roberta-large', 'sequence-classification', 355_361_794],
  ['FacebookAI/xlm-roberta-base', 'sequence-classification', 278_045_186],
  ['FacebookAI/xlm-roberta-large', 'sequence-classification', 559_892_482],
  ['distilbert/distilroberta-base', 'sequence-classification', 82_119_938],
  ['distilbert/distilbert-base-uncased', 'sequence-classification', 66_955_010],
  ['distilbert/distilbert-base-uncased', 'masked-lm', 66_985_530],
  ['answerdotai/ModernBERT-base', 'sequence-classification', 149_606_402],
  ['answerdotai/ModernBERT-base', 'masked-lm', 149_655_232],
  ['answerdotai/ModernBERT-large', 'sequence-classification', 395_833_346],
  ['openai-community/gpt2', 'causal-lm', 124_439_808],
  ['tiiuae/Falcon-H1-0.5B-Base', 'causal-lm', 521_411_104],
  ['nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16', 'causal-lm', 120_668_687_360],
  ['ibm-granite/granite-4.0-h-small', 'causal-lm', 32_207_337_984],
  ['ai21labs/Jamba-v0.1', 'causal-lm', 51_570_323_328],
  ['openai-community/gpt2-medium', 'causal-lm', 354_823_168],
  ['openai-community/gpt2-large', 'causal-lm', 774_030_080],
  ['openai-community/gpt2-xl', 'causal-lm', 1_557_611_200],
  ['distilbert/distilgpt2', 'causal-lm', 81_912_576],
  ['facebook/bart-base', 'seq2seq-lm', 139_420_416],
  ['facebook/bart-large', 'seq2seq-lm', 406_291_456],
  ['facebook/bart-large-cnn', 'seq2seq-lm', 406_290_432],
  ['facebook/mbart-large-50', 'seq2seq-lm', 610_879_488],
  ['openai/whisper-tiny', 'seq2seq-lm', 37_760_640],
  ['openai/whisper-small', 'seq2seq-lm', 241_734_912],
  ['openai/whisper-large-v3', 'seq2seq-lm', 1_543_490_560],
  ['openai/whisper-large-v3-turbo', 'seq2seq-lm', 808_878_080],
  ['facebook/wav2vec2-base-960h', 'ctc', 94_396_320],
  ['facebook/wav2vec2-large-960h', 'ctc', 315_461_792],
  ['facebook/wav2vec2-xls-r-300m', 'ctc', 315_471_520],
  ['facebook/wav2vec2-xls-r-1b', 'ctc', 962_538_400],
  ['facebook/hubert-large-ls960-ft', 'ctc', 315_471_520],
  ['almanach/camembert-base', 'sequence-classification', 110_623_490],
  ['google/electra-small-discriminator', 'sequence-classification', 13_549_314],
  ['google/electra-base-discriminator', 'sequence-classification', 109_483_778],
  ['albert/albert-base-v2', 'sequence-classification', 11_685_122],
  ['microsoft/deberta-v3-base', 'sequence-classification', 184_423_682],
  ['bigscience/bloom-560m', 'causal-lm', 559_214_592],
  ['bigscience/bloom-7b1', 'causal-lm', 7_069_016_064],
  ['XiaomiMiMo/MiMo-7B-RL', 'causal-lm', 7_833_409_536],
]

/** As Ultralytics constructs them for 80 classes, and as its cfg/models says. */
const detectors: [model: string, count: number][] = [
  ['yolov8n', 3_157_200],
  ['yolov8s', 11_166_560],
  ['yolov8m', 25_902_640],
  ['yolov8l', 43_691_520],
  ['yolov8x', 68_229_648],
  ['yolo11n', 2_624_080],
  ['yolo11s', 9_458_752],
  ['yolo11m', 20_114_688],
  ['yolo11l', 25_372_160],
  ['yolo11x', 56_966_176],
  ['yolo26n', 2_572_280],
  ['yolo26s', 10_009_784],
  ['yolo26m', 21_896_248],
  ['yolo26l', 26_299_704],
  ['yolo26x', 58_993_368],
]

/** As Ultralytics constructs them for one class and 17 keypoints. */
const posers: [model: string, count: number][] = [
  ['yolov8n-pose', 3_295_470],
  ['yolov8s-pose', 11_626_046],
  ['yolo11n-pose', 2_874_462],
  ['yolo11m-pose', 20_912_364],
]

/** As Ultralytics constructs them for 1,000 classes. */
const classifiers: [model: string, count: number][] = [
  ['yolov8n-cls', 2_719_288],
  ['yolov8s-cls', 6_361_736],
  ['yolov8m-cls', 17_053_336],
  ['yolov8l-cls', 37_480_744],
  ['yolov8x-cls', 57_422_840],
  ['yolo11n-cls', 2_812_104],
  ['yolo11s-cls', 6_724_008],
  ['yolo11m-cls', 11_634_216],
  ['yolo11l-cls', 14_115_624],
  ['yolo11x-cls', 29_637_064],
  ['yolo26n-cls', 2_812_104],
  ['yolo26s-cls', 6_724_008],
  ['yolo26m-cls', 11_634_216],
  ['yolo26l-cls', 14_115_624],
  ['yolo26x-cls', 29_637_064],
]

/** torchvision's counts for 1,000 classes. */
const imageNet: [model: string, count: number][] = [
  ['microsoft/resnet-18', 11_689_512],
  ['microsoft/resnet-34', 21_797_672],
  ['microsoft/resnet-50', 25_557_032],
  ['microsoft/resnet-101', 44_549_160],
  ['microsoft/resnet-152', 60_192_808],
  ['google/efficientnet-b0', 5_288_548],
  ['google/efficientnet-b1', 7_794_184],
  ['google/efficientnet-b2', 9_109_994],
  ['google/efficientnet-b3', 12_233_232],
  ['google/efficientnet-b4', 19_341_616],
  ['google/efficientnet-b5', 30_389_784],
  ['google/efficientnet-b6', 43_040_704],
  ['google/efficientnet-b7', 66_347_960],
]

const formulaFamilies: ReadonlySet<string> = new Set(['bert', 'roberta', 'xlm-roberta', 'distilbert', 'gpt2'])

describe('parameter counts', () => {
  test.each(published)('%s for %s has %d', (model, task, count) => {
    expect(footprintOf(model, { task }).parameterCount).toBe(count)
  })

  test.each(imageNet)('%s for 1,000 classes has %d', (model, count) => {
    expect(footprintOf(model, { labels: 1_000 }).parameterCount).toBe(count)
  })

  test.each(posers)('%s for one class has %d', (model, count) => {
    expect(footprintOf(model, { labels: 1 }).parameterCount).toBe(count)
  })

  test.each(classifiers)('%s for 1,000 classes has %d', (model, count) => {
    expect(footprintOf(model, { labels: 1_000 }).parameterCount).toBe(count)
  })

  test.each(detectors)('%s for 80 classes has %d', (model, count) => {
    expect(footprintOf(model, { labels: 80 }).parameterCount).toBe(count)
  })

  test('ResNet-50 for two classes has 998 rows of 2,048 weights and a bias less: 23,512,130', () => {
    expect(footprintOf('resnet', { labels: 2 }).parameterCount).toBe(23_512_130)
  })

  test.each(modelIds.filter(id => formulaFamilies.has(knownModel(id).family)))(
    '%s follows the formula of its family',
    id => {
      const { config } = knownModel(id)
      const task = 'sequence-classification'
      expect(footprintOf(id, { task, labels: 3 }).parameterCount).toBe(expectedCount(config))
    },
  )

  test.each([
    ['google/flan-t5-small', 76_961_152],
    ['google/flan-t5-base', 247_577_856],
    ['google/mt5-small', 300_176_768],
    ['google/mt5-base', 582_401_280],
  ])('%s has an output layer of its own before transformers 5, and %d parameters', (model, count) => {
    expect(footprintOf(model, { versions: { transformers: '4.57.6' } }).parameterCount).toBe(count)
    expect(footprintOf(model).parameterCount).toBeLessThan(count)
  })

  test('a tied language head adds no second table of words', () => {
    const headless = 124_439_808
    expect(footprintOf('gpt2', { task: 'causal-lm' }).parameterCount).toBe(headless)
    expect(footprintOf('gpt2', { task: 'sequence-classification', labels: 2 }).parameterCount).toBe(headless + 2 * 768)
  })

  test('more labels cost a row of the classifier each', () => {
    const count = (labels: number) => footprintOf('bert', { labels }).parameterCount
    expect(count(10) - count(2)).toBe(8 * (768 + 1))
  })

  test('the precision does not change the count', () => {
    expect(footprintOf('bert', { precision: 'bf16' }).parameterCount).toBe(109_483_778)
  })
})

/** Three labels; biases on every linear but GPT-2's `score`. */
function expectedCount(config: ReturnType<typeof knownModel>['config']): number {
  const linear = (from: number, to: number) => from * to + to
  const norm = (size: number) => 2 * size
  const layer = (h: number, i: number) => 4 * linear(h, h) + linear(h, i) + linear(i, h) + 2 * norm(h)
  switch (config.model_type) {
    case 'bert':
    case 'roberta':
    case 'xlm-roberta': {
      const h = config.hidden_size
      const tables = (config.vocab_size + config.max_position_embeddings + config.type_vocab_size) * h
      const head = linear(h, h) + linear(h, 3)
      return tables + norm(h) + config.num_hidden_layers * layer(h, config.intermediate_size) + head
    }
    case 'distilbert': {
      const h = config.dim
      const tables = (config.vocab_size + config.max_position_embeddings) * h
      return tables + norm(h) + config.n_layers * layer(h, config.hidden_dim) + linear(h, h) + linear(h, 3)
    }
    case 'gpt2': {
      const h = config.n_embd
      return (config.vocab_size + config.n_positions) * h + config.n_layer * layer(h, 4 * h) + norm(h) + 3 * h
    }
    default:
      throw new Error(`no formula for ${config.model_type}`)
  }
}
