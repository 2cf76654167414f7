/**
 * `memorymark timeline`: memory by kind over one step, as a file that PyTorch's memory viewer opens, and beside a snapshot that PyTorch
 * took of a run.
 */
import { writeFile } from 'node:fs/promises'
import type { Assessment } from '../engine/assess.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { formatGib } from '../engine/base/units.ts'
import { traceSteps } from '../engine/estimate/allocator-trace.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import type { MemoryPoint } from '../engine/estimate/step/memory-over-step.ts'
import { findGpuAmong, type Gpu } from '../engine/gpus/catalogue.ts'
import { EstimateProbe, workspaceBytesOf } from '../engine/probes/estimate.ts'
import { formatCount, memoryProvenance } from '../engine/render/figures.ts'
import { plainText } from '../engine/render/plain.ts'
import { highestOf } from '../engine/render/stacked-chart.ts'
import { repetitionRemark, stepChart } from '../engine/render/step-chart.ts'
import { torchSnapshot } from '../engine/render/torch-snapshot.ts'
import type { Subject } from '../engine/subject.ts'
import { parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { namedGpu } from './gpu.ts'
import { columns, onOneLine, print, printJson, sentenceLines } from './print.ts'
import { settingsOrThrow } from './settings.ts'
import { comparedWith, printSnapshot, readSnapshot, snapshotSummary } from './snapshot.ts'
import { specOptions } from './spec-flags.ts'
import { estimateSubject } from './subject.ts'

const options = {
  ...specOptions,
  gpu: { type: 'string' },
  out: { type: 'string' },
  snapshot: { type: 'string' },
  json: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parseFlags<typeof options>>['values']

/** As many as a wide screen can show. */
const POINTS = 300

export async function timeline(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, options)
  const { subject, assessment, gpu } = await estimated(positionals, values)
  const snapshot = values.snapshot === undefined ? undefined : await readSnapshot(values.snapshot)
  const { spec, model } = subject
  const factor = assessment.calibration?.memory?.factor
  const footprint = new FootprintCache().of(spec, model.config, gpu)
  const points = new EstimateProbe(footprint, gpu, factor).overStep(spec.microBatch, POINTS)
  if (values.out !== undefined) {
    const trace = traceSteps(footprint, spec.microBatch, workspaceBytesOf(gpu))
    await write(values.out, torchSnapshot(trace))
  }
  const compared = snapshot && comparedWith(snapshot, assessment, highestOf(points))
  if (values.json) {
    const shown = summary(subject, assessment, points)
    printJson(compared === undefined ? shown : { ...shown, snapshot: snapshotSummary(compared) })
  } else {
    printPage({ subject, assessment, points, out: values.out })
    if (compared !== undefined) printSnapshot(compared)
  }
  return 0
}

/** Estimates in a limited process first, so that the step can then be replayed here within the limits. */
async function estimated(positionals: readonly string[], values: Flags) {
  await using engine = openEngine()
  const named = await namedGpu(values, engine)
  const { subject, assessment } = await estimateSubject(positionals, values, engine, named)
  const described = subject.dialect === undefined ? [] : (await settingsOrThrow(values, engine)).gpus
  const gpu: Gpu | undefined = named ?? findGpuAmong(described, assessment.gpu.id)
  if (gpu === undefined) throw new Error(`the GPU of an estimate is unknown: ${assessment.gpu.id}`)
  return { subject, assessment, gpu }
}

async function write(path: string, snapshot: Uint8Array): Promise<void> {
  try {
    await writeFile(path, snapshot)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new MemoryMarkError(
      {
        code: 'cannot-write',
        field: '--out',
        message: `${path} cannot be written (${String(error.code)})`,
        fix: 'Name a file in a folder that exists and that you may write to.',
      },
      { cause: error },
    )
  }
}

/** The JSON object for scripts. Memory is in bytes. */
function summary({ spec, assumptions }: Subject, assessment: Assessment, points: readonly MemoryPoint[]) {
  const { gpu, provenance, errorBandPercent, errorBand } = assessment
  const { bytes, moment } = highestOf(points)
  return {
    model: spec.model,
    spec,
    gpu,
    provenance,
    errorBandPercent,
    errorBand,
    batchSize: spec.microBatch,
    peakBytes: bytes,
    peakMoment: moment,
    usableBytes: gpu.usableBytes,
    points,
    assumptions,
  }
}

interface Page {
  readonly subject: Subject
  readonly assessment: Assessment
  readonly points: readonly MemoryPoint[]
  readonly out: string | undefined
}

function printPage({ subject, assessment, points, out }: Page): void {
  const { spec, path, assumptions } = subject
  const { gpu, current } = assessment
  const { bytes, moment } = highestOf(points)
  const known = `memory ${memoryProvenance(assessment)}`
  const heading = `${onOneLine(path)} on ${plainText(gpu.name, 60)}: one step at micro-batch ${formatCount(spec.microBatch)}; ${known}`
  print(`${sentenceLines([heading])}\n`)
  print(`${stepChart(points, columns())}\n`)
  const sentences = [
    `The peak is ${formatGib(bytes)}, at: ${plainText(moment, 200)}. ${formatGib(gpu.usableBytes)} is usable${current.fits ? '' : ': the step does not fit'}.`,
    'Left to right in the order of allocations and releases, not to scale in time; each column shows its highest moment.',
    repetitionRemark(points),
    ...(out === undefined ? [] : writtenTo(out, assessment)),
    ...assumptions,
  ]
  print(sentenceLines(sentences.filter(sentence => sentence !== '')))
}

function writtenTo(out: string, { calibration }: Assessment): readonly string[] {
  return [
    `Wrote ${onOneLine(out)}: open it at https://pytorch.org/memory_viz, or with python -m torch.cuda._memory_viz trace_plot.`,
    ...(calibration?.memory === undefined ? [] : ['The file has the estimate as it is without calibration.']),
  ]
}
