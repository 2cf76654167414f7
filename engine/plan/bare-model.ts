/**
 * A bare model's training as most people run it, where a flag does not say otherwise: a model alone says nothing of it.
 */
import { isOfImages, type TrainingSpec } from '../config/spec.ts'
import type { CatalogueModel } from '../models/catalogue.ts'

/** LLaMA-Factory's and Unsloth's default. */
const SEQUENCE_LENGTH = 2_048

/** Samples of one optimizer step, over all GPUs. */
export const BARE_EFFECTIVE_BATCH = 64

export interface BareTraining {
  readonly spec: TrainingSpec
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[]
}

/** `said`: the fields that were given by hand. */
export function bareTraining(
  spec: TrainingSpec,
  model: CatalogueModel,
  said: readonly (keyof TrainingSpec)[],
): BareTraining {
  // Ultralytics' own trainer has its own ways.
  if (spec.loop === 'ultralytics') return { spec, assumptions: [] }
  const isOpen = (field: keyof TrainingSpec) => !said.includes(field)
  const length = Math.min(SEQUENCE_LENGTH, model.positionLimit ?? model.maxPositions ?? SEQUENCE_LENGTH)
  const changes: { -readonly [Field in keyof TrainingSpec]?: TrainingSpec[Field] } = {}
  const assumptions: string[] = []
  if (!isOfImages(spec.task) && isOpen('sequenceLength')) {
    changes.sequenceLength = length
    const why = length === SEQUENCE_LENGTH ? "LLaMA-Factory's and Unsloth's default" : 'all that the model takes'
    assumptions.push(`Sequences of ${length.toLocaleString('en-US')} tokens, ${why}: change it with --sequence-length.`)
  }
  if (isOpen('precision')) {
    changes.precision = 'amp-bf16'
    assumptions.push("bf16, as the Trainer's bf16: true computes it: change it with --precision.")
  }
  if (isOpen('optimizer')) {
    changes.optimizer = 'adamw-fused'
    assumptions.push("Fused AdamW, the Trainer's default: change it with --optimizer.")
  }
  if (isOpen('loop')) changes.loop = 'trainer'
  return { spec: { ...spec, ...changes }, assumptions }
}
