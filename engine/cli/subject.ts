/** The model or config that a command is about, with the settings that its flags change. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { modelProblem } from '../config/model-problem.ts'
import { readConfigAsync } from '../config/read.ts'
import type { Reading, SourceFile } from '../config/reading.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import { derivationOf } from '../estimate/error-band.ts'
import { supportsCheckpointing } from '../models/architecture.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { resolveModel } from '../models/resolve.ts'
import { findFiles } from './files.ts'
import { modelSources } from './models.ts'
import { type SettingsFlags, suppliedFor } from './settings.ts'
import { changesOf, type SpecFlags } from './spec-flags.ts'

/** The earlier tool's defaults, so that its published readings can be compared. */
const defaults = { microBatch: 16, sequenceLength: 128, labels: 2 }

export interface Subject {
  /** The config's path, or the model's id. */
  readonly path: string
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
  /** What was taken for granted on the way, one sentence each. */
  readonly assumptions: readonly string[]
}

/** Reads the one positional argument and applies the flags; refuses what the model cannot do. */
export async function readSubject(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  const subject = await subjectOf(positionals, values)
  const spec = changed(subject, changesOf(values))
  return { ...subject, spec, assumptions: [...subject.assumptions, ...derivationOf(spec)] }
}

async function subjectOf(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  const [name] = positionals
  if (name === undefined || positionals.length > 1) {
    throw new MemoryMarkError({
      code: 'usage',
      message:
        name === undefined ? 'a model or a config is missing' : 'only one model or config is estimated at a time',
      fix: 'Run `memorymark estimate bert`, a Hub id or a config file.',
    })
  }
  return (await namesModel(name)) ? modelSubject(name) : configSubject(name, values)
}

/** Whatever is no path, and a folder that holds a model's config.json. */
async function namesModel(name: string): Promise<boolean> {
  return !(await exists(name)) || (await exists(join(name, 'config.json')))
}

async function modelSubject(name: string): Promise<Subject> {
  const resolution = await resolveModel(name, modelSources())
  if (resolution.kind !== 'resolved') throw new MemoryMarkError(modelProblem(name, resolution))
  const { model, sentence } = resolution
  return { path: model.id, spec: modelSpec(model), model, assumptions: sentence === undefined ? [] : [sentence] }
}

async function configSubject(path: string, flags: SettingsFlags): Promise<Subject> {
  const { named } = await findFiles([path])
  const [file] = named
  const reading = file && (await readWithSettings(file, flags))
  if (reading?.kind === 'training-config') {
    const { spec, model, assumptions } = reading
    return { path, spec, model, assumptions }
  }
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

async function readWithSettings(file: SourceFile, flags: SettingsFlags): Promise<Reading> {
  const supplied = await suppliedFor(file.path, flags)
  return readConfigAsync(file, name => resolveModel(name, modelSources(), file.path), supplied)
}

function modelSpec(model: CatalogueModel): TrainingSpec {
  const { imageSize } = model
  return {
    model: model.id,
    task: model.defaultTask,
    framework: 'pytorch',
    step: 'training',
    microBatch: defaults.microBatch,
    gradientAccumulation: 1,
    gpus: 1,
    ...(imageSize !== undefined ? { imageSize } : { sequenceLength: defaults.sequenceLength }),
    labels: defaults.labels,
    precision: 'fp32',
    optimizer: 'adamw',
    attention: 'sdpa',
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: 'plain',
  }
}

function changed({ spec: written, model }: Subject, changes: Partial<TrainingSpec>): TrainingSpec {
  const spec = { ...written, ...changes }
  if (!model.tasks.includes(spec.task)) {
    throw refused('--task', `${model.id} has no ${spec.task} head here`, `Use one of: ${model.tasks.join(', ')}.`)
  }
  if (model.positionLimit !== undefined && (spec.sequenceLength ?? 0) > model.positionLimit) {
    throw refused(
      '--sequence-length',
      `${model.id} has ${model.positionLimit} positions, fewer than ${spec.sequenceLength}`,
      `Use at most ${model.positionLimit}.`,
    )
  }
  if (spec.gradientCheckpointing && !supportsCheckpointing(model.config)) {
    throw refused('--gradient-checkpointing', `transformers does not checkpoint ${model.family}`, 'Leave it out.')
  }
  return spec
}

function refused(field: string, message: string, fix: string): MemoryMarkError {
  return new MemoryMarkError({ code: 'unsupported-setting', field, message, fix })
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
