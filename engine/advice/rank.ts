/**
 * The order of levers: those that fit, then another GPU (which costs money), then those that do not fit. Within these,
 * fewest effects on the training first, and rounding before results; then the least slowdown for the memory freed, and
 * without slowdown the most memory freed. Where the config does not fit, two rules come before these. What more than doubles the time is
 * behind what changes the result. And the best of each kind that fits is before the second of any: whoever cannot go the first way is
 * told another, not a variant of it.
 */
import type { AdvisedLever, Effect, LeverFit, LeverId } from '../report/advised-levers.ts'
import { levers } from './levers.ts'

const leverById = new Map(levers.map(lever => [lever.id, lever]))

/** A smaller modelled slowdown is noise. */
const NOISE = 0.01

/** The config before any change. */
interface Before {
  readonly peakBytes: number
  readonly fit: LeverFit
}

export function ranked(advised: readonly AdvisedLever[], before: Before): AdvisedLever[] {
  const keys = new Map(advised.map(lever => [lever, keyOf(lever, before)]))
  const sorted = advised.toSorted((a, b) => compare(keys.get(a) ?? [], keys.get(b) ?? []))
  return before.fit === 'does-not-fit' ? ofEachKindFirst(sorted) : sorted
}

function ofEachKindFirst(sorted: readonly AdvisedLever[]): AdvisedLever[] {
  const fitting = sorted.filter(({ fit, gpu }) => fit === 'fits' && gpu === undefined)
  const kindOf = kindsAmong(sorted)
  const byKind = Map.groupBy(fitting, kindOf)
  const first = new Set([...byKind.values()].flatMap(([best]) => best ?? []))
  return [...first, ...sorted.filter(lever => !first.has(lever))]
}

/** The group of the lever; in a combination, of the one that frees most by itself. */
function kindsAmong(advised: readonly AdvisedLever[]): (lever: AdvisedLever) => string | undefined {
  const alone = new Map(
    advised.filter(({ changes }) => changes.length === 1).map(each => [each.changes[0], each.peakBytes]),
  )
  const peakOf = (id: LeverId) => alone.get(id) ?? Number.MAX_VALUE
  return ({ changes }) => {
    const [main] = changes.toSorted((a, b) => peakOf(a) - peakOf(b))
    return main && leverById.get(main)?.group
  }
}

const order = ['fits', 'may-fit', 'another-card', 'does-not-fit'] as const

function keyOf(lever: AdvisedLever, { peakBytes, fit }: Before): readonly number[] {
  const freedBytes = Math.max(1, peakBytes - lever.peakBytes)
  return [
    lever.gpu === undefined ? order.indexOf(lever.fit) : order.indexOf('another-card'),
    Number(fit === 'does-not-fit' && isHalvedAtLeast(lever)),
    placesOf(lever, 'changes-the-result'),
    placesOf(lever, 'numerics'),
    slowdown(lever) / freedBytes,
    -freedBytes,
  ]
}

function placesOf({ changes, effect }: AdvisedLever, of: Effect): number {
  const count = changes.filter(id => {
    const known = leverById.get(id)
    return known?.effect === of || (of === 'numerics' && known?.alsoRounds === true)
  }).length
  // Sharding may bring another precision with it.
  return effect === of ? Math.max(1, count) : count
}

function isHalvedAtLeast({ speed, effect }: AdvisedLever): boolean {
  return effect !== 'changes-the-result' && speed !== undefined && speed.ratio < 0.5
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
