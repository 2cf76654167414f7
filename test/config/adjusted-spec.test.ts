import { expect, test } from 'vitest'
import { adjusted, specOf } from '../../engine/config/adjusted-spec.ts'
import { knownModel } from '../estimate/specs.ts'

const model = knownModel('Qwen/Qwen2.5-VL-3B-Instruct')
const flag = (field: string) => `--${field}`

test('an image size is that of one image in every sample of a vision-language model', () => {
  const spec = adjusted(specOf(model), model, { imageSize: 512, sequenceLength: 1_024 }, flag)
  expect(spec.images).toEqual({ tiles: 1, checkpointed: 'decoder', height: 504, width: 504 })
  expect(spec.imageSize).toBeUndefined()
})

test('another precision takes the place of a written one together with its float16', () => {
  const spec = { ...specOf(model), precision: 'bf16', inFloat16: true } as const
  expect(adjusted(spec, model, { microBatch: 2 }, flag).inFloat16).toBe(true)
  expect(adjusted(spec, model, { precision: 'bf16' }, flag).inFloat16).toBeUndefined()
  expect(adjusted(spec, model, { precision: 'bf16', inFloat16: true }, flag).inFloat16).toBe(true)
})

test('with frames, it is that of the frames of a video, of which two are seen as one image', () => {
  const changes = { imageSize: 448, videoFrames: 15, sequenceLength: 4_096 }
  expect(adjusted(specOf(model), model, changes, flag)).toMatchObject({
    videoFrames: 15,
    images: { tiles: 8, height: 448, width: 448 },
  })
})

test('frames of no size, and of a model whose videos are not modelled, are refused', () => {
  expect(() => adjusted(specOf(model), model, { videoFrames: 16 }, flag)).toThrow('Write --imageSize too.')
  const llava = knownModel('llava-hf/llava-1.5-7b-hf')
  expect(() => adjusted(specOf(llava), llava, { imageSize: 336, videoFrames: 16 }, flag)).toThrow(
    'videos are not modelled',
  )
})

test('an image that no sequence has room for is refused by name', () => {
  expect(() => adjusted(specOf(model), model, { imageSize: 1_024, sequenceLength: 1_024 }, flag)).toThrow(
    'one image of 1024×1024 pixels becomes 1369 tokens, more than the 1024 of a sequence',
  )
})
