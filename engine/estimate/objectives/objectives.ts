/** From a model to a step's loss: the forward passes of the training method, and what they keep allocated. */
import type { ModelConfig } from '../../models/architecture.ts'
import { teacherConfig } from '../../models/teacher.ts'
import { isOfNemoRl } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import { usesOf } from '../step/nodes.ts'
import type { PassWithoutGradients } from '../tape/autograd.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { frame } from '../tape/ops/frames.ts'
import { crossEntropy, mean } from '../tape/ops/loss.ts'
import { elementwise, multiply } from '../tape/ops/primitives.ts'
import { bytesPerElement, type Dtype, elements, markLogits, type Storage, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { answerSpanLoss } from './answer-span-loss.ts'
import { asftLoss } from './asft-loss.ts'
import { learningFromCompletions } from './completions.ts'
import { ctcLoss } from './ctc-loss.ts'
import { detectionLoss } from './detection-loss.ts'
import { ENTROPY_ROWS, type LogProbabilities, logProbabilities, summed } from './log-probabilities.ts'
import { maskedDiffusionLoss } from './masked-diffusion-loss.ts'
import { nemoRlLoss } from './nemo-rl-losses.ts'
import type { Objective } from './objective.ts'
import { learningFromTrajectories } from './rollouts.ts'
import { sentenceLoss } from './sentence-loss.ts'
import { verlActor, verlFineTuning } from './verl-losses.ts'

export function objectiveOf(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const objective = ofMethod(tape, config, spec)
  leaveOutUnreached(tape, objective.loss)
  return objective
}

function ofMethod(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const { method } = spec
  if (isOfNemoRl(spec.loop) && method?.kind !== 'reward') return nemoRlLoss(tape, config, spec)
  switch (method?.kind) {
    case 'preference':
      return preference(tape, config, spec, method)
    case 'kto':
      return kto(tape, config, spec, method)
    case 'reward':
      return reward(tape, config, spec, method)
    case 'distillation':
      return distillation(tape, config, spec, method)
    case 'asft':
      return { loss: asftLoss(tape, config, spec), held: [] }
    case 'masked-diffusion':
      return { loss: maskedDiffusionLoss(tape, config), held: [] }
    case 'online':
      return spec.loop === 'verl'
        ? verlActor(tape, config, spec, method)
        : learningFromCompletions(tape, config, spec, method)
    case 'rollouts':
      return learningFromTrajectories(tape, config, spec, method)
    case undefined:
      if (spec.loop === 'openrlhf') return ofLogProbabilities(tape, config, spec)
      return spec.loop === 'verl'
        ? verlFineTuning(tape, config, spec)
        : withAverage(tape, spec, plainLoss(tape, config, spec))
  }
}

function plainLoss(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  if (config.model_type === 'yolo' && config.head !== 'classify' && spec.step === 'training') {
    return { loss: detectionLoss(tape, config, spec), held: [] }
  }
  return spec.task === 'sentence-similarity' ? sentenceLoss(tape, config, spec) : ownLoss(tape, config, spec)
}

function ownLoss(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  return tape.underAutocast(() => {
    const logits = forward(tape, config, spec)
    if (spec.task === 'question-answering' && spec.step === 'training') {
      const { loss, scores } = answerSpanLoss(tape, logits)
      return { loss, held: [], ...(spec.loop === 'plain' && { outputs: [...scores, ...tape.held] }) }
    }
    const loss = spec.step === 'training' ? lossOf(tape, logits) : mean(tape, logits)
    const outputs = spec.loop === 'plain' && { outputs: [logits.storage, ...tape.held] }
    // A step that returns the loss alone lets go of the cache then, which autocast has in float32.
    const cache = outputs ? [] : tape.held.map(storage => ({ ...logits, storage }))
    tape.record('return', { reads: [...cache, ...tape.locals], outputs: [] })
    return { loss, held: [], ...outputs, outputsAfter: tape.outputsAfter }
  })
}

function lossOf(tape: Tape, logits: Tensor): Tensor {
  return tape.spec.task === 'ctc' ? ctcLoss(tape, logits) : frame(tape, logits, input => crossEntropy(tape, input))
}

/** Ultralytics utils/torch_utils.py ModelEMA: a moving average of all weights and statistics, which every process holds whole. */
function withAverage(tape: Tape, spec: TrainingSpec, objective: Objective): Objective {
  if (spec.loop !== 'ultralytics') return objective
  const model = [...[...tape.parameters.values()].map(({ storage }) => storage), ...tape.buffers]
  tape.wholeBuffers.push(...model.map(({ fixedBytes }) => tape.persistent(fixedBytes)))
  return objective
}

/** OpenRLHF 0.11 trainer/sft_trainer.py: `output` stays until the next is assigned. */
function ofLogProbabilities(tape: Tape, config: ModelConfig, spec: TrainingSpec): Objective {
  const { perToken, logits } = logProbabilities(tape, policyPass(tape, config, spec), 'openrlhf')
  return { loss: summed(tape, [perToken]), held: [], outputs: [logits.storage] }
}

function policyPass(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  return tape.underAutocast(() => forward(tape, config, spec))
}

type Method<Kind> = Extract<TrainingMethod, { kind: Kind }>
type Compared = Pick<Method<'preference'>, 'reference' | 'referenceType' | 'logProbabilities'>

function preference(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method<'preference'>): Objective {
  const policy = logProbabilities(tape, policyPass(tape, config, spec), method.logProbabilities)
  const chosen = method.withCrossEntropy ? [chosenCrossEntropy(tape, policy.logits)] : []
  const reference = referencePass(tape, config, spec, method)
  if (isOfTrl(method) && !method.withCrossEntropy) logEntropies(tape, policy, reference)
  return {
    loss: compared(tape, [policy.perToken, ...chosen], policy, method),
    held: heldReference(method, reference),
  }
}

function isOfTrl({ logProbabilities }: Compared): boolean {
  return logProbabilities === 'trl' || logProbabilities === 'trl-copied'
}

/**
 * TRL trainer/dpo_trainer.py and kto_trainer.py log entropies, from a flat copy of the logits unless they are one, while the
 * reference's still exist.
 */
function logEntropies(tape: Tape, policy: LogProbabilities, reference: LogProbabilities | undefined): void {
  const { logits } = policy
  const vocabulary = logits.shape.at(-1) ?? 0
  const flat = () => tape.storage(elements(logits) - vocabulary, logits.dtype, true, 'logits')
  const chunk = () => tape.fixed(ENTROPY_ROWS * vocabulary * bytesPerElement[logits.dtype], 'logits')
  const reads = [policy.logits, policy.copy, reference?.logits, reference?.copy].filter(each => each !== undefined)
  const scratch = [...(policy.copy === undefined ? [flat()] : []), chunk(), chunk(), chunk()]
  tape.record('entropy', { reads, outputs: [], scratch })
}

/** TRL trainer/kto_trainer.py, LLaMA-Factory train/kto/trainer.py: the unrelated response is used to estimate the divergence. */
function kto(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method<'kto'>): Objective {
  const unrelated = () => passWithoutGradients(tape, config, spec, method, 'policy')
  if (method.logProbabilities === 'trl') unrelated()
  const policy = logProbabilities(tape, policyPass(tape, config, spec), method.logProbabilities)
  if (method.logProbabilities !== 'trl') unrelated()
  referencePass(tape, config, spec, method)
  const reference = referencePass(tape, config, spec, method)
  if (method.logProbabilities === 'trl') logEntropies(tape, policy, reference)
  return { loss: compared(tape, [policy.perToken], policy, method), held: [] }
}

function reward(tape: Tape, config: ModelConfig, spec: TrainingSpec, { head }: Method<'reward'>): Objective {
  const output = policyPass(tape, config, spec)
  return { loss: summed(tape, [head === 'value' ? valueHead(tape, output) : output]), held: [] }
}

/**
 * An optimizer of torch steps with parameters that have a gradient and makes state for no others. Partitions that several GPUs share have
 * state for all.
 */
function leaveOutUnreached(tape: Tape, loss: Tensor): void {
  if ((tape.spec.sharding ?? 'ddp') !== 'ddp') return
  const uses = usesOf(tape.nodes, loss)
  for (const [name, parameter] of tape.parameters) {
    if (parameter.requiresGrad && uses.at(parameter.storage.id) === 0)
      tape.parameters.set(name, { ...parameter, requiresGrad: false })
  }
}

/**
 * trl models/modeling_value_head.py: all hidden states are requested; forward also returns the logits in float32, unused; the head
 * works on the last hidden states, in float32.
 */
function valueHead(tape: Tape, logits: Tensor): Tensor {
  markLogits(logits)
  markLogits(cast(tape, logits, 'float32'))
  const hidden = tape.outputLayerInput ?? logits
  const head = tape.parameter('v_head.summary.weight', [1, hidden.shape.at(-1) ?? 1], {
    trainable: true,
    dtype: 'float32',
  })
  const values = multiply(tape, cast(tape, hidden, 'float32'), head)
  tape.record('return', { reads: tape.blockInputs, outputs: [] })
  return values
}

/**
 * torchtune recipes/knowledge_distillation_*.py, modules/loss/kd_losses.py ForwardKLLoss, modules/loss/ce_chunked_output_loss.py:
 * both models' logits are held until both losses are computed. For the backward pass, every chunk saves the teacher's
 * probabilities, the student's log-probabilities twice and a mask.
 */
function distillation(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  { chunks }: Method<'distillation'>,
): Objective {
  const student = markLogits(policyPass(tape, config, spec))
  const teacherOfSpec = teacherConfig(spec) ?? config
  const teacher = markLogits(tape.withoutGradients({ of: 'copy' }, () => forward(tape, teacherOfSpec, spec)))
  const wide = (dtype: Dtype) => tape.storage(elements(student), dtype, true, 'logits')
  const chunk = () => tape.storage(elements(student) / chunks, 'float32', true, 'logits')
  const divergence = tape.tensor([], 'float32', [student], { batched: false })
  tape.record('kl divergence', {
    reads: [student, teacher],
    outputs: [divergence],
    saved: [wide('float32'), wide('float32'), wide('bool')],
    scratch: [chunk(), chunk()],
    gradients: [{ to: student, passes: false }],
  })
  const crossEntropy = tape.tensor([], 'float32', [student], { batched: false })
  tape.record('cross_entropy', {
    reads: [student],
    outputs: [crossEntropy],
    saved: [wide('float32')],
    scratch: [chunk()],
    backwardScratch: [chunk()],
    gradients: [{ to: student, passes: false }],
  })
  tape.record('return', { reads: [student, teacher], outputs: [] })
  return { loss: summed(tape, [divergence, crossEntropy]), held: [] }
}

/** A loss over a few numbers per token; if the tool keeps `policy.logits`, they are referenced until it is computed. */
function compared(tape: Tape, numbers: readonly Tensor[], policy: LogProbabilities, method: Compared): Tensor {
  const loss = summed(tape, numbers)
  if (method.logProbabilities !== 'torchtune') tape.record('return', { reads: [policy.logits], outputs: [] })
  return loss
}

/** TRL experimental/orpo: the chosen half of the logits, copied, and its log-probabilities. */
function chosenCrossEntropy(tape: Tape, logits: Tensor): Tensor {
  const half = { ...logits, shape: [elements(logits) / 2], edge: tape.newEdge() }
  tape.record('slice', { reads: [logits], outputs: [half], gradients: [{ to: logits, passes: false }] })
  const copy = markLogits(elementwise(tape, 'clone', half))
  const kept = markLogits(elementwise(tape, 'log_softmax', copy, { savesOutput: true }))
  const loss = tape.tensor([], kept.dtype, [kept], { batched: false })
  tape.record('nll_loss', { reads: [kept], outputs: [loss], saves: [kept], gradients: [{ to: kept, passes: false }] })
  return loss
}

function referencePass(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  method: Compared,
): LogProbabilities | undefined {
  return method.reference === 'none' ? undefined : passWithoutGradients(tape, config, spec, method, method.reference)
}

function passWithoutGradients(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  method: Compared,
  of: PassWithoutGradients['of'],
): LogProbabilities {
  // LLaMA-Factory model/loader.py: frozen weights are loaded in the compute type.
  const dtype = method.logProbabilities === 'llamafactory' ? tape.autocastDtype : method.referenceType
  const logits = tape.withoutGradients({ of, dtype }, () => forward(tape, config, spec))
  return tape.withoutGradients({ of }, () => logProbabilities(tape, logits, method.logProbabilities))
}

/** recipes/lora_dpo_*.py: torchtune's loop keeps the reference's logits through the backward pass. */
function heldReference(method: Compared, reference: LogProbabilities | undefined): readonly Storage[] {
  return method.logProbabilities === 'torchtune' && reference !== undefined ? [reference.logits.storage] : []
}
