/** What the last whole run of `npm run bench:accuracy` traced, as its record has it (bench/results/accuracy.txt). */
import { readFileSync } from 'node:fs'
import { GIB } from '../../engine/base/units.ts'
import type { Cell } from './cell.ts'

export interface RecordedCell {
  readonly tracedBytes: number
  readonly estimatedBytes: number
  /** By how much the estimate differs, which the rounded bytes tell less well. */
  readonly percent: number
}

/** The record writes GiB with three digits. */
const ROUNDED_BYTES = 0.000_51 * GIB

const record = readFileSync(new URL('../results/accuracy.txt', import.meta.url), 'utf8')
const recorded = new Map(
  Array.from(
    record.matchAll(/^ *([\d.]+) +([\d.]+) ([-+][\d.]+) % {2}(.+)$/gm),
    ([, traced, estimated, percent, label = '']) => [
      label,
      { tracedBytes: Number(traced) * GIB, estimatedBytes: Number(estimated) * GIB, percent: Number(percent) },
    ],
  ),
)

export function labelOf([name, changes]: Cell): string {
  return `${name} ${JSON.stringify(changes)}`
}

/** Undefined for a cell that the record does not have, one that is estimated otherwise since, and where other releases are installed. */
export function recordedCell(
  cell: Cell,
  estimatedBytes: number,
  { torch, transformers }: { readonly torch: string; readonly transformers: string },
): RecordedCell | undefined {
  if (!record.includes(`torch ${torch}, transformers ${transformers};`)) return undefined
  const known = recorded.get(labelOf(cell))
  const isAsBefore = known !== undefined && Math.abs(known.estimatedBytes - estimatedBytes) < ROUNDED_BYTES
  return isAsBefore ? known : undefined
}
