/** `memorymark estimate`: the memory of one model or config, without a GPU. */
import { lstat } from 'node:fs/promises'
import { DEFAULT_HOURS_PER_RUN, DEFAULT_RUNS_PER_YEAR } from '../analyze.ts'
import { type Assessment, assess } from '../assess.ts'
import { readConfig } from '../config/read.ts'
import {
  attentions,
  loops,
  MAX_BATCH,
  optimizers,
  precisions,
  stepProfiles,
  type TrainingSpec,
  tasks,
} from '../config/spec.ts'
import { closest, MemoryMarkError } from '../errors.ts'
import { Footprints } from '../estimate/footprints.ts'
import { idleBytes, idlePercent } from '../metrics/memory.ts'
import { supportsCheckpointing } from '../models/architecture.ts'
import { type CatalogueModel, findModel, modelIds, modelNames } from '../models/catalogue.ts'
import { renderTerminal } from '../render/terminal.ts'
import { REPORT_SCHEMA, type Report } from '../report/schema.ts'
import { defaultPolicy } from '../verdict/policy.ts'
import { version } from '../version.ts'
import { gpuFlag, numberFlag, oneOf, parseFlags } from './arguments.ts'
import { findFiles } from './files.ts'
import type { ExitCode } from './main.ts'

/** The earlier tool's defaults, so that its published readings can be compared. */
const defaults = { microBatch: 16, sequenceLength: 128, imageSize: 224, labels: 2 }

export async function estimate(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    'batch-size': { type: 'string' },
    'gradient-accumulation': { type: 'string' },
    'sequence-length': { type: 'string' },
    'image-size': { type: 'string' },
    labels: { type: 'string' },
    task: { type: 'string' },
    step: { type: 'string' },
    optimizer: { type: 'string' },
    precision: { type: 'string' },
    attention: { type: 'string' },
    loop: { type: 'string' },
    padded: { type: 'boolean' },
    'gradient-checkpointing': { type: 'boolean' },
    gpu: { type: 'string' },
    json: { type: 'boolean' },
  })
  const count = (flag: keyof typeof values, max: number) =>
    numberFlag(`--${flag}`, values[flag]?.toString(), { integer: true, max })
  const changes = defined({
    microBatch: count('batch-size', MAX_BATCH),
    gradientAccumulation: count('gradient-accumulation', MAX_BATCH),
    sequenceLength: count('sequence-length', 1e7),
    imageSize: count('image-size', 1e5),
    labels: count('labels', 1e6),
    task: oneOf('--task', values.task, tasks),
    step: oneOf('--step', values.step, stepProfiles),
    optimizer: oneOf('--optimizer', values.optimizer, optimizers),
    precision: oneOf('--precision', values.precision, precisions),
    attention: oneOf('--attention', values.attention, attentions),
    loop: oneOf('--loop', values.loop, loops),
    paddedBatches: values.padded,
    gradientCheckpointing: values['gradient-checkpointing'],
  })
  const subject = await subjectOf(positionals)
  const { spec, model } = applyChanges(subject, changes)
  const assessment = assess(spec, model.config, {
    gpu: gpuFlag(values.gpu),
    policy: defaultPolicy,
    footprints: new Footprints(),
    hoursPerRun: DEFAULT_HOURS_PER_RUN,
    runsPerYear: DEFAULT_RUNS_PER_YEAR,
  })
  console.log(values.json ? JSON.stringify(summary(assessment), null, 2) : terminal(subject.path, assessment))
  return 0
}

interface Subject {
  /** The config's path, or the model's id. */
  readonly path: string
  readonly spec: TrainingSpec
}

async function subjectOf(positionals: readonly string[]): Promise<Subject> {
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

async function configSubject(path: string): Promise<Subject> {
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

function applyChanges(subject: Subject, changes: Partial<TrainingSpec>): { spec: TrainingSpec; model: CatalogueModel } {
  const spec = { ...subject.spec, ...changes }
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

/** One flat object for scripts. Bytes are bytes; percents are of usable memory. */
function summary(assessment: Assessment) {
  const { spec, gpu, current, recommended, largest } = assessment
  return {
    model: spec.model,
    spec,
    gpu,
    provenance: assessment.provenance,
    errorBandPercent: assessment.errorBandPercent,
    batchSize: current.microBatch,
    fits: current.fits,
    peakBytes: current.peakBytes,
    peakMoment: assessment.peakMoment,
    breakdown: assessment.breakdown,
    usableBytes: gpu.usableBytes,
    wasteBytes: idleBytes(gpu, current),
    wastePercent: idlePercent(gpu, current),
    largestBatch: largest?.microBatch ?? null,
    recommendedBatch: recommended?.microBatch ?? null,
    recommendedAccumulation: recommended?.gradientAccumulation ?? null,
    headroomBytes: recommended ? idleBytes(gpu, recommended) : null,
    speedup: assessment.speedup,
    throughputProvenance: assessment.throughputProvenance,
    savingsPerRunUsd: assessment.savingsPerRunUsd,
    savingsPerYearUsd: assessment.savingsPerYearUsd,
  }
}

function terminal(path: string, assessment: Assessment): string {
  const report: Report = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: new Date().toISOString(),
    policy: defaultPolicy,
    configs: [{ status: 'analysed', path, dialect: 'command line', assumptions: [], ...assessment }],
  }
  return renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100,
  })
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Drops what the user did not say. */
function defined<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>
  }
}
