import { describe, expect, it } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const name = 'Qwen/Qwen2-VL-2B-Instruct'
const image = { images: { tiles: 1, checkpointed: 'decoder', height: 448, width: 448 } } as const
const base = { sequenceLength: 1_024, precision: 'bf16', loop: 'trainer' } as const
const lora = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 }
const frozenTower = { names: [String.raw`model\.language_model\.`], inputGradients: false }

function activations(changes: Partial<TrainingSpec>): number {
  return footprintOf(name, { ...base, ...changes }).peak(1, 0).breakdown.activations
}

describe('a vision-language model', () => {
  it('keeps activations of a tower that trains', () => {
    expect(activations({ optimizer: 'sgd', ...image })).toBeGreaterThan(activations({ optimizer: 'sgd' }) * 1.2)
  })

  it('keeps none of a frozen tower that no gradient flows through', () => {
    const text = activations({ lora, trainable: frozenTower })
    // The mask of the image's words, and the words themselves, which the first block's norm reads anyway.
    expect(activations({ lora, trainable: frozenTower, ...image }) - text).toBeLessThan(4_000_000)
  })

  it('keeps a tower’s blocks’ inputs where checkpointing lets gradients flow through it all the same', () => {
    const whole = activations({ lora, gradientCheckpointing: true, ...image })
    const frozen = activations({ lora, trainable: frozenTower, gradientCheckpointing: true, ...image })
    const blocks = 32 * 32 * 32 * 1_280 * 2
    expect(whole - frozen).toBeGreaterThan(0.9 * blocks)
  })

  it('needs as much for two images of a sample as for one of twice the pixels, but for attention', () => {
    const two = activations({ optimizer: 'sgd', images: { ...image.images, tiles: 2 } })
    const large = activations({ optimizer: 'sgd', images: { ...image.images, height: 896 } })
    expect(Math.abs(two / large - 1)).toBeLessThan(0.01)
  })

  it('whose tower joins the images of a batch keeps a mask that grows with its square, and refuses eager attention', () => {
    const pixtral = 'mistralai/Ministral-3-3B-Instruct-2512'
    const images = { tiles: 1, checkpointed: 'decoder', height: 784, width: 784 } as const
    const footprint = footprintOf(pixtral, { ...base, optimizer: 'sgd', images })
    const [four = 0, eight = 0, sixteen = 0] = [4, 8, 16].map(batch => footprint.peak(batch, 0).breakdown.activations)
    // b² masks of 56² patches in bfloat16: 24 masks a sample from eight samples to sixteen, 12 from four to eight.
    const masks = ((sixteen - eight) / 8 - (eight - four) / 4) / (56 ** 4 * 2)
    expect(masks).toBeCloseTo(12)
    const flash = footprintOf(pixtral, { ...base, attention: 'flash', optimizer: 'sgd', images })
    expect(flash.peak(16, 0).breakdown.activations).toBe(sixteen - 16 ** 2 * 56 ** 4 * 2)
    expect(() => footprintOf(pixtral, { ...base, attention: 'eager', images })).toThrow('eager attention')
  })

  it('has as many weights with images as without', () => {
    const weights = (changes: Partial<TrainingSpec>) =>
      footprintOf(name, { ...base, ...changes }).peak(1, 0).breakdown.weights
    expect(weights(image)).toBe(weights({}))
  })
})
