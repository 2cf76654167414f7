/**
 * Axolotl's masked diffusion (integrations/diffusion/trainer.py _compute_diffusion_loss): attention is bidirectional, and the
 * logits, shifted by one position, are selected at the masked tokens. Their number is random in every step, so all are counted.
 */

import type { ModelConfig } from '../../models/architecture.ts'
import { made } from '../tape/autograd.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import { elements, markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'

export function maskedDiffusionLoss(tape: Tape, config: ModelConfig): Tensor {
  const lowered = markLogits(tape.underAutocast(() => forward(tape, config, tape.spec)))
  // accelerate returns outputs in float32 under mixed precision.
  const logits = markLogits(cast(tape, lowered, 'float32'))
  const moved = movedByOne(tape, logits)
  const picked = markLogits(tape.tensor(moved.shape, moved.dtype, [moved]))
  const indices = [0, 1].map(() => tape.storage(tape.labels.shape[0] ?? 0, 'int64', true))
  tape.record('index', { reads: [moved], outputs: [picked], saved: indices, gradients: [made(moved)] })
  const kept = markLogits(elementwise(tape, 'log_softmax', picked, { savesOutput: true }))
  const loss = tape.tensor([], 'float32', [kept], { batched: false })
  tape.record('nll_loss', { reads: [kept], outputs: [loss], saves: [kept], gradients: [made(kept)] })
  tape.record('return', { reads: [logits, moved, picked], outputs: [] })
  return loss
}

/** `cat` of the first position and of all but the last: each is a slice, whose gradient is as large as the whole. */
function movedByOne(tape: Tape, logits: Tensor): Tensor {
  const slices = [0, 1].map((): Tensor => ({ ...logits, edge: tape.newEdge() }))
  for (const slice of slices) tape.record('slice', { reads: [logits], outputs: [slice], gradients: [made(logits)] })
  const moved = markLogits(tape.tensor([elements(logits)], logits.dtype, slices))
  tape.record('cat', { reads: slices, outputs: [moved], gradients: slices.map(to => ({ to, passes: true })) })
  return { ...moved, shape: logits.shape }
}
