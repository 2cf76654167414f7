/** What other versions of the libraries do to the configs' memory: the sentences that the comment, the check and the terminal share. */

import { formatGib, formatPercent } from '../base/units.ts'
import { configName } from '../config/training-place.ts'
import type { AnalysedConfig, Report } from '../report/schema.ts'
import { analysedIn } from '../report/standing.ts'
import { isMoved, isSamePeak, type Upgrade } from '../report/upgrade.ts'
import { compareVersions } from '../training/versions.ts'
import { formatCount, gibFigure } from './figures.ts'
import { escapeText, inlinePath } from './markdown.ts'
import { plainPath, plainText } from './plain.ts'

/** Upgrades shown before anything is unfolded. */
const MAX_SHOWN = 3
/** A reader goes through no more. */
const MAX_LISTED = 40

interface Words {
  /** Functions that escape untrusted text, since a report may come from elsewhere. */
  readonly path: (path: string) => string
  readonly text: (text: string) => string
  readonly strong: (text: string) => string
}

const markdown: Words = { path: inlinePath, text: text => escapeText(text), strong: text => `**${text}**` }

type Upgraded = AnalysedConfig & { readonly upgrade: Upgrade }

/** Markdown paragraphs on configs whose peak changes: those that a fault of a release concerns, then the largest change first. */
export function upgradeParagraphs(report: Report, maxShown = MAX_SHOWN): string[] {
  const moved = movedIn(report)
  if (moved.length === 0) return []
  const shown = moved.slice(0, maxShown)
  const more = moved.length - shown.length
  const lines = shown.map(config => `- ${inlinePath(configName(config))}: ${upgradeSentence(config, markdown)}`)
  const counted = more === 0 ? [] : [`- …and ${formatCount(more)} more, below.`]
  return [`Other versions of libraries, other memory (estimated with both):\n\n${[...lines, ...counted].join('\n')}`]
}

/** All upgrades, if `upgradeParagraphs` left some out, and a line on the configs whose peak stays the same. */
export function furtherUpgrades(report: Report): string[] {
  const all = movedIn(report).length > MAX_SHOWN ? upgradeParagraphs(report, MAX_LISTED) : []
  return [...all, ...unchangedLine(report)]
}

/** `Peaks of 3 configs unchanged by transformers 4.56.0 → 5.18.0 (estimated with both).` */
export function unchangedLine(report: Report): string[] {
  const still = upgradedIn(report).filter(({ upgrade }) => !isMoved(upgrade))
  if (still.length === 0) return []
  const versions = [...new Set(still.map(({ upgrade }) => versionsOf(upgrade)))].slice(0, MAX_SHOWN)
  const peaks = still.length === 1 ? 'Peak of one config' : `Peaks of ${formatCount(still.length)} configs`
  const how = still.every(({ upgrade }) => upgrade.traced !== undefined) ? 'estimated and traced' : 'estimated'
  return [`${peaks} unchanged by ${versions.join('; ')} (${how} with both).`]
}

/** `12.3 → 14.9 GiB (+21 %) with transformers 4.45.2 → 4.46.0 (requirements.txt, line 3): from 4.46 on, …`. */
export function upgradeSentence({ upgrade }: Pick<Upgraded, 'upgrade'>, { path, text, strong }: Words): string {
  const { before, after, libraries, causes, traced, warnings } = upgrade
  const places = placesOf(libraries, path)
  const where = places.length === 0 ? '' : ` (${places.join('; ')})`
  const peak = isSamePeak(before.peakBytes, after.peakBytes)
    ? `${strong(formatGib(after.peakBytes))} as before`
    : strong(`${gibFigure(before.peakBytes)} → ${formatGib(after.peakBytes)} (${changeOf(before, after)})`)
  const fit = before.fits === after.fits ? '' : after.fits ? ' It now fits.' : ' It no longer fits.'
  const why = causes.map(cause => causeWords(cause, libraries, text)).join('; ')
  const because = why === '' ? '.' : `: ${why}.`
  const peaks = traced && `${gibFigure(traced.before.peakBytes)} → ${formatGib(traced.after.peakBytes)}`
  const both = traced && ` (${text(traced.before.software)} → ${text(traced.after.software)})`
  const graph = traced === undefined ? '' : ` Traced: ${strong(`${peaks}`)}${both}.`
  const warned = warnings.map(sentence => ` ${text(sentence)}`).join('')
  return `${peak} with ${versionsOf(upgrade)}${where}${because}${fit}${graph}${warned}`
}

/** `requirements.txt, lines 1, 2, 5`. */
function placesOf(libraries: Upgrade['libraries'], path: Words['path']): readonly string[] {
  const lines = new Map<string, Set<number>>()
  for (const { at } of libraries) {
    if (at !== undefined) lines.set(at.path, (lines.get(at.path) ?? new Set()).add(at.line))
  }
  return [...lines].map(([file, numbers]) => {
    const inOrder = [...numbers].toSorted((a, b) => a - b).map(String)
    return `${path(file)}, ${inOrder.length === 1 ? 'line' : 'lines'} ${inOrder.join(', ')}`
  })
}

/** For `upgradeSentence` in a terminal. */
export const plainWords: Words = { path: plainPath, text: text => plainText(text), strong: text => text }

function movedIn(report: Report): readonly Upgraded[] {
  const share = ({ upgrade: { before, after } }: Upgraded) => Math.abs(after.peakBytes / before.peakBytes - 1)
  return upgradedIn(report)
    .filter(({ upgrade }) => isMoved(upgrade))
    .toSorted((a, b) => Number(hasFault(b)) - Number(hasFault(a)) || share(b) - share(a))
}

function hasFault({ upgrade: { warnings } }: Upgraded): boolean {
  return warnings.length > 0
}

function upgradedIn(report: Report): readonly Upgraded[] {
  return analysedIn(report).filter((config): config is Upgraded => config.upgrade !== undefined)
}

function versionsOf({ libraries }: Upgrade): string {
  return libraries
    .map(({ library, before = 'newest', after = 'newest' }) => `${library} ${before} → ${after}`)
    .join(', ')
}

function changeOf(before: Upgrade['before'], after: Upgrade['after']): string {
  const share = after.peakBytes / before.peakBytes - 1
  return `${share < 0 ? '−' : '+'}${formatPercent(Math.abs(share))}`
}

/** `from transformers 4.49 on, the loss no longer copies the float32 logits (−4.64 GiB)`. */
function causeWords(
  { library, release, deltaBytes, why }: Upgrade['causes'][number],
  libraries: Upgrade['libraries'],
  text: Words['text'],
): string {
  const { before, after } = libraries.find(each => each.library === library) ?? {}
  const isNewer = after === undefined || (before !== undefined && compareVersions(before, after) < 0)
  const since = isNewer ? `from ${library} ${release} on` : `before ${library} ${release}`
  return `${since}, ${why.map(text).join(', and ')} (${deltaBytes < 0 ? '−' : '+'}${formatGib(Math.abs(deltaBytes))})`
}
