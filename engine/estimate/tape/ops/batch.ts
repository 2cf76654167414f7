/** The batch that a step reads. */
import type { Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function pixels(tape: Tape, y: number, x: number): Tensor {
  if (tape.spec.images === undefined) return tape.tensor([3, y, x], tape.weightDtype, [])
  tape.batchPixels ??= tape.batchTensor([3, y, x], tape.weightDtype)
  // transformers enable_input_require_grads: the output of every part that embeds an input requires gradients.
  const { lora, gradientCheckpointing } = tape.spec
  return { ...tape.batchPixels, requiresGrad: lora !== undefined && gradientCheckpointing && tape.training }
}

export function input(tape: Tape): Tensor {
  const tokens = tape.pass?.sequences?.tokens
  return tokens === undefined ? tape.batchInput : tape.tensor([tokens], 'int64', [])
}

export function shiftedLabels(tape: Tape): Tensor {
  if (!tape.training) return tape.labels
  const shifted = tape.tensor(tape.labels.shape, 'int64', [])
  tape.record('shift', { reads: [tape.labels], outputs: [shifted] })
  return shifted
}
