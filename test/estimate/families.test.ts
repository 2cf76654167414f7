import { describe, expect, test } from 'vitest'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, knownModel } from './specs.ts'

const BATCH = 256

/** Activations at the peak, which at this batch starts the backward pass, per sample. */
function activationBytes(model: string, changes: Partial<TrainingSpec>, config?: Partial<ModelConfig>): number {
  const shape = { ...knownModel(model).config, ...config } as ModelConfig
  return footprintOf(model, changes, shape).peak(BATCH, 0).breakdown.activations / BATCH
}

describe('ViT', () => {
  const HIDDEN = 768
  const TOKENS = 197
  const STATISTICS_BYTES = 2 * 2 * 4
  /** Float32 for each of 12 heads; the memory-efficient kernel pads its rows to 32. */
  const LOG_SUM_EXP_BYTES = 4 * 12 * 224

  const layerBytes = (changes: Partial<TrainingSpec>) =>
    (activationBytes('google/vit-base-patch16-224', changes, { num_hidden_layers: 8 }) -
      activationBytes('google/vit-base-patch16-224', changes, { num_hidden_layers: 4 })) /
    4

  test.each(['training', 'forward-backward'] as const)('%s: 64 bytes per hidden unit, as it drops nothing', step => {
    expect(layerBytes({ step })).toBe(TOKENS * (64 * HIDDEN + STATISTICS_BYTES) + LOG_SUM_EXP_BYTES)
  })

  test('with gradient checkpointing a layer keeps its input alone', () => {
    expect(layerBytes({ gradientCheckpointing: true })).toBe(TOKENS * 4 * HIDDEN)
  })

  test('at 384 pixels resamples its positions: 577 tokens, the same parameters', () => {
    const tokens = 577
    const rows = 608
    expect(layerBytes({ imageSize: 384 })).toBe(tokens * (64 * HIDDEN + STATISTICS_BYTES) + 4 * 12 * rows)
    const count = (imageSize: number) => footprintOf('google/vit-base-patch16-224', { imageSize }).parameterCount
    expect(count(384)).toBe(count(224))
  })
})

describe('ConvNeXt', () => {
  test('keeps 48 bytes per channel and pixel of a block, and two statistics per pixel', () => {
    const [channels, pixels] = [384, 14 * 14]
    const withDepth = (depth: number) => activationBytes('facebook/convnext-tiny-224', {}, { depths: [3, 3, depth, 3] })
    expect((withDepth(13) - withDepth(9)) / 4).toBe(pixels * (48 * channels + 8))
  })
})

/** As timm counts them for 1,000 classes; a distilled DeiT has a token and a position more. */
const imageNet: readonly (readonly [model: string, count: number])[] = [
  ['google/vit-base-patch16-224', 86_567_656],
  ['google/vit-large-patch16-224', 304_326_632],
  ['facebook/deit-tiny-patch16-224', 5_717_416],
  ['facebook/deit-small-patch16-224', 22_050_664],
  ['facebook/deit-base-distilled-patch16-224', 86_567_656 + 2 * 768],
  ['facebook/dinov2-base', 86_580_480 + 1_000 * (2 * 768 + 1)],
  ['facebook/convnext-tiny-224', 28_589_128],
  ['facebook/convnext-small-224', 50_223_688],
  ['facebook/convnext-base-224', 88_591_464],
  ['facebook/convnext-large-224', 197_767_336],
]

describe('parameters for 1,000 classes', () => {
  test.each(imageNet)('%s has %d', (model, count) => {
    expect(footprintOf(model, { labels: 1_000 }).parameterCount).toBe(count)
  })
})

describe('Falcon', () => {
  test('7B has one key and value head; words and output layer share a table', () => {
    expect(footprintOf('tiiuae/falcon-7b').parameterCount).toBe(6_921_720_704)
  })

  test('40B has 8 of them and two norms a layer', () => {
    expect(footprintOf('tiiuae/falcon-40b').parameterCount).toBe(41_303_293_952)
  })

  test('7B keeps every score in float32, as no fused kernel broadcasts the one key head', () => {
    const [heads, tokens] = [71, 512]
    const bytes = (sequenceLength: number) =>
      activationBytes('tiiuae/falcon-7b', { precision: 'bf16', sequenceLength }, { num_hidden_layers: 1 })
    // What grows with the square of the length is the softmax alone: b·heads·s².
    expect(bytes(2 * tokens) - 2 * bytes(tokens)).toBe(4 * heads * 2 * tokens ** 2)
  })
})

describe('a mixture of experts', () => {
  const changes = { precision: 'bf16', sequenceLength: 512 } as const
  const TOKENS = 512

  test('keeps as much for twice the experts but their scores: every token goes through as many as before', () => {
    const bytes = (num_experts: number) =>
      activationBytes('Qwen/Qwen3-30B-A3B', changes, { num_hidden_layers: 1, num_experts } as Partial<ModelConfig>)
    expect(bytes(256) - bytes(128)).toBe(TOKENS * 128 * 4)
  })

  test('keeps four rows as wide as an expert and two of the hidden size for one more expert a token', () => {
    const [inner, hidden] = [768, 2_048]
    const bytes = (num_experts_per_tok: number) =>
      activationBytes('Qwen/Qwen3-30B-A3B', changes, {
        num_hidden_layers: 1,
        num_experts_per_tok,
      } as Partial<ModelConfig>)
    const rows = 2 * inner + inner + inner
    // Which experts, the rows' order for three gathers, and each row's weight.
    const indices = 8 + 3 * 8
    expect((bytes(9) - bytes(8)) / TOKENS).toBe(2 * (rows + 2 * hidden + 1) + indices)
  })
})

describe('experts that every token goes through', () => {
  const id = 'meta-llama/Llama-4-Scout-17B-16E'
  const [tokens, hidden, inner] = [512, 5_120, 8_192]
  const bytes = (num_local_experts: number, changes: Partial<TrainingSpec>) => {
    const { config } = knownModel(id)
    if (config.model_type !== 'llama4') throw new Error('not Llama 4')
    const text_config = { ...config.text_config, num_hidden_layers: 1, num_local_experts }
    return activationBytes(id, { precision: 'bf16', sequenceLength: tokens, ...changes }, { ...config, text_config })
  }
  const more = (changes: Partial<TrainingSpec>) => (bytes(20, changes) - bytes(16, changes)) / 4 / tokens
  const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
  const score = 4 + 2

  test('keep a row of every token for one more: its copy, the same times its score, four as wide as the expert', () => {
    expect(more({})).toBe(2 * (2 * hidden + 4 * inner) + score)
  })

  test('keep a score and nothing else for one more where torchtune takes the chosen rows alone', () => {
    expect(more({ expertStyle: 'torchtune' })).toBe(4)
  })

  test('keep the copy alone and three rows of the expert where they are frozen linear layers', () => {
    expect(more({ lora, expertStyle: 'axolotl-linear' })).toBe(2 * (hidden + 3 * inner) + score)
  })
})

describe('a checkpoint that sees images, trained on text', () => {
  const text = (config: ModelConfig) => {
    if (!('text_config' in config) || config.model_type !== 'gemma3') throw new Error('not Gemma 3')
    const {
      hidden_size: h,
      intermediate_size: i,
      num_hidden_layers: layers,
      vocab_size: vocabulary,
    } = config.text_config
    const attention = 2 * h * 8 * 256 + 2 * h * 4 * 256 + 2 * 256
    return vocabulary * h + layers * (attention + 3 * h * i + 4 * h) + h
  }

  test('holds all weights, and optimizer state of those that text reaches', () => {
    const { config } = knownModel('google/gemma-3-4b-it')
    const footprint = footprintOf('google/gemma-3-4b-it', { precision: 'bf16', sequenceLength: 16 })
    const { breakdown } = footprint.peak(1, 0)
    expect(footprint.parameterCount).toBe(4_300_079_472)
    expect(Math.abs(breakdown.weights - 2 * 4_300_079_472)).toBeLessThan(512 * 1_000)
    expect(Math.abs(breakdown.optimizerState - 4 * text(config))).toBeLessThan(512 * 1_000)
  })
})

describe('a tower that trains on what stands among the words', () => {
  const id = 'PaddlePaddle/PaddleOCR-VL-1.6'
  const text = 2 * 103_424 * 1_024 + 18 * (1_024 * 2_048 * 2 + 1_024 * 256 * 2 + 3 * 1_024 * 3_072 + 2 * 1_024) + 1_024
  const tower = 905_601_648 - text
  const changes = { precision: 'bf16', sequenceLength: 16, gradientAccumulation: 2 } as const
  const peakOf = (more: Partial<TrainingSpec>) => footprintOf(id, { ...changes, ...more }).peak(1, 0)

  test('has optimizer state and gradients beside its weights', () => {
    const [trained, idle] = [peakOf({ trainsTowers: true }), peakOf({})]
    const rounding = 512 * 1_500
    expect(Math.abs(trained.breakdown.optimizerState - idle.breakdown.optimizerState - 4 * tower)).toBeLessThan(
      rounding,
    )
    expect(Math.abs(trained.breakdown.gradients - idle.breakdown.gradients - 2 * tower)).toBeLessThan(rounding)
    expect(trained.breakdown.weights).toBe(idle.breakdown.weights)
  })
})

describe('a decoder that attends to images', () => {
  const id = 'meta-llama/Llama-3.2-11B-Vision-Instruct'
  const [tokens, heads, hidden, inner] = [4 * 1_608, 16, 1_280, 5_120]
  const withLayers = (num_hidden_layers: number, changes: Partial<TrainingSpec>) => {
    const { config } = knownModel(id)
    if (config.model_type !== 'mllama') throw new Error('not Llama 3.2 Vision')
    const vision_config = { ...config.vision_config, num_hidden_layers, intermediate_layers_indices: [0] }
    return activationBytes(id, { precision: 'bf16', sequenceLength: 16, ...changes }, { ...config, vision_config })
  }
  const layerBytes = (changes: Partial<TrainingSpec>) => (withLayers(10, changes) - withLayers(6, changes)) / 4

  test("a layer of an image's encoder keeps 16 bytes per hidden unit and 4 per unit of its feed-forward", () => {
    const statistics = 2 * 2 * 4 + 4 * heads
    const kept = tokens * (16 * hidden + 4 * inner + statistics)
    expect(layerBytes({ images: { tiles: 4, checkpointed: 'decoder' } })).toBe(kept)
    expect(layerBytes({ images: { tiles: 4, checkpointed: 'decoder' }, gradientCheckpointing: true })).toBe(kept)
  })

  test("its input alone where torchtune's gradient checkpointing reaches it", () => {
    const changes = { images: { tiles: 4, checkpointed: 'self-attention' }, gradientCheckpointing: true } as const
    expect(layerBytes(changes)).toBe(tokens * 2 * hidden)
  })

  test('nothing where there is none', () => {
    expect(layerBytes({})).toBe(0)
  })
})

describe('MOSS-VL', () => {
  const id = 'OpenMOSS-Team/MOSS-VL-Instruct-0708'
  const [hidden, inner, keys, words] = [4_096, 12_288, 1_024, 151_936]
  const layer = 2 * hidden * hidden + 2 * hidden * keys + 3 * hidden * inner + 2 * hidden + 2 * 128

  test('is 48 layers of Qwen 3 8B, twelve of them gated, behind a tower of 450 M and a merger of 418 M', () => {
    const [seen, between, merged] = [1_152, 4_304, 4 * 4_608]
    const block = 4 * seen * seen + 2 * seen * between + 5 * seen + between + 4 * seen
    const tower = 27 * block + 2_304 * seen + seen * (3 * 16 * 16 + 1)
    const merger = merged * merged + merged + merged * hidden + hidden + 4 * 2 * seen
    const text = 2 * words * hidden + 48 * layer + 12 * 2 + hidden
    expect(footprintOf(id).parameterCount).toBe(text + tower + merger + hidden)
  })

  test('passes over the gated layers where there is no image', () => {
    const changes = { precision: 'bf16', sequenceLength: 16, optimizer: 'sgd-momentum' } as const
    const stateOf = (images: TrainingSpec['images']) =>
      footprintOf(id, { ...changes, ...(images && { images }) }).peak(1, 0).breakdown.optimizerState
    const gated = stateOf({ tiles: 1, checkpointed: 'decoder' }) - stateOf(undefined)
    expect(Math.abs(gated - 12 * 2 * layer)).toBeLessThan(512 * 12 * 15)
  })
})

describe('T5', () => {
  /** transformers ties the words of encoder, decoder and output layer in every T5, FLAN-T5's among them. */
  test.each([
    ['google-t5/t5-small', 60_506_624],
    ['google-t5/t5-base', 222_903_552],
    ['google-t5/t5-large', 737_668_096],
  ] as const)('%s has %d parameters', (id, count) => {
    expect(footprintOf(id).parameterCount).toBe(count)
  })

  test('an encoder layer keeps 42 bytes per hidden unit and 9 per unit of its feed-forward; its bias is shared', () => {
    const [hidden, inner, heads, tokens] = [512, 2_048, 8, 512]
    const withLayers = (num_layers: number) =>
      activationBytes(
        'google-t5/t5-small',
        { sequenceLength: tokens, targetLength: 32 },
        { num_layers, num_decoder_layers: 2 },
      )
    // Beside them, the log-sum-exp of every head and a reciprocal deviation of each of two norms.
    const perToken = 42 * hidden + 9 * inner + 4 * heads + 2 * 4
    expect((withLayers(10) - withLayers(6)) / 4).toBe(tokens * perToken)
  })

  test('a shorter target costs the logits in proportion', () => {
    const logits = (targetLength: number) =>
      footprintOf('google-t5/t5-small', { sequenceLength: 512, targetLength, loop: 'trainer' }).peak(8, 0).breakdown
        .logits
    expect(logits(512)).toBe(4 * logits(128))
  })
})

describe('LFM2', () => {
  test('a convolution keeps both gates, its input and its result: 28 bytes per hidden unit with norms, 8 per feed-forward unit', () => {
    const [tokens, hidden, inner, kernel] = [512, 1_024, 4_608, 3]
    const withLayers = (count: number) =>
      activationBytes('LiquidAI/LFM2-350M', { precision: 'bf16', sequenceLength: tokens }, { num_hidden_layers: count })
    const perToken = 28 * hidden + 8 * inner + 2 * 4
    expect((withLayers(20) - withLayers(16)) / 4).toBe(tokens * perToken + (kernel - 1) * 2 * hidden)
  })
})

describe('adapters named for experts', () => {
  const added = (model: string, targets: string[]) => {
    const adapted = footprintOf(model, { lora: { rank: 16, targets, dropout: 0 } })
    return adapted.parameterCount - footprintOf(model).parameterCount
  }

  test('are on the matrices of all experts of Qwen 3, with both ranks on gate and up', () => {
    const [layers, experts, hidden, inner] = [48, 128, 2_048, 768]
    const up = 32 * experts * (hidden + 2 * inner)
    const down = 16 * experts * (inner + hidden)
    expect(added('Qwen/Qwen3-30B-A3B', ['gate_proj', 'up_proj', 'down_proj'])).toBe(layers * (up + down))
  })

  test('are on linear layers alone where peft does not rename them', () => {
    const [layers, hidden, shared] = [24, 2_048, 5_632]
    expect(added('Qwen/Qwen1.5-MoE-A2.7B', ['down_proj'])).toBe(layers * 16 * (shared + hidden))
  })
})

describe("DeepSeek V3.2's indexer", () => {
  test('has a query for every head, one key, its norm and a weight a head in each of 61 layers', () => {
    const [layers, hidden, rank, heads, size] = [61, 7_168, 1_536, 64, 128]
    const indexer = rank * heads * size + hidden * size + 2 * size + hidden * heads
    const count = (model: string) => footprintOf(model).parameterCount
    expect(count('deepseek-ai/DeepSeek-V3.2') - count('deepseek-ai/DeepSeek-V3')).toBe(layers * indexer)
  })

  test("is in 21 of GLM-5.2's 78 layers; the others see what the last one chose", () => {
    const [hidden, rank, heads, size] = [6_144, 2_048, 32, 128]
    const indexer = rank * heads * size + hidden * size + 2 * size + hidden * heads
    const count = (changed: object) => {
      const config = { ...knownModel('zai-org/GLM-5.2').config, ...changed } as ModelConfig
      return footprintOf('zai-org/GLM-5.2', {}, config).parameterCount
    }
    const all = count({ index_topk_freq: 1 })
    expect(all - count({})).toBe((78 - 21) * indexer)
    expect(all - count({ index_topk_pattern: `F${'S'.repeat(77)}` })).toBe(77 * indexer)
    expect(all - count({ indexer_types: ['full', ...Array(77).fill('shared')] })).toBe(77 * indexer)
  })

  test('does not train: no gradient reaches what it chooses', () => {
    const sgd = { precision: 'bf16', optimizer: 'sgd', sequenceLength: 8 } as const
    const weightsAndGradients = (model: string) => {
      const config = { ...knownModel(model).config, num_hidden_layers: 1, first_k_dense_replace: 1 } as ModelConfig
      const { breakdown } = footprintOf(model, sgd, config).peak(1, 0)
      return [breakdown.weights, breakdown.gradients]
    }
    const [weights = 0, gradients = 0] = weightsAndGradients('deepseek-ai/DeepSeek-V3.2')
    const [weightsOf3 = 0, gradientsOf3 = 0] = weightsAndGradients('deepseek-ai/DeepSeek-V3')
    expect(weights).toBeGreaterThan(weightsOf3)
    expect(gradients).toBe(gradientsOf3)
  })
})

test('OPT drops out by a function, which stays where a training disables its modules of dropout', () => {
  const masks = (dropout: boolean, probability: number) => {
    const config = modelConfig.parse({ ...knownModel('facebook/opt-1.3b').config, dropout: probability })
    const spec = { precision: 'bf16', loop: 'trainer', optimizer: 'sgd', sequenceLength: 512, dropout } as const
    return footprintOf('facebook/opt-1.3b', spec, config).peak(4, 0).bytes
  }
  // A byte for each element of attention's and the feed-forward's results, in 24 layers.
  expect(masks(false, 0.1) - masks(false, 0)).toBe(24 * 2 * 4 * 512 * 2048)
  expect(masks(true, 0.1)).toBe(masks(false, 0.1))
})
