/** From files to a report: reads each file, assesses those that are training configs and skips the rest. */
import { type Assessment, type AssessmentOptions, assess } from './assess.ts'
import { MemoryMarkError } from './base/errors.ts'
import { sentencesOn } from './calibration/known.ts'
import type { UpgradeOptions, UpgradeTracer } from './change/upgrade.ts'
import type { SuppliedFields } from './config/fields/supplied.ts'
import { sentencesOn as sentencesOnAsked } from './config/job/request.ts'
import { type FormerStatements, formerly } from './config/pinned/pinned-versions.ts'
import { forGpu, readForGpu } from './config/read-for-gpu.ts'
import { numberPlaces, type OtherFile, type Reading, type ReadTraining, type SourceFile } from './config/reading.ts'
import { isLauncherPath } from './config/shell/quick-look.ts'
import { askingOnce, type Sources } from './config/sources.ts'
import type { TrainingPlace } from './config/training-place.ts'
import { derivationOf } from './estimate/error-band.ts'
import { whyItFails } from './estimate/failing-trainings.ts'
import { FootprintCache } from './estimate/footprint-cache.ts'
import { defaultGpu, type Gpu, gpus } from './gpus/catalogue.ts'
import { sentencesOn as sentencesOnGpu } from './gpus/described.ts'
import { priced } from './gpus/priced.ts'
import type { CatalogueModel } from './models/catalogue.ts'
import { withPlaygroundLink } from './playground-link.ts'
import { sentencesOnTorch } from './probes/newer-torch.ts'
import type { ProposalOptions } from './propose.ts'
import { isPlainLine } from './render/plain.ts'
import { changedLines } from './report/changed-lines.ts'
import type { AssumedCircumstance, ConfigResult, Report, UnanalysedConfig } from './report/schema.ts'
import { policyOf, reportOn } from './report-on.ts'
import { noSettings, type RepositorySettings, type SettingsForPath, settingsFor } from './settings/settings.ts'
import { againstBase } from './verdict/against-base.ts'
import type { Policy } from './verdict/policy.ts'

/** Each option overrides the team's settings, which override our defaults. */
export interface AnalyzeOptions {
  readonly now: Date
  /** The team's settings, from its repository. */
  readonly settings?: RepositorySettings
  readonly gpu?: Gpu
  readonly policy?: Partial<Policy>
  /** Wall-clock hours of a run at the current batch; 2 by default, as the earlier tool assumed. */
  readonly hoursPerRun?: number
  readonly runsPerYear?: number
  readonly pricePerHourUsd?: number
  /** Where files and models that a config names are looked up besides the catalogue of models; nowhere by default. */
  readonly sources?: Sources
  /** A file's text before the change under review; undefined if the file did not exist. */
  readonly base?: (path: string) => Promise<string | undefined>
  /** What the version files that the change touches said before it. */
  readonly formerVersions?: FormerStatements
  /** How a config's figures are obtained; estimated by default. */
  readonly assessor?: Assessor
  /** Traces what a change of library versions does; it is only estimated by default. */
  readonly upgradeTracer?: UpgradeTracer
}

export type TrainingConfig = Extract<Reading, { kind: 'training-config' }>

/** A MemoryMarkError that it throws is reported as that config's problem; any other error ends the analysis. */
export type Assessor = (config: TrainingConfig, file: SourceFile, options: AssessmentOptions) => Promise<Assessed>

export interface Assessed {
  readonly assessment: Assessment
  /** How the figures were obtained, one sentence each. */
  readonly assumptions: readonly string[]
}

const estimating: Assessor = async ({ spec, model }, _, options) => ({
  assessment: assess(spec, model.config, options),
  assumptions: derivationOf(spec, model.config),
})

export const DEFAULT_HOURS_PER_RUN = 2
export const DEFAULT_RUNS_PER_YEAR = 100

/** The outcome for one file. */
export type Judged =
  /** One result, or one for each training that a script starts. */
  | { readonly kind: 'configs'; readonly results: readonly ConfigResult[] }
  /** `why`: the reason, shown on request. */
  | { readonly kind: 'not-a-training-config'; readonly why: string }

/** Files that are not training configs are left out of the report. An unreadable file does not affect the others. */
export async function analyze(files: Iterable<SourceFile>, options: AnalyzeOptions): Promise<Report> {
  const judge = judging(options)
  const configs: ConfigResult[] = []
  for (const file of files) {
    await nextTurn()
    const judged = await judge(file)
    if (judged.kind === 'configs') configs.push(...judged.results)
  }
  return reportOn(configs, options)
}

/** Yields to the event loop between two configs, so that a server stays responsive. Browsers have no `setImmediate`. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => (globalThis.setImmediate ?? setTimeout)(resolve))
}

/** A function that judges one file at a time. Lookups of models and other files are cached across calls. */
export function judging(
  options: AnalyzeOptions,
  footprints: FootprintCache = new FootprintCache(),
): (file: SourceFile) => Promise<Judged> {
  const { settings = noSettings, assessor = estimating } = options
  const sources = sourcesOf(options)
  const shared = sharedOptions(options, settings, footprints)
  return async given => {
    const own = settingsFor(given.path, settings)
    const file = forGpu(options.gpu ?? own.gpu, given)
    const assessment = assessmentOptions(options, shared, own)
    const onGpu = (gpu: Gpu) => assessmentOptions({ ...options, gpu }, shared, own)
    const analyzeText = (text: string, sources: Sources, training = file.training) =>
      analyzeFile({ ...file, text, ...(training && { training }) }, assessment, {
        sources,
        supplied: own.supplied,
        onGpu,
        assessor,
      })
    const found = await analyzeText(file.text, sources.now)
    if (found.kind === 'not-a-training-config') return found
    const results: ConfigResult[] = []
    for (const { result, name, model } of found.configs) {
      const analyzeBase = (text: string) => analyzeText(text, sources.before, name === undefined ? undefined : { name })
      const judged = settings.judge === 'all' ? result : await judgedAgainstBase(result, options.base, analyzeBase)
      const changed = await withChange(judged, file, { settings, sources: sources.now })
      const upgraded = await withUpgrade(changed, name === undefined ? file : { ...file, training: { name } }, {
        ...shared,
        gpu: shared.catalogue.find(({ id }) => result.status === 'analysed' && id === result.gpu.id) ?? assessment.gpu,
        sources: sources.now,
        supplied: own.supplied,
        former: options.formerVersions ?? new Map(),
        ...(options.upgradeTracer && { tracer: options.upgradeTracer }),
      })
      results.push(model === undefined ? upgraded : await withPlaygroundLink(upgraded, file, { settings, model }))
    }
    return { kind: 'configs', results }
  }
}

/** Lookups after the change and before it. */
function sourcesOf({ sources = {}, base, formerVersions }: AnalyzeOptions): {
  readonly now: Sources
  readonly before: Sources
} {
  const listFolder = sources.listFolder && formerly(sources.listFolder, formerVersions ?? new Map())
  const before = base && sources.readFile ? { ...sources, readFile: base, ...(listFolder && { listFolder }) } : sources
  return { now: askingOnce(sources), before: askingOnce(before) }
}

/** Compares with the base branch only if the verdict is `blocked`, the only state that the base can change. */
async function judgedAgainstBase(
  result: ConfigResult,
  base: AnalyzeOptions['base'],
  analyzeBase: (text: string) => Promise<Analysed>,
): Promise<ConfigResult> {
  if (result.status !== 'analysed' || result.verdict.state !== 'blocked') return result
  const text = await base?.(result.path)
  const before = text === undefined ? undefined : await analyzeBase(text)
  const [only, ...others] = before?.kind === 'configs' ? before.configs : []
  if (only?.result.status !== 'analysed' || others.length > 0) return result
  return { ...result, verdict: againstBase(result, only.result) }
}

/** Adds what changed library versions do to the config, if the change pins other versions. */
async function withUpgrade(result: ConfigResult, file: SourceFile, options: UpgradeOptions): Promise<ConfigResult> {
  if (result.status !== 'analysed' || options.former.size === 0) return result
  const { upgradeOf } = await import('./change/upgrade.ts')
  const upgrade = await upgradeOf(file, options)
  return upgrade === undefined ? result : { ...result, upgrade }
}

/** Adds the changed lines of the recommendation, unless the verdict is `fine`. */
async function withChange(result: ConfigResult, file: SourceFile, options: ProposalOptions): Promise<ConfigResult> {
  if (result.status !== 'analysed' || result.verdict.state === 'fine') return result
  const { proposeChange } = await import('./propose.ts')
  const proposal = await proposeChange(file, result, options)
  const lines = proposal.kind === 'change' ? changedLines(proposal) : []
  const isShort = lines.length > 0 && lines.every(({ before, after }) => isPlainLine(before) && isPlainLine(after))
  return isShort ? { ...result, change: lines } : result
}

interface ReadingOptions {
  readonly sources: Sources
  readonly supplied: SuppliedFields
  readonly assessor: Assessor
  /** The options for a GPU that the repository's jobs ask for, used if nobody names a GPU. */
  readonly onGpu: (gpu: Gpu) => AssessmentOptions
}

/** The outcome for one file before it is compared with the base branch. */
type Analysed =
  | { readonly kind: 'configs'; readonly configs: readonly AnalysedTraining[] }
  | Extract<Judged, { kind: 'not-a-training-config' }>

interface AnalysedTraining {
  readonly result: ConfigResult
  /** The training's name, if the file starts several. */
  readonly name?: string | undefined
  /** Absent where the config could not be read. */
  readonly model?: CatalogueModel
}

async function analyzeFile(file: SourceFile, options: AssessmentOptions, reading: ReadingOptions): Promise<Analysed> {
  const { sources, supplied } = reading
  const named = options.assumed?.includes('gpu') ? undefined : options.gpu
  const { reading: read } = await readForGpu(named, file, sources, supplied)
  if (read.kind === 'not-a-training-config') return read
  if (read.kind !== 'several-trainings') {
    return { kind: 'configs', configs: [await analyzeReading(file, read, options, reading)] }
  }
  const configs: AnalysedTraining[] = []
  for (const { name } of read.trainings) {
    const each = await analyzeFile({ ...file, training: { name } }, options, reading)
    if (each.kind === 'configs') configs.push(...each.configs)
  }
  return { kind: 'configs', configs }
}

async function analyzeReading(
  file: SourceFile,
  reading: Exclude<Reading, { kind: 'not-a-training-config' }>,
  general: AssessmentOptions,
  { assessor, onGpu }: ReadingOptions,
): Promise<AnalysedTraining> {
  const { path } = file
  const name = reading.training?.name
  switch (reading.kind) {
    case 'unreadable': {
      const problems = [...reading.problems]
      const result = {
        status: 'not-analysed' as const,
        path,
        ...(reading.dialect !== undefined && { dialect: reading.dialect }),
        problems,
        ...unblocking(path, general),
        ...besides(reading),
      }
      return { name, result }
    }
    case 'training-config': {
      const asked = general.assumed?.includes('gpu') ? reading.askedCard : undefined
      const options = asked?.kind === 'card' ? onGpu(asked.gpu) : general
      const assumed = [...(options.assumed ?? []), ...assumedIn(reading)]
      const analysis = async () => {
        const { assessment, assumptions } = await assessor(reading, file, { ...options, assumed })
        const { calibration, gpu } = assessment
        const calibrated = calibration ? sentencesOn(calibration, gpu) : []
        const isEstimated = assessment.provenance === 'estimated'
        const onTorch = isEstimated ? sentencesOnTorch(assessment.spec, reading.model.config, options) : []
        const unclear = asked?.kind === 'unclear' ? { askedGpu: asked.why } : {}
        return analysed(path, reading, {
          ...unclear,
          assessment,
          assumptions: [
            ...assumptions,
            ...sentencesOnAsked(asked),
            ...onTorch,
            ...whyItFails(assessment.spec, reading.model.config),
            ...calibrated,
            ...sentencesOnGpu(options.gpu),
          ],
        })
      }
      // A failed measurement blocks as usual: only a config that we could not understand is excused.
      const excuse = assessor === estimating ? unblocking(path, options) : {}
      return { name, model: reading.model, result: await assessed(path, reading, analysis, excuse) }
    }
  }
}

/** What was assumed because the config does not say it, and the verdict may depend on. */
export function assumedIn({
  assumesGpus,
  assumesLength,
  assumesCode,
  countsTooMuch,
  unreadSettings,
}: Pick<
  TrainingConfig,
  'assumesGpus' | 'assumesLength' | 'assumesCode' | 'countsTooMuch' | 'unreadSettings'
>): AssumedCircumstance[] {
  return [
    ...(assumesGpus ? (['gpus'] as const) : []),
    ...(assumesLength ? (['length'] as const) : []),
    ...(assumesCode ? (['code'] as const) : []),
    ...(countsTooMuch ? (['upper-bound'] as const) : []),
    ...(unreadSettings ? (['settings'] as const) : []),
  ]
}

/** Reports a MemoryMarkError, such as LoRA on layers that the model lacks, as a problem of this config. */
async function assessed(
  path: string,
  reading: TrainingConfig,
  analysis: () => Promise<ConfigResult>,
  excuse: Pick<UnanalysedConfig, 'spared'>,
): Promise<ConfigResult> {
  try {
    return await analysis()
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    const problems = [{ ...error.problem, file: path }]
    return { status: 'not-analysed', path, dialect: reading.dialect, problems, ...excuse, ...besides(reading) }
  }
}

/**
 * Why a config that could not be analysed does not block, if so: the policy never blocks, or it is a launcher, whose
 * values may be known only when it runs.
 */
function unblocking(path: string, { policy }: Pick<AssessmentOptions, 'policy'>): Pick<UnanalysedConfig, 'spared'> {
  if (policy.failOn.length === 0) return { spared: 'never' }
  return isLauncherPath(path) ? { spared: 'run-time' } : {}
}

function analysed(
  path: string,
  reading: TrainingConfig,
  { assessment, assumptions, askedGpu }: Assessed & { readonly askedGpu?: string },
): ConfigResult {
  const { dialect, unreadSettings } = reading
  return {
    status: 'analysed',
    path,
    dialect,
    ...numberPlaces(reading),
    assumptions: [...reading.assumptions, ...assumptions],
    ...(unreadSettings && { unreadSettings: [...unreadSettings] }),
    ...(askedGpu !== undefined && { askedGpu: askedGpu.slice(0, 1_000) }),
    ...besides(reading),
    ...assessment,
  }
}

function besides({
  otherFiles,
  training,
}: {
  readonly otherFiles?: readonly OtherFile[]
  readonly training?: ReadTraining
}): Pick<ConfigResult, 'otherFiles' | 'training'> {
  return {
    ...(otherFiles !== undefined && { otherFiles: [...otherFiles] }),
    ...(training?.isOnly === false && { training: placeOf(training) }),
  }
}

function placeOf({ isOnly: _, ...place }: ReadTraining): TrainingPlace {
  return place
}

type SharedOptions = Omit<AssessmentOptions, 'gpu' | 'hoursPerRun' | 'runsPerYear'> & {
  readonly catalogue: readonly Gpu[]
}

/** The options that all configs share. */
function sharedOptions(
  options: AnalyzeOptions,
  settings: RepositorySettings,
  footprints: FootprintCache,
): SharedOptions {
  const { stepSize, marginPercent, calibration } = settings
  return {
    policy: policyOf({ ...options, settings }),
    footprints,
    catalogue: [...gpus, ...settings.gpus].map(gpu =>
      priced(gpu, settings.pricesPerHourUsd[gpu.id], settings.source, options.now),
    ),
    calibration,
    ...(stepSize !== undefined && { stepSize }),
    ...(marginPercent !== undefined && { margin: marginPercent / 100 }),
  }
}

/** The options for one config: from the caller, else the settings for its path, else our defaults. */
export function assessmentOptionsFor(path: string, options: AnalyzeOptions): AssessmentOptions {
  const { settings = noSettings } = options
  return assessmentOptions(options, sharedOptions(options, settings, new FootprintCache()), settingsFor(path, settings))
}

function assessmentOptions(options: AnalyzeOptions, shared: SharedOptions, own: SettingsForPath): AssessmentOptions {
  const chosen = options.gpu ?? own.gpu ?? defaultGpu
  const listed = shared.catalogue.find(({ id }) => id === chosen.id) ?? chosen
  return {
    ...shared,
    assumed: options.gpu === undefined && own.gpu === undefined ? ['gpu'] : [],
    gpu: priced(listed, options.pricePerHourUsd, 'your setting', options.now),
    hoursPerRun: options.hoursPerRun ?? own.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: options.runsPerYear ?? own.runsPerYear ?? DEFAULT_RUNS_PER_YEAR,
  }
}
