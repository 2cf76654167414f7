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

test('an image that no sequence has room for is refused by name', () => {
  expect(() => adjusted(specOf(model), model, { imageSize: 1_024, sequenceLength: 1_024 }, flag)).toThrow(
    'an image of 1024×1024 pixels becomes 1369 tokens, more than the 1024 of a sequence',
  )
})
