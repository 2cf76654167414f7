import { expect, it } from 'vitest'
import { footprintOf } from '../../specs.ts'

/** Gate, up and down projection of 768·2048 each, for 128 experts in 48 layers. */
const EXPERT_PARAMETERS = 48 * 128 * 3 * 768 * 2048

it('experts on the host leave their weights, what they compute and its gradients there', () => {
  const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
  const base = { microBatch: 1, sequenceLength: 256, precision: 'bf16', loop: 'trainer', lora } as const
  const [here, there] = [{}, { expertStyle: 'ktransformers' }] as const
  const [whole, rest] = [here, there].map(
    where => footprintOf('Qwen/Qwen3-30B-A3B', { ...base, ...where }).peak(1, 0).breakdown,
  )
  expect((whole?.weights ?? 0) - (rest?.weights ?? 0)).toBe(2 * EXPERT_PARAMETERS)
  expect(rest?.activations).toBeLessThan((whole?.activations ?? 0) / 2)
})
