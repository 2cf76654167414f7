import { expect, it } from 'vitest'
import type { Quantization } from '../../../../engine/training/choices.ts'
import { footprintOf } from '../../specs.ts'

const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
const base = { microBatch: 1, sequenceLength: 64, precision: 'bf16', loop: 'trainer', lora } as const
const weightsOf = (changes: object) =>
  footprintOf('meta-llama/Llama-3.1-8B', { ...base, ...changes }).peak(1, 0).breakdown.weights

/** Linear weights of a block: 4096² twice, 4096·1024 twice, 4096·14336 three times. */
const LINEAR = 32 * (2 * 4096 ** 2 + 2 * 4096 * 1024 + 3 * 4096 * 14_336)
/** Inputs of those layers: six times 4,096 and once 14,336. */
const INPUTS = 32 * (6 * 4096 + 14_336)

it('4-bit integers take half a byte, and 2.5 bytes of constants for every 128', () => {
  expect(weightsOf({}) - weightsOf({ quantization: 'awq' })).toBe(2 * LINEAR - LINEAR / 2 - (LINEAR / 128) * 2.5)
  expect(weightsOf({ quantization: 'gptq' }) - weightsOf({ quantization: 'awq' })).toBe(4 * INPUTS)
})

it("AQLM's codes take a quarter of a byte, beside a MiB of codebook a matrix and a scale an output", () => {
  const constants = 32 * (7 * 1024 ** 2 + 2 * (2 * 4096 + 2 * 1024 + 2 * 14_336 + 4096))
  expect(weightsOf({}) - weightsOf({ quantization: 'aqlm' })).toBe(2 * LINEAR - LINEAR / 4 - constants)
})

it('AQLM keeps the input of every product, as nf4 does not', () => {
  const kept = (quantization: Quantization, microBatch: number) =>
    footprintOf('meta-llama/Llama-3.1-8B', { ...base, quantization }).peak(microBatch, 0).breakdown.activations
  const grows = (quantization: Quantization) => kept(quantization, 9) - kept(quantization, 8)
  expect(grows('aqlm')).toBeGreaterThan(grows('nf4'))
})
