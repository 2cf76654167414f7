import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/config/spec.ts'
import { footprintOf } from './specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'

function weightBytes(changes: Partial<TrainingSpec>): number {
  const spec: Partial<TrainingSpec> = { precision: 'bf16', loop: 'trainer', sharding: 'fsdp', ...changes }
  const { breakdown } = footprintOf(MODEL, spec).peak(1, 0)
  return breakdown.weights + breakdown.temporaries
}

/** The embedding and the last norm, and two blocks: the one that runs and the next. */
const GATHERED = 2 * (49_152 * 576 + 576) + 2 * 2 * (576 * (576 + 2 * 192 + 576 + 3 * 1_536) + 2 * 576)

test('offloaded weights are gathered block by block, on one GPU as on several', () => {
  for (const gpus of [1, 8]) {
    const bytes = weightBytes({ gpus, offload: 'optimizer-and-weights' })
    expect(bytes).toBeGreaterThanOrEqual(GATHERED)
    expect(bytes).toBeLessThan(2 * GATHERED)
  }
})
