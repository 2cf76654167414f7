/**
 * NeMo-RL 0.7: the log-probability of every next token, on the whole of a model's float32 logits, is what each of its losses is made of
 * (distributed/model_utils.py get_next_token_logprobs_from_logits). FSDP hands the logits on in float32; where there is none, they are
 * cast beside those of the model. The policy workers let go of them before the backward pass.
 */
import type { ModelConfig } from '../../models/architecture.ts'
import { shardingGroup } from '../../training/batches.ts'
import { isFsdp } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { made, type PassWithoutGradients } from '../tape/autograd.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import { countOf } from '../tape/repetition.ts'
import { bytesPerElement, elements, lastSize, markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'

export function nemoRlLoss(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const { method } = spec
  const logits = logitsOf(tape, config, spec)
  const tempered = method?.kind === 'online' && method.tempersInPlace ? dividedInPlace(tape, logits.wide) : logits.wide
  const perToken = spec.tensorParallel === undefined ? ofWhole(tape, tempered) : ofParts(tape, tempered)
  const loss = summed(tape, [perToken])
  tape.record('return', { reads: [logits.own, logits.wide], outputs: [] })
  return { loss, held: [], ...passBefore(tape, config, spec) }
}

interface Logits {
  /** In the type that the model computes in. */
  readonly own: Tensor
  readonly wide: Tensor
}

function logitsOf(tape: Tape, config: ModelConfig, spec: TrainingSpec): Logits {
  const own = markLogits(tape.underAutocast(() => forward(tape, config, spec)))
  const wide = markLogits(cast(tape, own, 'float32'))
  return { own: isFsdp(spec.sharding) ? wide : own, wide }
}

function dividedInPlace(tape: Tape, logits: Tensor): Tensor {
  const output = { ...logits, edge: tape.newEdge() }
  tape.record('div_', { reads: [logits], outputs: [output], gradients: [made(logits)] })
  return output
}

/** All positions but the last, of which torch's log_softmax copies a batch (aten/native/cuda/SoftMax.cu, `input_.contiguous()`). */
function ofWhole(tape: Tape, logits: Tensor): Tensor {
  const [tokens = 1] = logits.shape
  const view: Tensor = { ...logits, shape: [tokens - 1, lastSize(logits)], edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [view], gradients: [made(logits)] })
  const kept = markLogits(elementwise(tape, 'log_softmax', view, { savesOutput: true }))
  const perToken = tape.tensor(kept.shape.slice(0, -1), kept.dtype, [kept])
  tape.record('gather', { reads: [kept], outputs: [perToken], saves: [kept], gradients: [made(kept)] })
  return perToken
}

/**
 * DistributedLogprob, on this GPU's part of the vocabulary: shifted by the largest, whose exponentials are summed; what is left is
 * turned into probabilities for the backward pass, which computes the gradient in a copy of them.
 */
function ofParts(tape: Tape, logits: Tensor): Tensor {
  const whole = () => tape.like(logits, 'logits')
  const perToken = tape.tensor(logits.shape.slice(0, -1), 'float32', [logits])
  tape.record('log_softmax', {
    reads: [logits],
    outputs: [perToken],
    saved: [whole()],
    scratch: [whole(), whole()],
    gradients: [made(logits)],
  })
  return perToken
}

/**
 * What is scored without gradients before the update: completions by the policy, pairs of responses by the reference, whose weights
 * take the place of the policy's. The first worker gathers the whole model for it (unshard_fsdp2_model).
 */
function passBefore(tape: Tape, config: ModelConfig, spec: TrainingSpec): Pick<Objective, 'before'> {
  const pass = scoringPass(spec)
  if (pass === undefined) return {}
  const before = tape.beforehand(() => {
    const gathered: Tensor = {
      ...tape.tensor([], 'float32', [], { batched: false }),
      storage: tape.fixed(gatheredBytes(tape, spec), 'weights'),
    }
    tape.record('unshard', { reads: [], outputs: [gathered] })
    tape.withoutGradients(pass, () => {
      const { own, wide } = logitsOf(tape, config, spec)
      const scored = markLogits(elementwise(tape, 'log_softmax', wide))
      tape.record('return', { reads: [own, wide, scored], outputs: [] })
    })
    tape.record('reshard', { reads: [gathered], outputs: [] })
  })
  return { before }
}

function scoringPass({ method, sequenceLength: tokens = 1 }: TrainingSpec): PassWithoutGradients | undefined {
  if (method?.kind === 'preference') return method.reference === 'none' ? undefined : { of: 'policy' }
  if (method?.kind !== 'online' || method.scored === undefined) return undefined
  return { of: 'policy', sequences: { count: method.scored, tokens, logitsOf: tokens } }
}

/**
 * Of the model in the type that it computes in, beyond the optimizer's state: where vLLM generates on the same GPUs, that waits on the
 * host until the update.
 */
function gatheredBytes(tape: Tape, spec: TrainingSpec): number {
  if (spec.loop !== 'nemo-rl') return 0
  const stateOnHost = spec.method?.kind === 'online' && spec.method.generation.kind === 'vllm'
  let [whole, state] = [0, 0]
  for (const parameter of tape.parameters.values()) {
    const count = countOf(parameter.storage.turn) * elements(parameter)
    whole += count * bytesPerElement[parameter.dtype]
    if (parameter.requiresGrad) state += (2 * count * bytesPerElement.float32) / shardingGroup(spec)
  }
  return stateOnHost ? Math.max(0, whole - state) : whole
}
