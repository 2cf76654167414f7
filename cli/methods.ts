/** The output of `estimate` for a bare model: one row per training method. */

import { formatGib } from '../engine/base/units.ts'
import { methodNames } from '../engine/plan/methods.ts'
import { shortName } from '../engine/render/advice.ts'
import { formatBand, formatCount, formatSpeed } from '../engine/render/figures.ts'
import { plainText } from '../engine/render/plain.ts'
import { tableWithin } from '../engine/render/text-table.ts'
import { errorBandOf } from '../engine/report/ranges.ts'
import { modelCopies } from '../engine/training/batches.ts'
import type { EstimatedMethods, MethodEstimate } from '../engine/training-methods.ts'
import { sentenceLines } from './print.ts'

/** For scripts, beside the fields of a single estimate. */
export function methodRow({ method, assessment }: MethodEstimate) {
  const { spec, gpu, current, largest, errorBandPercent, errorBand, provenance, throughputProvenance } = assessment
  return {
    method,
    spec,
    gpu,
    provenance,
    errorBandPercent,
    errorBand,
    fits: current.fits,
    peakBytes: current.peakBytes,
    largestBatch: largest?.microBatch ?? null,
    throughputProvenance,
    samplesPerSecond: largest?.samplesPerSecond ?? null,
    samplesPerSecondRange: largest?.samplesPerSecondRange ?? null,
  }
}

/** `hasGpu`: whether the user named a GPU. */
export function methodsPage({ subject, methods }: EstimatedMethods, hasGpu: boolean, columns: number): string {
  const name = plainText(subject.path, 200)
  const { gpus, sharding = 'ddp' } = subject.spec
  const isOne = gpus === 1
  const on = isOne ? '' : ` on ${formatCount(gpus)} GPUs (${sharding})`
  const speed = isOne ? 'samples/s at it' : 'samples/s of all'
  const header = ['', 'one sample takes', hasGpu ? 'fits on' : 'smallest GPU', 'largest batch', speed]
  const rows = methods.map(estimate => cellsOf(estimate, hasGpu))
  return [
    sentenceLines([
      `${name}${on}: memory is estimated, speed is modelled.`,
      ...(isOne ? [] : ["Memory and batch are each GPU's."]),
    ]),
    tableWithin(columns, [header, ...rows]).join('\n'),
    sentenceLines([...subject.assumptions, `memorymark plan ${name} finds what costs least, on several GPUs too.`]),
  ].join('\n\n')
}

function cellsOf({ method, assessment }: MethodEstimate, hasGpu: boolean): string[] {
  const { current, largest, gpu } = assessment
  const memory = `${formatGib(current.peakBytes)}, ${formatBand(errorBandOf(assessment))}`
  const card = shortName(gpu)
  if (largest === undefined) return [methodNames[method], memory, hasGpu ? `not ${card}` : 'none', '–', '–']
  const { microBatch, samplesPerSecond, samplesPerSecondRange: range } = largest
  const copies = modelCopies(assessment.spec)
  const together = range && { low: copies * range.low, high: copies * range.high }
  const speed = samplesPerSecond === undefined ? '–' : formatSpeed(copies * samplesPerSecond, together)
  return [methodNames[method], memory, card, formatCount(microBatch), speed]
}
