/** `memorymark estimate`: the memory of one model or config, without a GPU. */
import type { Assessment } from '../engine/assess.ts'
import { version } from '../engine/base/version.ts'
import { sentencesOn as sentencesOnCalibration } from '../engine/calibration/known.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import { idleBytes, idlePercent } from '../engine/metrics/memory.ts'
import { REPORT_SCHEMA, type Report } from '../engine/report/schema.ts'
import type { EstimatedSubject, Subject } from '../engine/subject.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'
import { parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { namedGpu } from './gpu.ts'
import { methodRow, methodsPage } from './methods.ts'
import { columns, print, printJson, printReport } from './print.ts'
import { specOptions } from './spec-flags.ts'
import { estimateMethods, estimateSubject } from './subject.ts'

export async function estimate(args: string[]): Promise<ExitCode> {
  await using engine = openEngine()
  const { values, positionals } = parseFlags(args, options)
  const methods = await estimateMethods(positionals, values, engine, await namedGpu(values, engine))
  if (methods !== undefined) {
    const { subject, assessment } = methods
    if (values.json) printJson({ ...summary(subject, assessment), rows: methods.methods.map(methodRow) })
    else print(methodsPage(methods, values.gpu !== undefined, columns()))
    return 0
  }
  const { subject, assessment } = await estimated(args, engine)
  if (values.json) printJson(summary(subject, assessment))
  else printPage(subject, assessment)
  return 0
}

const options = { ...specOptions, gpu: { type: 'string' }, json: { type: 'boolean' } } as const

/** Estimates one training from the command's arguments. */
export async function estimated(args: readonly string[], engine: IsolatedEngine): Promise<EstimatedSubject> {
  const { values, positionals } = parseFlags([...args], options)
  const gpu = await namedGpu(values, engine)
  const { subject, assessment } = await estimateSubject(positionals, values, engine, gpu)
  const { calibration } = assessment
  const calibrated = calibration ? sentencesOnCalibration(calibration, assessment.gpu) : []
  const assumptions = [...subject.assumptions, ...calibrated]
  return { subject: { ...subject, assumptions }, assessment }
}

/** One flat JSON object for scripts. Memory is in bytes; percentages are of usable memory. */
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
    peaks: assessment.peaks ?? null,
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

function printPage({ path, assumptions }: Subject, assessment: Assessment): void {
  const report: Report = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: new Date().toISOString(),
    policy: defaultPolicy,
    configs: [{ status: 'analysed', path, dialect: 'command line', assumptions: [...assumptions], ...assessment }],
  }
  printReport(report, { sentences: assumptions, judges: false })
}
