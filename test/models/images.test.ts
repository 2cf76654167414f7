import { expect, test } from 'vitest'
import { imageOfSample, videoOfSample } from '../../engine/models/architecture.ts'
import { scaledByPixels, tilesOfClosestShape, tilesOfScaled } from '../../engine/models/vision/image-scaling.ts'
import { footprintOf, knownModel } from '../estimate/specs.ts'

// What smart_resize of transformers 5.18 gives.
test.each([
  [28, [768, 768], [756, 756]],
  [28, [1_080, 1_920], [1_092, 1_932]],
  [28, [40, 30], [84, 56]],
  [28, [6_000, 4_000], [4_368, 2_912]],
  [28, [70, 70], [56, 56]],
  [28, [5, 900], [28, 756]],
])('to multiples of %i, %j pixels are scaled to %j', (factor, [height = 0, width = 0], scaled) => {
  const { height: rows, width: columns } = scaledByPixels({ height, width }, factor, { least: 3_136, most: 12_845_056 })
  expect([rows, columns]).toEqual(scaled)
})

// What SmolVLM's and Idefics 3's processors of transformers 5.18 give, without the tile of the whole image.
test.each([
  [384, [512, 512], 16],
  [384, [1_024, 768], 12],
  [384, [480, 640], 12],
  [364, [333, 1_000], 8],
  [384, [2_000, 500], 4],
  [384, [100, 700], 4],
  [364, [701, 700], 16],
  [512, [1_200, 631], 12],
  [512, [5, 900], 4],
])('in tiles of %i pixels, an image of %j pixels takes %i', (side, [height = 0, width = 0], tiles) => {
  expect(tilesOfScaled({ height, width }, side, 4)).toBe(tiles)
})

// What InternVL's processor of transformers 5.18 gives, without the tile of the whole image.
test.each([
  [[224, 224], 1],
  [[448, 448], 1],
  [[640, 480], 12],
  [[768, 768], 4],
  [[1_024, 1_024], 9],
  [[1_080, 1_920], 8],
  [[333, 1_000], 3],
  [[5, 900], 12],
])('an image of %j pixels is cut into %i tiles of the closest shape', ([height = 0, width = 0], tiles) => {
  expect(tilesOfClosestShape({ height, width }, { height: 448, width: 448 }, 12)).toBe(tiles)
})

test.each([
  ['Qwen/Qwen2-VL-2B-Instruct', 768, 729],
  ['Qwen/Qwen2.5-VL-7B-Instruct', 1_024, 1_369],
  ['Qwen/Qwen3-VL-4B-Instruct', 1_024, 1_024],
  ['llava-hf/llava-1.5-7b-hf', 1_024, 576],
  ['google/gemma-3-4b-it', 1_024, 256],
  ['google/paligemma-3b-pt-448', 640, 1_024],
  ['google/paligemma2-3b-pt-224', 640, 256],
  ['llava-hf/llava-v1.6-mistral-7b-hf', 336, 1_176],
  ['llava-hf/llava-v1.6-mistral-7b-hf', 1_024, 2_928],
  ['llava-hf/llava-onevision-qwen2-0.5b-ov-hf', 384, 1_485],
  ['llava-hf/llava-onevision-qwen2-0.5b-ov-hf', 1_152, 7_371],
  // Scaled down to nine tiles, which rounding cuts to 80 rows and columns.
  ['llava-hf/llava-onevision-qwen2-0.5b-ov-hf', 1_800, 7_209],
  // 17 tiles of 81 tokens.
  ['HuggingFaceTB/SmolVLM2-2.2B-Instruct', 1_024, 1_377],
  // As many of 64.
  ['HuggingFaceTB/SmolVLM2-500M-Video-Instruct', 1_024, 1_088],
  // 36 rows of as many tokens, each ended by one more; of 28 × 28 pixels, and in Pixtral of 16 × 16.
  ['mistralai/Ministral-3-3B-Instruct-2512', 1_000, 1_332],
  ['mistralai/Ministral-3-3B-Instruct-2512', 3_000, 3_080],
  ['mistral-community/pixtral-12b', 1_000, 4_032],
  // A tile of 256 tokens, or nine of them and the whole image.
  ['OpenGVLab/InternVL3_5-8B-HF', 448, 256],
  ['OpenGVLab/InternVL3_5-8B-HF', 1_024, 2_560],
])('%s has for an image of %i pixels a side %i tokens', (name, side, tokens) => {
  expect(imageOfSample(knownModel(name).config, { height: side, width: side })?.tokens).toBe(tokens)
})

test.each([
  'Qwen/Qwen2-VL-2B-Instruct',
  'Qwen/Qwen2.5-VL-3B-Instruct',
  'Qwen/Qwen3-VL-2B-Instruct',
  'llava-hf/llava-1.5-7b-hf',
  'google/gemma-3-4b-it',
  'google/paligemma2-3b-pt-448',
  'llava-hf/llava-v1.6-mistral-7b-hf',
  'llava-hf/llava-onevision-qwen2-0.5b-ov-hf',
  'HuggingFaceTB/SmolVLM2-2.2B-Instruct',
  'HuggingFaceTB/SmolVLM-Instruct',
  'OpenGVLab/InternVL3_5-8B-HF',
  'mistralai/Ministral-3-3B-Instruct-2512',
  'mistral-community/pixtral-12b',
])('%s has the same parameters with and without images', name => {
  const { images } = imageOfSample(knownModel(name).config, { height: 336, width: 336 }) ?? {}
  expect(images).toBeDefined()
  const seeing = footprintOf(name, { sequenceLength: 4_096, ...(images && { images }) })
  expect(seeing.parameterCount).toBe(footprintOf(name).parameterCount)
})

// What LLaVA-NeXT's processor of transformers 5.18 gives.
test.each([
  [[300, 600], 3, 1_752],
  [[600, 800], 5, 2_340],
  [[1_080, 1_920], 5, 1_948],
  [[200, 1_000], 4, 1_598],
  [[37, 41], 3, 1_224],
])(
  'LLaVA-NeXT sees an image of %j pixels in %i tiles and leaves its padding out of %i tokens',
  (size, tiles, tokens) => {
    const [height = 0, width = 0] = size
    const seen = imageOfSample(knownModel('llava-hf/llava-v1.6-mistral-7b-hf').config, { height, width })
    expect(seen).toEqual({ images: { tiles, height, width, checkpointed: 'decoder' }, tokens })
  },
)

// What Pixtral's processor of transformers 5.18 gives.
test.each([
  ['mistral-community/pixtral-12b', [1_080, 1_920], [576, 1_024]],
  ['mistral-community/pixtral-12b', [333, 1_000], [336, 1_008]],
  ['mistral-community/pixtral-12b', [5, 3_000], [16, 1_024]],
  ['mistralai/Mistral-Small-3.1-24B-Instruct-2503', [1_080, 1_920], [868, 1_540]],
  ['mistralai/Mistral-Small-3.1-24B-Instruct-2503', [640, 480], [644, 504]],
])('%s scales an image of %j pixels to %j', (name, [height = 0, width = 0], scaled) => {
  const { images } = imageOfSample(knownModel(name).config, { height, width }) ?? {}
  expect([images?.height, images?.width]).toEqual(scaled)
})

// What the video processors of transformers 5.18 give: of Qwen 2.5 frame by frame, of Qwen 3 for all frames together.
test.each([
  ['Qwen/Qwen2.5-VL-3B-Instruct', 32, [720, 1_280], [560, 1_008]],
  ['Qwen/Qwen2.5-VL-3B-Instruct', 32, [240, 320], [280, 392]],
  ['Qwen/Qwen3-VL-2B-Instruct', 16, [720, 1_280], [704, 1_280]],
  ['Qwen/Qwen3-VL-2B-Instruct', 64, [720, 1_280], [448, 832]],
])('%s scales a video of %i frames of %j pixels to %j', (name, frames, [height = 0, width = 0], scaled) => {
  const { images } = videoOfSample(knownModel(name).config, { height, width }, frames) ?? {}
  expect([images?.tiles, images?.height, images?.width]).toEqual([frames / 2, ...scaled])
})

test('of a model that reads text alone, no image is counted', () => {
  expect(imageOfSample(knownModel('Qwen/Qwen2.5-0.5B').config, { height: 224, width: 224 })).toBeUndefined()
})
