import { describe, expect, test } from 'vitest'
import {
  type RepositoryReport,
  renderRepositoryReport,
  repositoryReportMarker,
} from '../../engine/render/repository-report.ts'
import { type LedgerEntry, ledgerEntryOf } from '../../engine/report/ledger.ts'
import { fine, point, reportOf, slow, tooLarge, unreadable, wasteful } from './fixtures.ts'
import { harmfulInMarkdown } from './harm.ts'
import { hostileStrings } from './hostile-strings.ts'
import { structure, toHtml } from './rendered.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'

const saved = (pullNumber: number, overrides: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...ledgerEntryOf(
    {
      before: wasteful({ current: point({ microBatch: 16, samplesPerSecond: 300 }) }),
      after: wasteful({ current: point({ microBatch: 128, samplesPerSecond: 400 }) }),
      accepted: undefined,
    },
    { pullNumber, mergedAt: '2026-11-10T12:00:00Z' },
  ),
  ...overrides,
})

const letPass = (by: string, reason: string): LedgerEntry =>
  ledgerEntryOf(
    { before: undefined, after: wasteful(), accepted: { by, reason } },
    { pullNumber: 9, mergedAt: '2026-11-12T12:00:00Z' },
  )

function report(overrides: Partial<RepositoryReport> = {}): string {
  return renderRepositoryReport({
    branch: 'main',
    commit,
    report: reportOf([wasteful(), fine()]),
    last: undefined,
    ledger: { entries: [], since: undefined },
    remarks: [],
    ...overrides,
  })
}

describe('the report as it reads', () => {
  test('with everything in it', async () => {
    const everything = report({
      report: reportOf([wasteful(), fine(), slow(), tooLarge(), unreadable()]),
      last: reportOf([wasteful({ spec: { ...wasteful().spec, microBatch: 8 }, current: point({ microBatch: 8 }) })], {
        createdAt: '2026-11-13T06:00:00Z',
      }),
      ledger: { entries: [letPass('mona', 'the A10 is shared'), saved(7)], since: new Date('2026-10-01T00:00:00Z') },
    })
    await expect(`${everything}\n`).toMatchFileSnapshot('golden/repository-report.md')
  })

  test('opens with its marker and the verdict over all configs', () => {
    const lines = report().split('\n\n')
    expect(lines.slice(0, 3)).toEqual([
      repositoryReportMarker,
      '### 🟥 MemoryMark: 1 of 2 training configs wastes its GPU',
      '`main` at `0123456`, 2026-11-20. The recommendations would save **$34 a year**. *Memory was measured for 0 and throughput for 0 of 2 configs.*',
    ])
  })

  test('says so where the branch has no training config', () => {
    expect(report({ report: reportOf([]) })).toContain('### 🟩 MemoryMark: no training config on the default branch')
  })
})

describe('the savings', () => {
  const since = new Date('2026-10-01T00:00:00Z')

  test('are added up apart: what was timed, and what was modelled', () => {
    const timed = saved(8)
    if (timed.saving?.kind !== 'saved') throw new Error('saved')
    const entries = [saved(7), { ...timed, saving: { ...timed.saving, throughputProvenance: 'measured' as const } }]
    expect(report({ ledger: { entries, since } })).toContain(
      'Merged pull requests since 2026-10-01 save **$30 a year (measured throughput)**, and about $30 a year (modelled throughput).',
    )
  })

  test('may be less than nothing', () => {
    const saving = { kind: 'saved', gpuHoursPerYear: -10, usdPerYear: -6, throughputProvenance: 'modelled' } as const
    expect(report({ ledger: { entries: [saved(7, { saving })], since } })).toMatch(/-10 \|\s+−\$6 \|/)
  })

  test('leave out what cannot be compared, and configs whose batch stayed', () => {
    const stayed = saved(7)
    const entries = [
      saved(6, { saving: { kind: 'not-comparable', why: 'other-training' } }),
      { ...stayed, after: { ...stayed.after, current: stayed.before?.current ?? stayed.after.current } },
    ]
    expect(report({ ledger: { entries, since } })).not.toContain('Savings')
  })
})

describe('within what GitHub takes', () => {
  const many = Array.from({ length: 600 }, (_, index) =>
    wasteful({ path: `configs/${'deep/'.repeat(20)}${index}.yaml`, savingsPerYearUsd: index }),
  )

  test('tables give up rows and say how many; the worst three stay', () => {
    const text = report({
      report: reportOf(many),
      last: reportOf(many.slice(0, 300)),
      ledger: {
        entries: Array.from({ length: 500 }, (_, index) => saved(index + 1)),
        since: new Date('2026-10-01T00:00:00Z'),
      },
    })
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text).toContain('#### The worst three')
    expect(text).toContain('#### Every config')
    expect(text).toMatch(/…and \d+ more\./)
    expect(text).toContain('#### Savings')
  })
})

test.each(hostileStrings)('%s in a path, a branch or somebody’s reason changes nothing but the text', (_, text) => {
  const entries = (words: string) => [letPass('mona', words), saved(3, { path: words })]
  const rendered = (words: string) =>
    report({
      branch: words,
      report: reportOf([wasteful({ path: words })]),
      last: reportOf([fine({ path: words })]),
      ledger: { entries: entries(words), since: new Date('2026-10-01T00:00:00Z') },
    }).replaceAll(/#[39]\b/g, 'pull request')
  expect(harmfulInMarkdown(rendered(text), structure(toHtml(rendered('name'))))).toEqual([])
})
