/**
 * Memory of an evaluation in the middle of a training run: forward passes without gradients, beside the weights and the
 * optimizer's state. transformers 5.18 trainer.py, evaluation_loop and prediction_step: the model in eval mode under
 * torch.no_grad, one batch after the other, whose loss is computed and whose logits the model's output holds until
 * then.
 */
import type { TrainingSpec } from '../config/spec.ts'
import { familyOf, type ModelConfig } from '../models/architecture.ts'
import type { Device } from './footprint.ts'
import { generated } from './objectives/completions.ts'
import { DataParallel } from './sharding/data-parallel.ts'
import { sharesOf } from './sharding/shares.ts'
import { Player } from './step/player.ts'
import { highestPoint } from './step/replay.ts'
import { type Sections, sectionsOf } from './step/sections.ts'
import type { Step } from './step/step.ts'
import { forward } from './tape/lowering.ts'
import { cast } from './tape/ops/casts.ts'
import { frame } from './tape/ops/frames.ts'
import { crossEntropy } from './tape/ops/loss.ts'
import { EVERY_LAYER } from './tape/repetition.ts'
import { bytesPerElement, elements, type Tensor } from './tape/storage.ts'
import { Tape } from './tape/tape.ts'

export interface Evaluation {
  /** The peak within one batch, without what stays allocated between steps. */
  bytesAt(batch: number): number
  /** Bytes of one sample's outputs as kept for metrics: the logits, and what an encoder hands its decoder. */
  readonly keptBytesPerSample: number
}

/** `recordedTurns`: of layers that repeat, how many are recorded first, until what stands for the rest is known to. */
const recordedTurns = [1, 2, EVERY_LAYER]

export function evaluationOf(training: TrainingSpec, config: ModelConfig, device: Device): Evaluation {
  const spec = evaluated(training)
  return playPasses(spec, config, { device, turns: recordedTurns }, tape => {
    const logits = recorded(tape, config, spec)
    // accelerate's mixed precision hands outputs on in float32 (convert_outputs_to_fp32), DeepSpeed as they are.
    const kept = spec.precision === 'bf16-master' ? logits.dtype : 'float32'
    const encoded = tape.held.reduce((sum, { bytesPerSample }) => sum + bytesPerSample, 0)
    return elements(logits) * bytesPerElement[kept] + encoded
  })
}

/** A decoder's generation in an evaluation, of so many sequences a sample: the peak within one batch. */
export function generationOf(
  training: TrainingSpec,
  config: ModelConfig,
  device: Device,
  { prompt, tokens, perSample }: { readonly prompt: number; readonly tokens: number; readonly perSample: number },
): Pick<Evaluation, 'bytesAt'> {
  const spec = evaluated(training)
  // The second pass finds what every layer of the first has cached.
  return playPasses(spec, config, { device, turns: [EVERY_LAYER] }, tape => {
    // The last pass copies one layer's keys at a time, beside those of all tokens before.
    generated(tape, config, spec, { passes: [prompt, Math.max(prompt, tokens - 1), tokens], perSample })
    return 0
  })
}

/** `record`: what a tape records; gives the bytes of one sample that are kept of it. */
function playPasses(
  spec: TrainingSpec,
  config: ModelConfig,
  { device, turns }: { readonly device: Device; readonly turns: readonly number[] },
  record: (tape: Tape) => number,
): Evaluation {
  for (const firstTurns of turns) {
    const tape = new Tape(spec, device, familyOf(config).experts)
    tape.firstTurns = firstTurns
    const keptBytesPerSample = record(tape)
    const played = playRecorded(tape, spec)
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
 * reads of evaluations reads them of a Trainer.
 */
function evaluated({ gradientCheckpointing: _, lora, fusedLoss, ...spec }: TrainingSpec): TrainingSpec {
  return {
    ...spec,
    ...(fusedLoss !== undefined && !spec.unslothKernels && { fusedLoss }),
    ...(lora && { lora: { ...lora, dropout: 0 } }),
    gradientCheckpointing: false,
    dropout: false,
    gradientAccumulation: 1,
    loop: 'trainer',
  }
}

function playRecorded(tape: Tape, spec: TrainingSpec): { step: Step; sections: Sections } | undefined {
  const loss = tape.tensor([], 'float32', [], { batched: false })
  const player = new Player(
    tape,
    { loss, held: [], before: tape.nodes },
    {
      shares: sharesOf(spec),
      checkpoints: { isReentrant: false, keepsInputs: false, offloadsInputs: false, stopsEarly: true },
      inBackward: undefined,
      // Weights are whole, and no gradients are exchanged.
      exchange: (memory, kept) => new DataParallel({ spec, parameters: tape.parameters, memory, kept }),
    },
  )
  for (const storage of tape.batch) player.allocate(storage)
  player.begin()
  const sections = sectionsOf(player.step, [])
  return sections && { step: player.step, sections }
}

/** The pass with its loss; returns the logits. */
function recorded(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  return tape.withoutGradients({ of: 'policy' }, () => {
    const logits = forward(tape, config, spec)
    frame(tape, logits, input =>
      spec.unslothKernels && spec.task === 'causal-lm' ? rowByRow(tape, input) : crossEntropy(tape, input),
    )
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
