/** Runs a strategy: the only loop with effects. Out of memory is a search signal; anything else that goes wrong ends the search. */
import { isBroken, type Trial } from '../probes/trial.ts'
import { type SearchSpace, type Strategy, triedOf } from './strategy.ts'

export type SearchResult =
  /** Undefined `largest`: not even one sample fits. */
  | { readonly kind: 'found'; readonly largest: number | undefined }
  /** A trial failed or timed out; the trials hold what is known so far. */
  | { readonly kind: 'broken-off'; readonly trial: Trial }
  | { readonly kind: 'cancelled' }

export interface SearchOptions {
  readonly strategy: Strategy
  readonly space: SearchSpace
  /** Earlier trials, of any size. */
  readonly known?: readonly Trial[]
  readonly signal?: AbortSignal
}

/** Never tries a size twice. */
export async function search(
  runTrial: (microBatch: number) => Promise<Trial>,
  { strategy, space, known = [], signal }: SearchOptions,
): Promise<SearchResult> {
  const tried = known.flatMap(triedOf)
  for (;;) {
    const move = strategy(tried, space)
    if (move.kind === 'done') {
      return { kind: 'found', largest: move.largest < 0 ? undefined : space.grid.at(move.largest) }
    }
    if (signal?.aborted) return { kind: 'cancelled' }
    const trial = await runTrial(space.grid.at(move.index))
    // An aborted worker dies in the middle of its trial; that is not a failure.
    if (signal?.aborted) return { kind: 'cancelled' }
    if (isBroken(trial.outcome)) return { kind: 'broken-off', trial }
    tried.push(...triedOf(trial))
  }
}
