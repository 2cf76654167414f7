/** The ledger in Markdown: what merged pull requests save, and what was accepted instead. */
import { type LedgerEntry, totalsOf } from '../report/ledger.ts'
import { formatBatch, formatCount, formatDate, formatSignedUsd, formatYearlyUsd } from './figures.ts'
import type { Section } from './fit.ts'
import { escapeText, inlineCode, inlinePath, table } from './markdown.ts'
import { shortening } from './rows.ts'

export interface Ledger {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[]
  /** When the ledger's first entry was made; undefined without entries. */
  readonly since: Date | undefined
}

export function savingsSection(ledger: Ledger): Section | undefined {
  const saved = ledger.entries.flatMap(({ saving, ...entry }) =>
    saving?.kind === 'saved' && hasMoved(entry) ? [{ ...entry, saving }] : [],
  )
  if (saved.length === 0 || ledger.since === undefined) return undefined
  const { measuredPerYearUsd, modelledPerYearUsd } = totalsOf(saved)
  const known = new Set(saved.map(({ saving }) => saving.throughputProvenance))
  const sums = [
    ...(known.has('measured') ? [`**${formatSignedUsd(measuredPerYearUsd)} a year (measured throughput)**`] : []),
    ...(known.has('modelled') ? [`about ${formatSignedUsd(modelledPerYearUsd)} a year (modelled throughput)`] : []),
  ]
  const sentence = `Merged pull requests since ${formatDate(ledger.since)} save ${sums.join(', and ')}.`
  const header = ['pull request', 'config', 'micro-batch', 'GPU hours per year', 'saved per year', 'throughput']
  return shortening(saved, 2, rows => [
    '#### Savings',
    sentence,
    table(
      [
        header,
        ...rows.map(({ pullNumber, path, before, after, saving }) => [
          `#${pullNumber}`,
          inlinePath(path),
          before === undefined
            ? formatBatch(after.current)
            : `${formatBatch(before.current)} → ${formatBatch(after.current)}`,
          formatCount(Math.round(saving.gpuHoursPerYear)),
          formatSignedUsd(saving.usdPerYear),
          saving.throughputProvenance,
        ]),
      ],
      ['r', 'l', 'l', 'r', 'r', 'l'],
    ),
  ])
}

/** A pull request that left the batch as it was has neither saved nor cost anything. */
function hasMoved({ before, after }: Pick<LedgerEntry, 'before' | 'after'>): boolean {
  return before !== undefined && formatBatch(before.current) !== formatBatch(after.current)
}

export function acceptedSection({ entries: all }: Ledger): Section | undefined {
  const entries = all.flatMap(entry => (entry.accepted ? [{ ...entry, accepted: entry.accepted }] : []))
  if (entries.length === 0) return undefined
  const { forgonePerYearUsd } = totalsOf(entries)
  return shortening(entries, 2, rows => [
    '#### Accepted anyway',
    `Configs that were accepted and merged anyway leave about ${formatYearlyUsd(forgonePerYearUsd)} a year unsaved.`,
    table(
      [
        ['pull request', 'config', 'accepted by', 'reason', 'unsaved per year'],
        ...rows.map(({ pullNumber, path, accepted: { by, reason, forgonePerYearUsd: unsaved } }) => [
          `#${pullNumber}`,
          inlinePath(path),
          inlineCode(by, 100),
          escapeText(reason, 200),
          formatYearlyUsd(unsaved),
        ]),
      ],
      ['r', 'l', 'l', 'l', 'r'],
    ),
  ])
}
