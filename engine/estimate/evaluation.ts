/**
 * Memory of an evaluation in the middle of a training run: forward passes without gradients, beside the weights and the
 * optimizer's state. transformers 5.18 trainer.py, evaluation_loop and prediction_step: the model in eval mode under
 * torch.no_grad, one batch after the other, whose loss is computed and whose logits the model's output holds until
 * then.
 */
import { familyOf, type ModelConfig } from '../models/architecture.ts'
import { isWrappedByFsdp } from '../training/batches.ts'
import { isFsdp } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Device } from './footprint.ts'
import { hasFlatParameters } from './library-rules.ts'
import { generated } from './objectives/completions.ts'
import { objectiveOf } from './objectives/objectives.ts'
import { DataParallel } from './sharding/data-parallel.ts'
import { exchangeOf, gathersBlocks } from './sharding/exchanges.ts'
import { sharesOf } from './sharding/shares.ts'
import { liesInTurns } from './sharding/units.ts'
import { Watching } from './sharding/watching.ts'
import { Player, type PlayerRules } from './step/player.ts'
import { highestPoint } from './step/replay.ts'
import { type Sections, sectionsOf } from './step/sections.ts'
import type { Step } from './step/step.ts'
import type { Node } from './tape/autograd.ts'
import { forward } from './tape/lowering.ts'
import { cast } from './tape/ops/casts.ts'
import { frame } from './tape/ops/frames.ts'
import { crossEntropy } from './tape/ops/loss.ts'
import { EVERY_LAYER, TURNS_BEHIND } from './tape/repetition.ts'
import { bytesPerElement, elements, type Storage, type Tensor } from './tape/storage.ts'
import { Tape } from './tape/tape.ts'

export interface Evaluation {
  /** The peak within one batch, without what stays allocated between steps. */
  bytesAt(batch: number): number
  /** Bytes of one sample's outputs as kept for metrics: the logits, and what an encoder hands its decoder. Zero where none are. */
  readonly keptBytesPerSample: number
}

/** Of layers that repeat, how many are recorded first, until what stands for the rest is known to. */
const recordedTurns = [1, 2, EVERY_LAYER]

export function evaluationOf(training: TrainingSpec, config: ModelConfig, device: Device): Evaluation {
  const spec = evaluated(training)
  return playPasses(spec, config, device, tape => {
    if (spec.method !== undefined || spec.task === 'sentence-similarity') return objectivePasses(tape, config, spec)
    const logits = recorded(tape, config, spec)
    const isInParts = spec.checkpointedLoss === true || spec.fusedLoss === true
    return { before: [], keptBytesPerSample: isInParts ? 0 : keptBytes(tape, logits, spec) }
  })
}

/** A method's own loss, which keeps nothing; where it generates completions or asks a reference, it does so for every batch anew. */
function objectivePasses(tape: Tape, config: ModelConfig, spec: TrainingSpec): Recorded {
  const { before = [] } = tape.evaluating(() => objectiveOf(tape, config, spec))
  return { before, keptBytesPerSample: 0 }
}

function keptBytes(tape: Tape, logits: Tensor, spec: TrainingSpec): number {
  const kept = handsOnFloat32(spec) ? 'float32' : logits.dtype
  // A cache of keys and values is not among them (keys_to_ignore_at_inference).
  const handedOn = spec.task === 'seq2seq-lm' ? tape.held : []
  const encoded = handedOn.reduce((sum, { bytesPerSample }) => sum + bytesPerSample, 0)
  return elements(logits) * bytesPerElement[kept] + encoded
}

/**
 * The Trainer turns the cache off in the model's own config.json (transformers 5.18 trainer.py, config.use_cache), and decoders of models
 * that read images have one of theirs (text_config). Idefics 3 and SmolVLM hand the model's on.
 */
function cachesInEvaluation({ images }: TrainingSpec, config: ModelConfig): boolean {
  return images !== undefined && !/^(?:idefics3|smolvlm)$/.test(config.model_type)
}

/** accelerate 1.15 prepare_model: its mixed precision hands outputs on in float32; DeepSpeed and FSDP2 hand them on as they are. */
function handsOnFloat32(spec: TrainingSpec): boolean {
  return isWrappedByFsdp(spec) ? hasFlatParameters(spec) : spec.precision !== 'bf16-master'
}

/** A decoder's generation in an evaluation, of so many sequences a sample: the peak within one batch. */
export function generationOf(
  training: TrainingSpec,
  config: ModelConfig,
  device: Device,
  { prompt, tokens, perSample }: { readonly prompt: number; readonly tokens: number; readonly perSample: number },
): Pick<Evaluation, 'bytesAt'> {
  const spec = evaluated(training)
  return playPasses(spec, config, device, tape => {
    // The second pass finds what every layer of the first has cached.
    tape.firstTurns = EVERY_LAYER
    // The last pass copies one layer's keys at a time, beside those of all tokens before.
    generated(tape, config, spec, { passes: [prompt, Math.max(prompt, tokens - 1), tokens], perSample })
    return { before: [], keptBytesPerSample: 0 }
  })
}

interface Recorded {
  /** What runs before the tape's own nodes. */
  readonly before: readonly Node[]
  readonly keptBytesPerSample: number
}

function playPasses(
  spec: TrainingSpec,
  config: ModelConfig,
  device: Device,
  record: (tape: Tape) => Recorded,
): Evaluation {
  for (const firstTurns of recordedTurns) {
    const tape = new Tape(spec, device, familyOf(config).experts)
    tape.cachesForOutputs = cachesInEvaluation(spec, config)
    const isEveryNeeded = isDividedWithoutBlocks(spec) || tape.cachesForOutputs
    tape.firstTurns = isEveryNeeded ? EVERY_LAYER : firstTurns
    if (gathersBlocks(spec)) tape.turnsBehind = TURNS_BEHIND + 1
    const { before, keptBytesPerSample } = record(tape)
    const played = playRecorded(tape, spec, before)
    if (played)
      return {
        bytesAt: batch => highestPoint(played.sections, played.step.bytesAt(batch), 0).bytes,
        keptBytesPerSample,
      }
  }
  throw new Error('passes over every layer have no sections')
}

/**
 * In eval mode nothing drops out, nothing is recomputed, and Unsloth holds all logits (models/rl.py unsloth_prediction_step). Whoever
 * reads of evaluations reads them of a Trainer. TRL 1.13 grpo_trainer.py _prepare_inputs generates for each batch by itself.
 */
function evaluated({ gradientCheckpointing: _, lora, fusedLoss, method, ...spec }: TrainingSpec): TrainingSpec {
  return {
    ...spec,
    ...(fusedLoss && spec.evaluation?.fusesLoss && { fusedLoss }),
    ...(lora && { lora: { ...lora, dropout: 0 } }),
    ...(method && { method: method.kind === 'online' ? { ...method, completions: 1 } : method }),
    gradientCheckpointing: false,
    dropout: false,
    gradientAccumulation: 1,
    loop: 'trainer',
  }
}

function playRecorded(
  tape: Tape,
  spec: TrainingSpec,
  before: readonly Node[],
): { step: Step; sections: Sections } | undefined {
  if (gathersBlocks(spec) && !liesInTurns(tape.parameters, spec)) return undefined
  const passes = [...before, ...tape.nodes]
  const play = (exchange: PlayerRules['exchange']) => {
    const loss = tape.tensor([], 'float32', [], { batched: false })
    const player = new Player(tape, { loss, held: [], before: passes }, { ...rules(spec), exchange })
    player.hold(tape.batch)
    player.begin()
    return player
  }
  const order: (readonly Storage[])[] = []
  if (spec.sharding === 'zero3') play(memory => new Watching(memory, used => order.push(used)))
  const { parameters } = tape
  const player = play((memory, kept) => {
    const context = { spec, parameters, memory, kept }
    return isDivided(spec) ? exchangeOf(context, () => [...order, ...order.toReversed()]) : new DataParallel(context)
  })
  // DeepSpeed keeps some of the last weights for a backward pass, and so through the next batch.
  if (player.exchange.passEnds !== undefined) {
    player.exchange.passEnds()
    player.begin()
  }
  const sections = sectionsOf(player.step, [])
  return sections && { step: player.step, sections }
}

function rules(spec: TrainingSpec): Omit<PlayerRules, 'exchange'> {
  const checkpoints = { isReentrant: false, keepsInputs: false, offloadsInputs: false, stopsEarly: true }
  return { shares: sharesOf(spec), checkpoints, inBackward: undefined }
}

/** Whether weights are gathered for a pass; otherwise each GPU has them whole, and nothing is exchanged without gradients. */
function isDivided({ sharding }: TrainingSpec): boolean {
  return sharding === 'zero3' || isFsdp(sharding)
}

/** What is gathered for a layer hangs on those before it. */
function isDividedWithoutBlocks(spec: TrainingSpec): boolean {
  return isDivided(spec) && !gathersBlocks(spec)
}

/** The pass with its loss; returns the logits. */
function recorded(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  return tape.withoutGradients({ of: 'policy', takesLoss: true }, () => {
    const logits = forward(tape, config, spec)
    frame(tape, logits, input =>
      spec.unslothKernels && spec.task === 'causal-lm' ? rowByRow(tape, input) : crossEntropy(tape, input),
    )
    if (tape.cachesForOutputs) {
      tape.record('return', { reads: tape.held.map(storage => ({ ...logits, storage })), outputs: [] })
    }
    return logits
  })
}

/**
 * unsloth kernels/cross_entropy_loss.py: without a gradient it takes a float32 number of every row. accelerate then copies the
 * logits as float32 beside themselves (convert_outputs_to_fp32).
 */
function rowByRow(tape: Tape, logits: Tensor): Tensor {
  const loss = tape.tensor([], 'float32', [logits], { batched: false })
  tape.record('cross_entropy', { reads: [logits], outputs: [loss] })
  const copy = cast(tape, logits, 'float32')
  tape.record('return', { reads: [logits, copy], outputs: [] })
  return loss
}
