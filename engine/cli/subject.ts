/** The model or config that a command is about, with the settings that its flags change. */
import { lstat } from 'node:fs/promises'
import { readConfig } from '../config/read.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { closest, MemoryMarkError } from '../errors.ts'
import { supportsCheckpointing } from '../models/architecture.ts'
import { type CatalogueModel, findModel, modelIds, modelNames } from '../models/catalogue.ts'
import { findFiles } from './files.ts'
import { changesOf, type SpecFlags } from './spec-flags.ts'

/** The earlier tool's defaults, so that its published readings can be compared. */
const defaults = { microBatch: 16, sequenceLength: 128, imageSize: 224, labels: 2 }

export interface Subject {
  /** The config's path, or the model's id. */
  readonly path: string
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
}

/** Reads the one positional argument and applies the flags; refuses what the model cannot do. */
export async function readSubject(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  const named = await subjectOf(positionals)
  return { path: named.path, ...applyChanges(named.spec, changesOf(values)) }
}

async function subjectOf(positionals: readonly string[]): Promise<Omit<Subject, 'model'>> {
  const [name] = positionals
  if (name === undefined || positionals.length > 1) {
    throw new MemoryMarkError({
      code: 'usage',
      message:
        name === undefined ? 'a model or a config is missing' : 'only one model or config is estimated at a time',
      fix: 'Run `memorymark estimate bert`, a Hub id or a config file.',
    })
  }
  const model = findModel(name)
  if (model !== undefined) return { path: model.id, spec: modelSpec(model) }
  if (await exists(name)) return configSubject(name)
  const near = closest(name, modelNames)
  throw new MemoryMarkError({
    code: 'unknown-model',
    message: `"${name}" is neither a file nor a model of the catalogue`,
    fix: `${near ? `Did you mean ${near}? ` : ''}Known models: ${modelIds.join(', ')}.`,
  })
}

async function configSubject(path: string): Promise<Omit<Subject, 'model'>> {
  const { named } = await findFiles([path])
  const [file] = named
  const reading = file && readConfig(file)
  if (reading?.kind === 'training-config') return { path, spec: reading.spec }
  const [problem] = reading?.kind === 'unreadable' ? reading.problems : []
  throw new MemoryMarkError(
    problem ?? {
      code: 'not-a-training-config',
      file: path,
      message: 'this is not a training config',
      fix: `${reading?.kind === 'not-a-training-config' ? `${reading.why} ` : ''}Name a file that sets a batch size, or a model.`,
    },
  )
}

function modelSpec(model: CatalogueModel): TrainingSpec {
  const isImage = model.maxPositions === undefined
  return {
    model: model.id,
    task: model.defaultTask,
    framework: 'pytorch',
    step: 'training',
    microBatch: defaults.microBatch,
    gradientAccumulation: 1,
    gpus: 1,
    ...(isImage ? { imageSize: defaults.imageSize } : { sequenceLength: defaults.sequenceLength }),
    labels: defaults.labels,
    precision: 'fp32',
    optimizer: 'adamw',
    attention: 'sdpa',
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: 'plain',
  }
}

function applyChanges(
  written: TrainingSpec,
  changes: Partial<TrainingSpec>,
): { spec: TrainingSpec; model: CatalogueModel } {
  const spec = { ...written, ...changes }
  const model = findModel(spec.model)
  if (model === undefined) throw new Error(`a subject without a model: ${spec.model}`)
  if (!model.tasks.includes(spec.task)) {
    throw refused('--task', `${model.id} has no ${spec.task} head here`, `Use one of: ${model.tasks.join(', ')}.`)
  }
  if (model.maxPositions !== undefined && (spec.sequenceLength ?? 0) > model.maxPositions) {
    throw refused(
      '--sequence-length',
      `${model.id} has ${model.maxPositions} positions, fewer than ${spec.sequenceLength}`,
      `Use at most ${model.maxPositions}.`,
    )
  }
  if (spec.gradientCheckpointing && !supportsCheckpointing(model.config)) {
    throw refused('--gradient-checkpointing', `transformers does not checkpoint ${model.family}`, 'Leave it out.')
  }
  return { spec, model }
}

function refused(field: string, message: string, fix: string): MemoryMarkError {
  return new MemoryMarkError({ code: 'unsupported-setting', field, message, fix })
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
