/**
 * The order of levers: those that fit, then another GPU (which costs money), then those that do not fit. Within these,
 * fewest effects on the training first, and rounding before results; then the least slowdown for the memory freed, and
 * without slowdown the most memory freed.
 */
import type { AdvisedLever, Effect } from '../report/advised-levers.ts'
import { levers } from './levers.ts'

const effectById = new Map(levers.map(({ id, effect }) => [id, effect]))

/** A smaller modelled slowdown is noise. */
const NOISE = 0.01

export function ranked(advised: readonly AdvisedLever[], nowBytes: number): AdvisedLever[] {
  const keys = new Map(advised.map(lever => [lever, keyOf(lever, nowBytes)]))
  return advised.toSorted((a, b) => compare(keys.get(a) ?? [], keys.get(b) ?? []))
}

const order = ['fits', 'may-fit', 'another-card', 'does-not-fit'] as const

function keyOf(lever: AdvisedLever, nowBytes: number): readonly number[] {
  const freedBytes = Math.max(1, nowBytes - lever.peakBytes)
  return [
    lever.gpu === undefined ? order.indexOf(lever.fit) : order.indexOf('another-card'),
    placesOf(lever, 'changes-the-result'),
    placesOf(lever, 'numerics'),
    slowdown(lever) / freedBytes,
    -freedBytes,
  ]
}

function placesOf({ changes, effect }: AdvisedLever, of: Effect): number {
  const count = changes.filter(id => effectById.get(id) === of).length
  // Sharding may bring another precision with it.
  return effect === of ? Math.max(1, count) : count
}

/** Behind every change whose speed is known. */
const UNKNOWN = 1e6

/** The relative increase of time per sample. */
function slowdown({ speed }: AdvisedLever): number {
  if (speed === undefined) return UNKNOWN
  const longer = 1 / speed.ratio - 1
  return longer < NOISE ? 0 : longer
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
