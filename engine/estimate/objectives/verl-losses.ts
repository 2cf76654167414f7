/**
 * verl 0.7's losses on a model's logits, which outweigh everything else: trainer/fsdp_sft_trainer.py, and the actor's in
 * workers/actor/dp_actor.py with utils/torch_functional.py. Compared with PyTorch's trace of the same computations (probes/worker).
 */
import type { ModelConfig } from '../../models/architecture.ts'
import { shardingGroup } from '../../training/batches.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import { made } from '../tape/autograd.ts'
import { shiftedCopy } from '../tape/kernels/composed-ops.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import { softmax } from '../tape/ops/softmax.ts'
import { countOf } from '../tape/repetition.ts'
import { bytesPerElement, elements, lastSize, markLogits, type Storage, type Tensor } from '../tape/storage.ts'
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
    const sequences = { count: scored, isCountFixed: true, tokens, logitsOf: tokens }
    tape.withoutGradients({ of: 'policy', sequences }, () => {
      const logits = markLogits(forward(tape, config, spec))
      const answers = tape.isPadded ? answersIn(tape, logits, method.completionLength) : logits
      if (isEager(tape, method)) eagerEntropies(tape, answers)
      else tape.record('return', { reads: [logits], outputs: [] })
    })
  })
  const logits = dividedInPlace(tape, markLogits(tape.underAutocast(() => forward(tape, config, spec))))
  const answers = tape.isPadded ? answersIn(tape, logits, method.completionLength) : logits
  const first = method.entropies === 'always' ? entropies(tape, answers, method) : undefined
  const scores = logProbabilities(tape, answers, method)
  const computed = first ?? entropies(tape, answers, method)
  holdCritic(tape, spec, method.criticHolds ?? [])
  const loss = summed(tape, computed?.perToken.requiresGrad ? [scores, computed.perToken] : [scores])
  // update_policy's variables hold entropies that are only logged, and with them what autograd keeps for a pass that never comes.
  return { loss, held: [], before, ...(method.entropies === 'logged' && { outputs: computed?.kept ?? [] }) }
}

/**
 * workers/fsdp_workers.py CriticWorker: the model with one number a token in place of the logits, and AdamW's two moments, in the
 * type of the actor's shards, divided as they are. Its gradients are gone once it is updated.
 */
function holdCritic(tape: Tape, spec: TrainingSpec, holds: NonNullable<Method['criticHolds']>): void {
  const copies = (holds.includes('weights') ? 1 : 0) + (holds.includes('optimizerState') ? 2 : 0)
  if (copies === 0) return
  let numbers = 0
  for (const [name, parameter] of tape.parameters)
    if (!name.startsWith(OUTPUT_LAYER)) numbers += countOf(parameter.storage.turn) * elements(parameter)
  const bytes = numbers * bytesPerElement[spec.precision === 'bf16' ? 'bfloat16' : 'float32']
  tape.wholeBuffers.push(tape.persistent(Math.ceil((copies * bytes) / shardingGroup(spec))))
}

/** Of its own where it is not tied to the embeddings. */
const OUTPUT_LAYER = 'lm_head.'

/** By the temperature. Without padding that is a view of the model's output, whose gradient autograd's CopySlices copies twice. */
function dividedInPlace(tape: Tape, logits: Tensor): Tensor {
  const divided = { ...logits, edge: tape.newEdge() }
  const backwardScratch = tape.isPadded ? [] : [tape.like(logits, 'logits'), tape.like(logits, 'logits')]
  tape.record('div_', { reads: [logits], outputs: [divided], gradients: [made(logits)], backwardScratch })
  return divided
}

/** Of the responses, a view. */
function answersIn(tape: Tape, logits: Tensor, completionLength: number): Tensor {
  const view = { ...logits, shape: [completionLength, lastSize(logits)], edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [view], gradients: [made(logits)] })
  return view
}

/**
 * flash-attn ops/triton/cross_entropy.py, of a copy of the responses' logits where they are padded. Its backward pass writes the
 * gradient over the logits that it keeps; being the first it counts as if it kept none and made the gradient. Where there are entropies
 * it is not the first, and without padding, or before 0.4, it does make one.
 */
function logProbabilities(tape: Tape, answers: Tensor, method: Pick<Method, 'entropies'>): Tensor {
  const logits = tape.isPadded ? markLogits(elementwise(tape, 'clone', answers)) : answers
  const output = tape.tensor(logits.shape.slice(0, -1), 'float32', [logits])
  const saves = method.entropies === undefined ? [] : [logits]
  tape.record('cross_entropy', { reads: [logits], outputs: [output], saves, gradients: [made(logits)] })
  return output
}

interface Entropies {
  readonly perToken: Tensor
  /** What autograd keeps for their backward pass. */
  readonly kept: readonly Storage[]
}

type OfEntropies = Pick<Method, 'entropies' | 'eagerEntropies'>

/** Nothing compiles them where sequences are padded. */
function isEager(tape: Tape, method: OfEntropies): boolean {
  return tape.isPadded || method.eagerEntropies === true
}

function entropies(tape: Tape, answers: Tensor, method: OfEntropies): Entropies | undefined {
  if (method.entropies === undefined) return undefined
  const logits = method.entropies === 'logged' ? { ...answers, requiresGrad: false } : answers
  return isEager(tape, method) ? eagerEntropies(tape, logits) : compiledEntropies(tape, logits)
}

/**
 * torch_functional.py entropy_from_logits as torch.compile has it: Inductor keeps the logits and three numbers a row, and its backward
 * pass writes one gradient in the logits' type (seen in the code that torch 2.13 generates for the CPU).
 */
function compiledEntropies(tape: Tape, logits: Tensor): Entropies {
  const rows = logits.shape.slice(0, -1)
  const perToken = tape.tensor(rows, 'float32', [logits])
  const saved = [0, 1, 2].map(() => tape.storage(elements({ shape: rows }), 'float32', true))
  tape.record('entropy', { reads: [logits], outputs: [perToken], saves: [logits], saved, gradients: [made(logits)] })
  return { perToken, kept: [logits.storage] }
}

/**
 * The same where nothing compiles it: autocast takes the softmax and the logsumexp in float32, each of a copy of its own.
 * torch: ReduceOps.cpp logsumexp_out_impl makes another for the exponentials.
 */
function eagerEntropies(tape: Tape, logits: Tensor): Entropies {
  const wide = () => tape.storage(elements(logits), 'float32', logits.batched, 'logits')
  const probabilities = markLogits(softmax(tape, cast(tape, logits, 'float32')))
  const copy = markLogits(cast(tape, logits, 'float32'))
  const rows = logits.shape.slice(0, -1)
  const [sum, perToken] = [tape.tensor(rows, 'float32', [copy]), tape.tensor(rows, 'float32', [probabilities, logits])]
  tape.record('logsumexp', {
    reads: [copy],
    outputs: [sum],
    saves: [copy],
    gradients: [made(copy)],
    scratch: [wide()],
    backwardScratch: [wide(), wide()],
  })
  tape.record('entropy', {
    reads: [probabilities, logits, sum],
    outputs: [perToken],
    saves: [probabilities, logits],
    gradients: [made(probabilities), made(logits), made(sum)],
    scratch: [wide()],
    backwardScratch: [wide()],
  })
  return { perToken, kept: [probabilities.storage, copy.storage, logits.storage] }
}
