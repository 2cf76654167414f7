/** Levers as text: table rows, and the sentences and changed lines of one lever. */
import { formatGib } from '../base/units.ts'
import { highestPeak, lowestPeak } from '../metrics/range.ts'
import type { AdvisedLever } from '../report/advised-levers.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { gibFigure } from './figures.ts'
import { effectWords, fitWords, getsAndPays, leverWords, namesOf } from './lever-words.ts'
import { capitalised } from './plain.ts'

export const leverHeadings = ['', 'change', 'memory', '', 'speed', 'training'] as const

/** The levers with which the config fits or may fit; all levers if there are none. */
export function helpful(levers: readonly AdvisedLever[]): readonly AdvisedLever[] {
  const fitting = levers.filter(({ fit }) => fit !== 'does-not-fit')
  return fitting.length === 0 ? levers : fitting
}

/** `1`, `gradient checkpointing`, `8.1 (7.6–8.6) GiB`, `fits`, `0.8–0.9×`, `unchanged`. */
export function leverRow(lever: AdvisedLever, index: number, { current }: AnalysedConfig): string[] {
  return [
    String(index + 1),
    capitalised(namesOf(lever, current.microBatch)),
    `${gibFigure(lever.peakBytes)} (${bandOf(lever)}) GiB`,
    fitWords[lever.fit],
    lever.speed === undefined ? '–' : speedOf(lever.speed),
    effectWords[lever.effect],
  ]
}

function bandOf({ peakBytes, errorBand }: AdvisedLever): string {
  const banded = { peakBytes, errorBand }
  return `${gibFigure(lowestPeak(banded))}–${gibFigure(highestPeak(banded))}`
}

/** `Gradient checkpointing: 8.1 GiB, fits, 0.8–0.9× the speed, training unchanged`, in one line. */
export function leverLine(lever: AdvisedLever, { current }: AnalysedConfig): string {
  const speed = lever.speed === undefined ? [] : [`${speedOf(lever.speed)} the speed`]
  const facts = [formatGib(lever.peakBytes), fitWords[lever.fit], ...speed, `training ${effectWords[lever.effect]}`]
  return `${capitalised(namesOf(lever, current.microBatch))}: ${facts.join(', ')}`
}

/** `0.75–1.2×`: both ends, since a lever may cost speed or bring it. */
function speedOf({ range: { low, high } }: NonNullable<AdvisedLever['speed']>): string {
  const figure = (ratio: number) => (ratio < 1 ? ratio.toFixed(2) : ratio.toPrecision(2))
  return `${figure(low)}–${figure(high)}×`
}

/** What each change brings and costs, one sentence each. */
export function leverSentences({ changes }: AdvisedLever): string[] {
  return changes.map(id => {
    return `${capitalised(leverWords[id].name)}: ${getsAndPays(id)}`
  })
}

/** A diff without its marks: removed lines, then added lines. */
export function leverDiff({ lines, environment }: AdvisedLever): string[] {
  return [
    ...lines.flatMap(({ before, after }) => {
      const kept = after.indexOf(before)
      if (kept < 0) return [`- ${before}`, ...after.map(line => `+ ${line}`)]
      return [...after.map((line, index) => `${index === kept ? ' ' : '+'} ${line}`)]
    }),
    ...(environment === undefined ? [] : [`+ ${environment}  (environment variable of the training)`]),
  ]
}
