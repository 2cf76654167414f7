/** `memorymark estimate`: the memory of one model or config, without a GPU. */
import { DEFAULT_HOURS_PER_RUN, DEFAULT_RUNS_PER_YEAR } from '../analyze.ts'
import { type Assessment, assess } from '../assess.ts'
import { FootprintCache } from '../estimate/footprint-cache.ts'
import { idleBytes, idlePercent } from '../metrics/memory.ts'
import { renderTerminal } from '../render/terminal.ts'
import { REPORT_SCHEMA, type Report } from '../report/schema.ts'
import { defaultPolicy } from '../verdict/policy.ts'
import { version } from '../version.ts'
import { gpuFlag, parseFlags } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { specOptions } from './spec-flags.ts'
import { readSubject, type Subject } from './subject.ts'

export async function estimate(args: string[]): Promise<ExitCode> {
  const { subject, assessment, isJson } = await estimated(args)
  console.log(isJson ? JSON.stringify(summary(subject, assessment), null, 2) : terminal(subject, assessment))
  return 0
}

/** What the command prints. */
export interface Estimated {
  readonly subject: Subject
  readonly assessment: Assessment
  readonly isJson: boolean
}

/** The command without its output. `footprints` may outlive it. */
export async function estimated(args: readonly string[], footprints = new FootprintCache()): Promise<Estimated> {
  const { values, positionals } = parseFlags([...args], {
    ...specOptions,
    gpu: { type: 'string' },
    json: { type: 'boolean' },
  })
  const subject = await readSubject(positionals, values)
  const assessment = assess(subject.spec, subject.model.config, {
    gpu: gpuFlag(values.gpu),
    policy: defaultPolicy,
    footprints,
    hoursPerRun: DEFAULT_HOURS_PER_RUN,
    runsPerYear: DEFAULT_RUNS_PER_YEAR,
  })
  return { subject, assessment, isJson: values.json === true }
}

/** One flat object for scripts. Bytes are bytes; percents are of usable memory. */
function summary({ assumptions }: Subject, assessment: Assessment) {
  const { spec, gpu, current, recommended, largest } = assessment
  return {
    model: spec.model,
    spec,
    gpu,
    provenance: assessment.provenance,
    errorBandPercent: assessment.errorBandPercent,
    errorBand: assessment.errorBand,
    batchSize: current.microBatch,
    fits: current.fits,
    peakBytes: current.peakBytes,
    reservedBytes: current.reservedBytes ?? null,
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
    assumptions,
  }
}

function terminal({ path, assumptions }: Subject, assessment: Assessment): string {
  const report: Report = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: new Date().toISOString(),
    policy: defaultPolicy,
    configs: [{ status: 'analysed', path, dialect: 'command line', assumptions: [...assumptions], ...assessment }],
  }
  const page = renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100,
    judges: false,
  })
  return assumptions.length === 0 ? page : [page, '', ...assumptions].join('\n')
}
