/** The usual training settings for a bare model, which says none itself. */
import { type Gpu, hasBfloat16 } from '../gpus/catalogue.ts'
import { supportsCheckpointing } from '../models/architecture.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { isOfImages, isOfSound } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'

/** LLaMA-Factory's and Unsloth's default. */
const SEQUENCE_LENGTH = 2_048

/** transformers 5.18, `TrainingArguments.per_device_train_batch_size`. */
const MICRO_BATCH = 8

/** Samples of one optimizer step, over all GPUs. */
export const BARE_EFFECTIVE_BATCH = 64

export interface BareTraining {
  readonly spec: TrainingSpec
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[]
}

export interface Told {
  /** The fields of the spec that were given by hand. */
  readonly said: readonly (keyof TrainingSpec)[]
  /** If named: a GPU without bf16 trains in fp16. */
  readonly gpu?: Gpu | undefined
  /** Whether the assumptions name the command line's flags; true by default. */
  readonly namesFlags?: boolean
}

/** The fields that `changes` set. */
export function fieldsSaid(changes: { readonly [Field in keyof TrainingSpec]?: unknown }): (keyof TrainingSpec)[] {
  const fields = Object.keys(changes) as (keyof TrainingSpec)[]
  return fields.filter(field => changes[field] !== undefined)
}

/** The settings of every bare training, except batch size and checkpointing, which stay as in `spec`. */
export function bareTraining(spec: TrainingSpec, model: CatalogueModel, told: Told): BareTraining {
  if (!isTrainers(spec)) return { spec, assumptions: [] }
  const { said, gpu } = told
  const isOpen = (field: keyof TrainingSpec) => !said.includes(field)
  const length = Math.min(SEQUENCE_LENGTH, model.positionLimit ?? model.maxPositions ?? SEQUENCE_LENGTH)
  const changes: { -readonly [Field in keyof TrainingSpec]?: TrainingSpec[Field] } = {}
  const assumptions: string[] = []
  if (!isOfImages(spec.task) && !isOfSound(spec.task) && isOpen('sequenceLength')) {
    changes.sequenceLength = length
    const why = length === SEQUENCE_LENGTH ? "LLaMA-Factory's and Unsloth's default" : 'all that the model takes'
    assumptions.push(
      `Sequences of ${length.toLocaleString('en-US')} tokens, ${why}${changedBy('--sequence-length', told)}.`,
    )
  }
  if (isOpen('precision')) {
    if (gpu !== undefined && !hasBfloat16(gpu)) {
      changes.precision = 'amp-fp16'
      assumptions.push(`fp16, since the ${gpu.name} has no bf16${changedBy('--precision', told)}.`)
    } else {
      // As in `specWith`: frozen weights under adapters are loaded in bf16.
      changes.precision = spec.lora === undefined ? 'amp-bf16' : 'bf16'
      if (spec.lora !== undefined) changes.autocasts = true
      const weights = spec.lora === undefined ? '' : ', over weights loaded in bf16'
      assumptions.push(`bf16, as the Trainer's bf16: true computes it${weights}${changedBy('--precision', told)}.`)
    }
  }
  if (isOpen('optimizer')) {
    changes.optimizer = 'adamw-fused'
    assumptions.push(`Fused AdamW, the Trainer's default${changedBy('--optimizer', told)}.`)
  }
  if (isOpen('loop')) changes.loop = 'trainer'
  return { spec: { ...spec, ...changes }, assumptions }
}

/**
 * `bareTraining` with the Trainer's batch size and, for language models, TRL's checkpointing: one complete training.
 */
export function usualTraining(open: TrainingSpec, model: CatalogueModel, told: Told): BareTraining {
  const { spec, assumptions } = bareTraining(open, model, told)
  if (!isTrainers(spec)) return { spec, assumptions }
  const isOpen = (field: keyof TrainingSpec) => !told.said.includes(field)
  const checkpoints =
    isOpen('gradientCheckpointing') && spec.task === 'causal-lm' && supportsCheckpointing(model.config)
  const takesBatch = isOpen('microBatch')
  return {
    spec: {
      ...spec,
      ...(checkpoints && { gradientCheckpointing: true }),
      ...(takesBatch && { microBatch: MICRO_BATCH }),
    },
    assumptions: [
      ...assumptions,
      ...(checkpoints ? ["Gradient checkpointing, TRL's default."] : []),
      ...(takesBatch ? [`Micro-batch ${MICRO_BATCH}, the Trainer's default${changedBy('--batch-size', told)}.`] : []),
    ],
  }
}

/** The spec unchanged, with one assumption for all settings that no flag gave. */
export function plainTraining(spec: TrainingSpec, { said }: Told): BareTraining {
  if (!isTrainers(spec)) return { spec, assumptions: [] }
  const told = [
    { field: 'microBatch', name: `micro-batch ${spec.microBatch}`, flag: '--batch-size' },
    { field: 'loop', name: 'a plain PyTorch loop', flag: '--loop' },
    { field: 'precision', name: spec.precision, flag: '--precision' },
    { field: 'optimizer', name: spec.optimizer, flag: '--optimizer' },
    {
      field: 'sequenceLength',
      name: isOfSound(spec.task) ? `${spec.sequenceLength} samples of sound` : `${spec.sequenceLength} tokens`,
      flag: '--sequence-length',
    },
  ] as const
  const open = told.filter(({ field }) => spec[field] !== undefined && !said.includes(field))
  if (open.length === 0) return { spec, assumptions: [] }
  const defaults = open.map(({ name, flag }) => `${name} (${flag})`).join(', ')
  return { spec, assumptions: [`Where no option says otherwise, its default: ${defaults}.`] }
}

/** Ultralytics' own trainer and TensorFlow.js have their own ways. */
function isTrainers({ loop, framework }: TrainingSpec): boolean {
  return loop !== 'ultralytics' && framework === 'pytorch'
}

function changedBy(flag: string, { namesFlags = true }: Told): string {
  return namesFlags ? `: change it with ${flag}` : ''
}
