/** What a snapshot has at its peak beside what the estimate has at its own, and what the estimate does not explain. */
import type { MemoryPoint } from '../estimate/step/memory-over-step.ts'
import type { ByteKind } from '../estimate/tape/storage.ts'
import type { LivePart, LiveSite, Replay } from './replay.ts'

const comparedGroups = [
  'weights',
  'optimizerState',
  'workspace',
  'inputs',
  'step',
  'elsewhere',
  'before-history',
  'awaiting-release',
] as const
export type ComparedGroup = (typeof comparedGroups)[number]

export interface ComparedRow {
  readonly group: ComparedGroup
  readonly snapshotBytes: number
  /** 0 where the estimate has no such bytes. */
  readonly estimatedBytes: number
}

export interface Unexplained {
  readonly group: ComparedGroup
  /** By which the snapshot has more than the estimate. */
  readonly bytes: number
  /** Where most of the group was allocated: the excess is among it. */
  readonly sites: readonly LiveSite[]
}

export interface Comparison {
  readonly rows: readonly ComparedRow[]
  /** The largest first. */
  readonly unexplained: readonly Unexplained[]
}

/** Stacks tell the forward from the backward pass, and not a gradient from an activation's. */
const groupOfPart: Readonly<Record<LivePart, ComparedGroup>> = {
  weights: 'weights',
  'optimizer-state': 'optimizerState',
  workspace: 'workspace',
  inputs: 'inputs',
  forward: 'step',
  backward: 'step',
  'optimizer-step': 'step',
  elsewhere: 'elsewhere',
  'before-history': 'before-history',
  'awaiting-release': 'awaiting-release',
}

const groupOfKind: Readonly<Record<ByteKind, ComparedGroup>> = {
  weights: 'weights',
  optimizerState: 'optimizerState',
  workspace: 'workspace',
  inputs: 'inputs',
  gradients: 'step',
  activations: 'step',
  logits: 'step',
  temporaries: 'step',
}

/** Of the snapshot's peak: less than this is told of nothing. */
const WORTH_TELLING = 0.01

export function compare({ peak, sites }: Pick<Replay, 'peak' | 'sites'>, estimated: MemoryPoint): Comparison {
  const found = summed(Object.entries(peak.breakdown) as [LivePart, number][], groupOfPart)
  const expected = summed(Object.entries(estimated.breakdown) as [ByteKind, number][], groupOfKind)
  const rows = comparedGroups
    .map(group => ({ group, snapshotBytes: found.get(group) ?? 0, estimatedBytes: expected.get(group) ?? 0 }))
    .filter(({ snapshotBytes, estimatedBytes }) => snapshotBytes > 0 || estimatedBytes > 0)
  const unexplained = rows
    .map(({ group }) => ({
      group,
      bytes: excessOf(group, rows),
      sites: sites.filter(({ part }) => groupOfPart[part] === group),
    }))
    .filter(({ bytes }) => bytes > WORTH_TELLING * peak.bytes)
    .sort((a, b) => b.bytes - a.bytes)
  return { rows, unexplained }
}

/** What was there before the history may be what other rows lack. */
function excessOf(group: ComparedGroup, rows: readonly ComparedRow[]): number {
  const own = rows.find(row => row.group === group)
  if (own === undefined) return 0
  const excess = own.snapshotBytes - own.estimatedBytes
  if (group !== 'before-history') return excess
  const lacking = rows.filter(row => row.group !== 'before-history')
  return excess - lacking.reduce((sum, row) => sum + Math.max(0, row.estimatedBytes - row.snapshotBytes), 0)
}

function summed<Key extends string>(
  parts: readonly (readonly [Key, number])[],
  groupOf: Readonly<Record<Key, ComparedGroup>>,
): ReadonlyMap<ComparedGroup, number> {
  const sums = new Map<ComparedGroup, number>()
  for (const [part, bytes] of parts) sums.set(groupOf[part], (sums.get(groupOf[part]) ?? 0) + bytes)
  return sums
}
