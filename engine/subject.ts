/** Reads one model or config that a command names, with settings changed by hand. */
import { DEFAULT_HOURS_PER_RUN, DEFAULT_RUNS_PER_YEAR } from './analyze.ts'
import { type Assessment, assess } from './assess.ts'
import { MemoryMarkError } from './base/errors.ts'
import type { Calibration } from './calibration/correction.ts'
import type { RunFigures } from './calibration/file.ts'
import { adjusted, type SpecAdjustments, specOf } from './config/adjusted-spec.ts'
import { unreadSentence } from './config/fields/memory-settings.ts'
import { modelProblem } from './config/fields/model-problem.ts'
import type { SuppliedVersion } from './config/fields/supplied.ts'
import type { AskedCard } from './config/job/request.ts'
import { readForGpu } from './config/read-for-gpu.ts'
import type { ReadTraining, SourceFile } from './config/reading.ts'
import { resolveModel } from './config/resolve-model.ts'
import type { Sources } from './config/sources.ts'
import { oneOf } from './config/text/quote.ts'
import { configName, type TrainingPlace } from './config/training-place.ts'
import { derivationOf } from './estimate/error-band.ts'
import type { FootprintCache } from './estimate/footprint-cache.ts'
import { defaultGpu, type Gpu } from './gpus/catalogue.ts'
import type { ModelConfig } from './models/architecture.ts'
import type { CatalogueModel } from './models/catalogue.ts'
import { type BareTraining, fieldsSaid, plainTraining, usualTraining } from './plan/bare-model.ts'
import type { Plan } from './plan/plan.ts'
import { EstimateProbe } from './probes/estimate.ts'
import { type RepositorySettings, settingsFor } from './settings/settings.ts'
import type { TrainingSpec } from './training/spec.ts'
import { defaultPolicy } from './verdict/policy.ts'

export interface Subject {
  /** The config's path, or the model's id. */
  readonly path: string
  /** The training within a file that starts several. */
  readonly training?: TrainingPlace
  /** The name of the config's format; absent for a bare model. */
  readonly dialect?: string
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[]
  /** What the jobs that start the config ask for. */
  readonly askedCard?: AskedCard
  /** The dotted name of the setting that holds the batch size, where teams give it names of their own. */
  readonly batchSetting?: string
}

/** What a command names: a model, by its name or folder, or a config. */
export type Named =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'config'; readonly file: SourceFile }

/** Plain data, so that it can be sent to another process. */
export interface SubjectOptions {
  readonly changes: SpecAdjustments
  /** Library versions given by hand; they win over the settings and the repository's files. */
  readonly versions: readonly SuppliedVersion[]
  /** The caller's names for spec fields, for error messages. */
  readonly fieldNames: Readonly<Partial<Record<keyof TrainingSpec, string>>>
  /** For what a config does not say. */
  readonly settings: RepositorySettings
  /**
   * Fills what `changes` leave open when a bare model is trained, with an assumption for each; by default `specOf`'s
   * values, without assumptions.
   */
  readonly bare?: 'plain' | 'usual'
  /** The GPU that runs it, if the caller names one; it wins over the settings. */
  readonly gpu?: Gpu | undefined
}

export interface EstimatedSubject {
  readonly subject: Subject
  readonly assessment: Assessment
}

export interface PlannedSubject {
  readonly subject: Subject
  readonly plan: Plan
}

/** @throws MemoryMarkError for a subject that cannot be read or a setting that the model cannot have. */
export async function readSubject(named: Named, options: SubjectOptions, sources: Sources): Promise<Subject> {
  const { changes, fieldNames, bare } = options
  const read =
    named.kind === 'model' ? modelSubject(named.name, options, sources) : configSubject(named.file, options, sources)
  const { spec: written, model, assumptions, ...place } = await read
  const changed = adjusted(written, model, changes, field => fieldNames[field] ?? field)
  const { spec, assumptions: assumed } =
    bare === undefined || named.kind === 'config'
      ? { spec: changed, assumptions: [] }
      : bareTrainingOf(changed, model, { bare, said: fieldsSaid(changes), gpu: options.gpu })
  return { ...place, spec, model, assumptions: [...assumptions, ...assumed, ...derivationOf(spec, model.config)] }
}

function bareTrainingOf(
  spec: TrainingSpec,
  model: CatalogueModel,
  { bare, ...told }: { bare: 'plain' | 'usual'; said: readonly (keyof TrainingSpec)[]; gpu: Gpu | undefined },
): BareTraining {
  return bare === 'plain' ? plainTraining(spec, told) : usualTraining(spec, model, told)
}

/** @throws MemoryMarkError for TensorFlow.js, which cannot be estimated. */
export function estimateSubject(
  { spec, model }: Subject,
  gpu: Gpu,
  footprints: FootprintCache,
  calibration: Calibration = [],
): Assessment {
  return assess(spec, model.config, {
    gpu,
    calibration,
    policy: defaultPolicy,
    footprints,
    hoursPerRun: DEFAULT_HOURS_PER_RUN,
    runsPerYear: DEFAULT_RUNS_PER_YEAR,
  })
}

/** A training that was run and the GPU that it ran on. Plain data. */
export interface RunOnGpu {
  readonly spec: TrainingSpec
  readonly gpu: Gpu
  /** The model's config; looked up by the model's name if absent. */
  readonly config?: ModelConfig
}

/** A run's peak memory and throughput as estimated, without corrections. @throws MemoryMarkError */
export async function estimateRun(
  model: string,
  { spec, gpu, config }: RunOnGpu,
  { sources, footprints }: { readonly sources: Sources; readonly footprints: FootprintCache },
): Promise<RunFigures> {
  const probe = new EstimateProbe(footprints.of(spec, config ?? (await configOf(model, sources)), gpu), gpu)
  const samplesPerSecond = probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation)
  const peakBytes = probe.peakBytes(spec.microBatch)
  return { peakBytes, ...(samplesPerSecond !== undefined && { samplesPerSecond }) }
}

async function configOf(model: string, sources: Sources): Promise<ModelConfig> {
  const resolution = await resolveModel(model, sources)
  if (resolution.kind !== 'resolved') throw new MemoryMarkError(modelProblem(model, resolution))
  return resolution.model.config
}

/** Estimates the subject once and discards the result, to use as much time and memory as planning its steps will. */
export function rehearse(subject: Subject, footprints: FootprintCache): void {
  if (subject.spec.framework === 'pytorch') estimateSubject(subject, defaultGpu, footprints)
}

async function modelSubject(name: string, { versions }: SubjectOptions, sources: Sources): Promise<Subject> {
  const resolution = await resolveModel(name, sources)
  if (resolution.kind !== 'resolved') throw new MemoryMarkError(modelProblem(name, resolution))
  const { model, sentence } = resolution
  const stated = versions.map(({ library, version }) => [library, version])
  const spec = { ...specOf(model), ...(stated.length > 0 && { versions: Object.fromEntries(stated) }) }
  return { path: model.id, spec, model, assumptions: sentence === undefined ? [] : [sentence] }
}

async function configSubject(file: SourceFile, options: SubjectOptions, sources: Sources): Promise<Subject> {
  const { path } = file
  const { gpu, supplied } = settingsFor(path, options.settings)
  const versions = [...(supplied.versions ?? []), ...options.versions]
  const changed = fieldsSaid(options.changes)
  const { reading } = await readForGpu(options.gpu ?? gpu, file, sources, { ...supplied, versions, changed })
  switch (reading.kind) {
    case 'training-config': {
      const { spec, model, training, dialect } = reading
      const unread = unreadSentence(reading.unreadSettings)
      const assumptions = [...reading.assumptions, ...(unread === undefined ? [] : [unread])]
      const place = { path, dialect }
      return {
        ...place,
        spec,
        model,
        assumptions,
        ...(reading.batchSizeName !== undefined && { batchSetting: reading.batchSizeName }),
        ...(reading.askedCard && { askedCard: reading.askedCard }),
        ...(training?.isOnly === false && { training: withoutCount(training) }),
      }
    }
    case 'not-a-training-config':
      throw new MemoryMarkError(notATrainingConfig(path, reading.why))
    case 'several-trainings':
      throw new MemoryMarkError(severalTrainings(path, reading.trainings))
    case 'unreadable':
      throw new MemoryMarkError(reading.problems[0] ?? notATrainingConfig(path))
  }
}

function withoutCount({ isOnly: _, ...place }: ReadTraining): TrainingPlace {
  return place
}

/** The problem for a command that needs one training when the file starts several. */
export function severalTrainings(path: string, trainings: readonly TrainingPlace[]): MemoryMarkError['problem'] {
  return {
    code: 'several-trainings',
    file: path,
    message: `it starts ${trainings.length} trainings, and one is asked for`,
    fix: `Name ${oneOf(trainings.map(training => `${configName({ path, training })} (${training.name})`))}.`.slice(
      0,
      2_000,
    ),
  }
}

/** `why`: one sentence. */
export function notATrainingConfig(path: string, why?: string): MemoryMarkError['problem'] {
  return {
    code: 'not-a-training-config',
    file: path,
    message: 'this is not a training config',
    fix: `${why === undefined ? '' : `${why} `}Name a file that sets a batch size, or a model.`,
  }
}
