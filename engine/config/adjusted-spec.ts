/** The spec of a bare model, and a spec with some of its settings changed by hand. */
import { MemoryMarkError } from '../base/errors.ts'
import { imageOfSample, readsSound, supportsCheckpointing, videoOfSample } from '../models/architecture.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { seenInWords } from '../models/images.ts'
import { assumedSentences, columnsOfLoss } from '../training/choices.ts'
import { LEAST_SAMPLES, SAMPLES_PER_SECOND, USUAL_SECONDS } from '../training/sound.ts'
import { MIN_COLUMNS, type TrainingSpec } from '../training/spec.ts'

/** The earlier tool's defaults, so that its published readings can be compared. */
const defaults = { microBatch: 16, sequenceLength: 128, labels: 2 }

/** COCO's classes, and who trains them. */
const detectorDefaults = { labels: 80, loop: 'ultralytics' } as const

export function specOf(model: CatalogueModel): TrainingSpec {
  const { imageSize } = model
  return {
    model: model.id,
    task: model.defaultTask,
    framework: 'pytorch',
    step: 'training',
    microBatch: defaults.microBatch,
    gradientAccumulation: 1,
    gpus: 1,
    ...(imageSize !== undefined ? { imageSize } : { sequenceLength: lengthFor(model) }),
    labels: defaults.labels,
    precision: 'fp32',
    optimizer: 'adamw',
    attention: 'sdpa',
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: 'plain',
    ...(model.defaultTask === 'object-detection' && detectorDefaults),
  }
}

function lengthFor({ config }: CatalogueModel): number {
  return readsSound(config) ? USUAL_SECONDS * SAMPLES_PER_SECOND : defaults.sequenceLength
}

/** Undefined leaves a setting unchanged. */
export type SpecAdjustments = { readonly [Field in keyof TrainingSpec]?: TrainingSpec[Field] | undefined }

/**
 * `nameOf`: the caller's name for a field, for messages.
 * @throws MemoryMarkError for what the model cannot do.
 */
export function adjusted(
  written: TrainingSpec,
  model: CatalogueModel,
  changes: SpecAdjustments,
  nameOf: (field: keyof TrainingSpec) => string,
): TrainingSpec {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined)
  const { inFloat16, ...others } = written
  // Of the precision that another takes the place of.
  const kept = inFloat16 === undefined || changes.precision !== undefined ? others : written
  const spec = withImages({ ...kept, ...Object.fromEntries(said) }, model, changes, nameOf)
  if (!model.tasks.includes(spec.task)) {
    throw refused(nameOf('task'), `${model.id} has no ${spec.task} head here`, `Use one of: ${model.tasks.join(', ')}.`)
  }
  if (model.positionLimit !== undefined && (spec.sequenceLength ?? 0) > model.positionLimit) {
    throw refused(
      nameOf('sequenceLength'),
      `${model.id} has ${model.positionLimit} positions, fewer than ${spec.sequenceLength}`,
      `Use at most ${model.positionLimit}.`,
    )
  }
  if (readsSound(model.config) && (spec.sequenceLength ?? 0) < LEAST_SAMPLES) {
    throw refused(
      nameOf('sequenceLength'),
      `${model.id} reads sound, of which ${spec.sequenceLength} samples make no frame`,
      `Write samples: ${SAMPLES_PER_SECOND} are a second.`,
    )
  }
  if (spec.gradientCheckpointing && !supportsCheckpointing(model.config)) {
    throw refused(
      nameOf('gradientCheckpointing'),
      `transformers has no gradient checkpointing for ${model.family}`,
      'Omit it.',
    )
  }
  const { columns, loss } = spec.sentences ?? assumedSentences
  const taken = columnsOfLoss[loss]
  if (columns < MIN_COLUMNS || columns !== (taken ?? columns)) {
    throw refused(
      nameOf('sentences'),
      `The loss ${loss} takes ${taken ?? `at least ${MIN_COLUMNS}`} texts of a sample, not ${columns}`,
      'Correct it, or leave it out.',
    )
  }
  if (changes.quantization !== undefined && spec.lora === undefined) {
    throw refused(
      nameOf('quantization'),
      'quantised weights cannot be trained themselves',
      'Train adapters on top of them.',
    )
  }
  return spec
}

/** For a model that reads images among its words, an image size is the side of one, or of a video's frames, in every sample. */
function withImages(
  spec: TrainingSpec,
  model: CatalogueModel,
  { imageSize: side, videoFrames: frames }: SpecAdjustments,
  nameOf: (field: keyof TrainingSpec) => string,
): TrainingSpec {
  if (frames !== undefined && side === undefined) {
    throw refused(nameOf('videoFrames'), 'the size of the frames is not known', `Write ${nameOf('imageSize')} too.`)
  }
  if (side === undefined) return spec
  const size = { height: side, width: side }
  const found = frames === undefined ? imageOfSample(model.config, size) : videoOfSample(model.config, size, frames)
  if (found === undefined && frames !== undefined) {
    throw refused(nameOf('videoFrames'), `videos are not modelled for ${model.id}`, 'Omit it.')
  }
  if (found === undefined) return spec
  const length = spec.sequenceLength ?? 0
  if (found.tokens > length) {
    const message = `one ${seenInWords(frames)} of ${side}×${side} pixels becomes ${found.tokens} tokens, more than the ${length} of a sequence`
    throw refused(nameOf('imageSize'), message, 'Write the size that images are scaled to, or a longer sequence.')
  }
  const { imageSize: _, ...others } = spec
  return { ...others, images: found.images }
}

function refused(field: string, message: string, fix: string): MemoryMarkError {
  return new MemoryMarkError({ code: 'unsupported-setting', field, message, fix })
}
