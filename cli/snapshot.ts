/** A memory snapshot that PyTorch took of a run, beside the estimate: `memorymark timeline --snapshot`. */
import type { Assessment } from '../engine/assess.ts'
import type { MemoryPoint } from '../engine/estimate/step/memory-over-step.ts'
import { limitsOfSnapshots } from '../engine/isolated/limits.ts'
import { formatCount } from '../engine/render/figures.ts'
import { type ComparedSnapshot, snapshotPage, snapshotRemarks } from '../engine/render/snapshot-page.ts'
import { errorBandOf } from '../engine/report/ranges.ts'
import { compare } from '../engine/snapshot/against-estimate.ts'
import type { SnapshotSummary } from '../engine/snapshot/summary.ts'
import { openEngine } from './engine.ts'
import { columns, onOneLine, print } from './print.ts'

interface ReadFile {
  readonly path: string
  readonly snapshot: SnapshotSummary
}

type Compared = ComparedSnapshot & Pick<ReadFile, 'path'>

/** A stranger's file, in a process of its own with limits for what is large. @throws MemoryMarkError */
export async function readSnapshot(path: string): Promise<ReadFile> {
  await using engine = openEngine({ limits: limitsOfSnapshots })
  return { path, snapshot: await engine.readSnapshot(path) }
}

/** `peak`: of the estimate. */
export function comparedWith({ path, snapshot }: ReadFile, assessment: Assessment, peak: MemoryPoint): Compared {
  const estimate = { peakBytes: peak.bytes, errorBand: errorBandOf(assessment) }
  return { path, snapshot, comparison: compare(snapshot, peak), estimate }
}

/** For scripts. Bytes are bytes; events count from 0. */
export function snapshotSummary({ snapshot, comparison }: Compared) {
  const { peak, isEstimate, ...known } = snapshot
  return {
    provenance: isEstimate ? 'estimated' : 'measured',
    peakBytes: peak.bytes,
    peakEvent: peak.event,
    breakdown: peak.breakdown,
    ...comparison,
    ...known,
    remarks: snapshotRemarks(snapshot),
  }
}

export function printSnapshot(compared: Compared): void {
  const { device, events, isEstimate } = compared.snapshot
  const known = `memory ${isEstimate ? 'estimated' : 'measured'}`
  print(
    `\n${onOneLine(compared.path)}: ${formatCount(events)} event${events === 1 ? '' : 's'} on cuda:${device}; ${known}\n`,
  )
  print(snapshotPage(compared, columns()))
}
