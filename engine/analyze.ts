/** From files to a report: read each, assess the training configs among them, leave the rest alone. */
import { type AssessmentOptions, assess } from './assess.ts'
import { readConfigAsync } from './config/read.ts'
import type { Reading, SourceFile } from './config/reading.ts'
import { MemoryMarkError } from './errors.ts'
import { Footprints } from './estimate/footprints.ts'
import { defaultGpu, type Gpu } from './gpus/catalogue.ts'
import { type ModelSources, resolveModel } from './models/resolve.ts'
import { type ConfigResult, REPORT_SCHEMA, type Report } from './report/schema.ts'
import { defaultPolicy, type Policy } from './verdict/policy.ts'
import { version } from './version.ts'

export interface AnalyzeOptions {
  readonly now: Date
  readonly gpu?: Gpu
  readonly policy?: Policy
  /** Wall-clock hours of a run at the current batch; 2 by default, as the earlier tool assumed. */
  readonly hoursPerRun?: number
  readonly runsPerYear?: number
  readonly pricePerHourUsd?: number
  /** Where models are looked for besides the catalogue; nowhere unless told. */
  readonly models?: ModelSources
}

export const DEFAULT_HOURS_PER_RUN = 2
export const DEFAULT_RUNS_PER_YEAR = 100

/** Files that are no training config leave no trace in the report; one that cannot be read never spoils the others. */
export async function analyze(files: Iterable<SourceFile>, options: AnalyzeOptions): Promise<Report> {
  const assessment = assessmentOptions(options)
  const configs: ConfigResult[] = []
  for (const file of files) {
    const result = await analyzeFile(file, assessment, options.models ?? {})
    if (result !== undefined) configs.push(result)
  }
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: options.now.toISOString(),
    policy: options.policy ?? defaultPolicy,
    configs,
  }
}

async function analyzeFile(
  file: SourceFile,
  options: AssessmentOptions,
  models: ModelSources,
): Promise<ConfigResult | undefined> {
  const reading = await readConfigAsync(file, name => resolveModel(name, models, file.path))
  switch (reading.kind) {
    case 'not-a-training-config':
      return undefined
    case 'unreadable':
      return { status: 'not-analysed', path: file.path, problems: [...reading.problems] }
    case 'training-config':
      return assessed(file.path, () => analyzeReading(file.path, reading, options))
  }
}

/** What only the model can refuse (adapters on layers that it lacks) is said of the config that asked for it. */
function assessed(path: string, analysis: () => ConfigResult): ConfigResult {
  try {
    return analysis()
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    return { status: 'not-analysed', path, problems: [{ ...error.problem, file: path }] }
  }
}

function analyzeReading(
  path: string,
  reading: Extract<Reading, { kind: 'training-config' }>,
  options: AssessmentOptions,
): ConfigResult {
  const { spec, model, dialect, batchSizeAt, gradientAccumulationAt, assumptions } = reading
  const assessment = assess(spec, model.config, options)
  return {
    status: 'analysed',
    path,
    dialect,
    ...(batchSizeAt && { batchSizeAt }),
    ...(gradientAccumulationAt && { gradientAccumulationAt }),
    assumptions: [...assumptions],
    ...assessment,
  }
}

function assessmentOptions(options: AnalyzeOptions): AssessmentOptions {
  const gpu = options.gpu ?? defaultGpu
  const { pricePerHourUsd = gpu.pricePerHourUsd } = options
  const isCustomPrice = pricePerHourUsd !== gpu.pricePerHourUsd
  return {
    gpu: isCustomPrice
      ? { ...gpu, pricePerHourUsd, priceSource: 'your setting', priceDate: options.now.toISOString().slice(0, 10) }
      : gpu,
    policy: options.policy ?? defaultPolicy,
    footprints: new Footprints(),
    hoursPerRun: options.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: options.runsPerYear ?? DEFAULT_RUNS_PER_YEAR,
  }
}
