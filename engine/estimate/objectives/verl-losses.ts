/**
 * verl 0.7's losses on a model's logits, which outweigh everything else: trainer/fsdp_sft_trainer.py, and the actor's in
 * workers/actor/dp_actor.py with utils/torch_functional.py. Compared with PyTorch's trace of the same computations (probes/worker).
 */
import type { ModelConfig } from '../../models/architecture.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import { made } from '../tape/autograd.ts'
import { shiftedCopy } from '../tape/kernels/composed-ops.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import { lastSize, markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'

/**
 * The trainer's variables hold the logits and their shifted copy through the backward pass; autocast takes the loss in float32.
 * Where GPUs share a sequence, the labels are shifted in place of the logits.
 */
export function verlFineTuning(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const logits = markLogits(tape.underAutocast(() => forward(tape, config, spec)))
  const shifted = spec.contextParallel === undefined ? shiftedCopy(tape, logits) : logits
  const kept = markLogits(elementwise(tape, 'log_softmax', cast(tape, shifted, 'float32'), { savesOutput: true }))
  const perToken = tape.tensor(kept.shape.slice(0, -1), kept.dtype, [kept])
  tape.record('nll_loss', { reads: [kept], outputs: [perToken], saves: [kept], gradients: [made(kept)] })
  return { loss: summed(tape, [perToken]), held: [logits.storage, shifted.storage] }
}

type Method = Extract<TrainingMethod, { kind: 'online' }>

/** The reference's weights wait on the host, and its passes take less than the policy's own, which also compute entropies. */
export function verlActor(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  { scored, ...method }: Method,
): Objective {
  const tokens = spec.sequenceLength ?? method.completionLength
  const before = tape.beforehand(() => {
    if (scored === undefined) return
    tape.withoutGradients({ of: 'policy', sequences: { count: scored, tokens, logitsOf: tokens } }, () => {
      const logits = markLogits(forward(tape, config, spec))
      if (tape.isPadded) entropies(tape, logits, method.completionLength)
      else tape.record('return', { reads: [logits], outputs: [] })
    })
  })
  const logits = markLogits(tape.underAutocast(() => forward(tape, config, spec)))
  const scores = crossEntropyInPlace(tape, answered(tape, logits, method.completionLength))
  return { loss: summed(tape, [scores]), held: [], before }
}

/**
 * Divided by the temperature in place. Without padding that is a view of the model's output, whose gradient autograd's CopySlices
 * copies twice; with padding, the responses' logits are then cut out and copied.
 */
function answered(tape: Tape, logits: Tensor, completionLength: number): Tensor {
  const divided = { ...logits, edge: tape.newEdge() }
  const backwardScratch = tape.isPadded ? [] : [tape.like(logits, 'logits'), tape.like(logits, 'logits')]
  tape.record('div_', { reads: [logits], outputs: [divided], gradients: [made(logits)], backwardScratch })
  if (!tape.isPadded) return divided
  const view = { ...divided, shape: [completionLength, lastSize(logits)], edge: tape.newEdge() }
  tape.record('slice', { reads: [divided], outputs: [view], gradients: [made(divided)] })
  return markLogits(elementwise(tape, 'clone', view))
}

/** flash-attn ops/triton/cross_entropy.py: the first of the backward pass, it writes the gradient over the logits that it kept. */
function crossEntropyInPlace(tape: Tape, logits: Tensor): Tensor {
  const output = tape.tensor(logits.shape.slice(0, -1), 'float32', [logits])
  tape.record('cross_entropy', { reads: [logits], outputs: [output], gradients: [made(logits)] })
  return output
}

/** torch_functional.py entropy_from_logits, which nothing compiles where sequences are padded: float32 probabilities and products. */
function entropies(tape: Tape, logits: Tensor, completionLength: number): void {
  const wide = () => tape.storage(completionLength * lastSize(logits), 'float32', true, 'logits')
  tape.record('entropy', { reads: [logits], outputs: [], scratch: [wide(), wide()] })
}
