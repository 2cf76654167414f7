/** The spread of repeated measurements of one figure. */
import type { Outcome, Trial } from '../probes/trial.ts'

type Fits = Extract<Outcome, { kind: 'fits' }>

/** A trial's figure and half the distance between its highest and lowest reading. */
type Pick = (outcome: Fits) => readonly [figure: number | undefined, spread: number | undefined]

/** In percent of the figure, the widest over all trials, rounded up to a tenth; undefined where no trial has a spread. */
export function widestSpread(trials: readonly Trial[], pick: Pick): number | undefined {
  const percents = trials.flatMap(({ outcome }) => {
    const [figure, spread] = outcome.kind === 'fits' ? pick(outcome) : []
    return figure === undefined || spread === undefined || figure === 0 ? [] : [(100 * spread) / figure]
  })
  return percents.length === 0 ? undefined : Math.min(100, Math.ceil(Math.max(...percents) * 10) / 10)
}
