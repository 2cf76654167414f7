/** torchtune's GRPO and PPO against PyTorch's trace of the passes of its recipes (dev/grpo_full_finetune_distributed.py, ppo_full_finetune_single_device.py). */
import { describe, expect, test } from 'vitest'
import { beyondTorch } from '../../../engine/estimate/error-band.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import type { TrainingMethod } from '../../../engine/training/training-method.ts'
import { footprintOf, specOf } from '../specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'
const PARAMETERS = 134_515_008

type Trajectories = Extract<TrainingMethod, { kind: 'rollouts' }>

function trajectories(changes: Partial<Trajectories>): Partial<TrainingSpec> {
  const recipe = { precision: 'bf16', gradientCheckpointing: true, loop: 'trainer', paddedBatches: true } as const
  const method = {
    completionLength: 256,
    perPrompt: 1,
    generated: 1,
    collected: 4,
    withCritic: false,
    accumulates: false,
  }
  return { ...recipe, sequenceLength: 512, method: { kind: 'rollouts', ...method, ...changes } }
}

describe('trajectories of torchtune', () => {
  test.each([
    ['16 answers to a prompt', trajectories({ perPrompt: 16 }), 1, 3_867_906_048],
    ['four answers to two prompts', trajectories({ perPrompt: 4, generated: 2 }), 2, 2_497_294_336],
    ['PPO', trajectories({ withCritic: true, generated: 4 }), 4, 3_228_654_592],
    [
      'PPO on short answers',
      trajectories({ withCritic: true, generated: 16, completionLength: 64 }),
      16,
      5_162_835_968,
    ],
  ] as const)('of %s take what the trace says, within 2.1 %%', (_, changes, batch, bytes) => {
    expect(Math.abs(footprintOf(MODEL, changes).peak(batch, 0).bytes / bytes - 1)).toBeLessThan(0.021)
  })

  test('PPO holds four models, and trains two of them', () => {
    const grpo = footprintOf(MODEL, trajectories({})).peak(1, 0).breakdown
    const ppo = footprintOf(MODEL, trajectories({ withCritic: true })).peak(1, 0).breakdown
    // A head of one number a token takes the place of the output layer, which shares the embedding here.
    expect(ppo.weights / grpo.weights).toBeCloseTo(2, 3)
    expect(grpo.weights).toBeGreaterThan(2 * 2 * PARAMETERS)
    expect(ppo.optimizerState / grpo.optimizerState).toBeCloseTo(2, 3)
  })

  test('are nothing that the Python worker runs', () => {
    expect(beyondTorch(specOf(MODEL, trajectories({})))).toBe("torchtune's GRPO and PPO recipes")
  })
})
