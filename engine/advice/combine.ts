/**
 * Combines levers if none is enough. Starts from the config as it is, and from the config with the smallest
 * micro-batch, which is raised again once enough levers are found. A beam search: each round adds one lever and keeps
 * the most promising of each effect on the training. A combination that fits is not extended. Where none surely fits, those
 * that may fit are the answer.
 */
import { effects, MAX_TOGETHER } from '../report/advised-levers.ts'
import type { Estimated } from './estimate.ts'
import type { Lever } from './lever.ts'
import type { Variant } from './variant.ts'

export interface Candidate {
  readonly variant: Variant
  readonly estimate: Estimated
}

export interface Combining {
  /** The levers that the tool can express, each by itself. */
  readonly alone: readonly { readonly lever: Lever; readonly candidate: Candidate }[]
  /** The config with the smallest micro-batch; undefined if a smaller micro-batch alone fits, or there is none. */
  readonly smallest: Candidate | undefined
  readonly add: (variant: Variant, lever: Lever) => Promise<Candidate | undefined>
  /** The levers together with the largest micro-batch that fits. */
  readonly atLargest: (levers: readonly Lever[]) => Promise<Candidate | undefined>
  readonly helps: (candidate: Candidate, than: Estimated) => boolean
  /** The most combinations to estimate. */
  readonly limit: number
  /** Whether to estimate no more of them. */
  readonly isTimeUp: () => boolean
}

/** The number of combinations of each effect kept in a round. */
const WIDTH = 3

/** With this many that fit, the search ends. */
const ENOUGH = 6

interface Node extends Candidate {
  readonly levers: readonly Lever[]
}

export async function combined(terms: Combining): Promise<readonly Candidate[]> {
  const { alone, smallest, helps, atLargest } = terms
  const found: Candidate[] = alone.map(({ candidate }) => candidate).filter(fits)
  const known = found.length
  const perhaps: Node[] = []
  const budget = { left: terms.limit }
  let ofSmallest: readonly Node[] = smallest ? [{ ...smallest, levers: [] }] : []
  let ofWhole: readonly Node[] = promising(
    alone
      .filter(({ candidate }) => !fits(candidate))
      .map(({ lever, candidate }) => ({ ...candidate, levers: [lever] })),
  )
  for (let size = 2; size <= MAX_TOGETHER && budget.left > 0 && found.length < ENOUGH; size++) {
    const small = await grown(ofSmallest, terms, budget)
    for (const { levers } of small.filter(fits)) {
      const largest = await atLargest(levers)
      if (largest !== undefined && fits(largest)) found.push(largest)
    }
    const whole = await grown(ofWhole, terms, budget)
    found.push(...whole.filter(fits))
    perhaps.push(...[...small, ...whole].filter(({ estimate }) => estimate.fit === 'may-fit'))
    ofSmallest = promising(
      small.filter(node => !fits(node) && smallest !== undefined && helps(node, smallest.estimate)),
    )
    ofWhole = promising(whole.filter(node => !fits(node)))
  }
  return found.length > 0 ? found.slice(known) : promising(perhaps)
}

function fits({ estimate }: Candidate): boolean {
  return estimate.fit === 'fits'
}

/** Adds one more helpful lever to each combination, without repeating a set. */
async function grown(
  nodes: readonly Node[],
  { alone, add, helps, isTimeUp }: Combining,
  budget: { left: number },
): Promise<readonly Node[]> {
  const seen = new Set<string>()
  const found: Node[] = []
  for (const node of nodes) {
    for (const { lever, candidate } of alone) {
      const levers = [...node.levers, lever]
      const key = levers
        .map(({ id }) => id)
        .toSorted()
        .join(' ')
      if (seen.has(key) || fits(candidate) || node.variant.groups.includes(lever.group)) continue
      seen.add(key)
      if (budget.left-- <= 0 || isTimeUp()) return found
      const both = await add(node.variant, lever)
      if (both !== undefined && helps(both, node.estimate)) found.push({ ...both, levers })
    }
  }
  return found
}

function promising(nodes: readonly Node[]): readonly Node[] {
  const byPeak = nodes.toSorted((a, b) => a.estimate.peakBytes - b.estimate.peakBytes)
  return effects.flatMap(effect => byPeak.filter(({ variant }) => variant.effect === effect).slice(0, WIDTH))
}
