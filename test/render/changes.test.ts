import { describe, expect, test } from 'vitest'
import { renderChanges } from '../../engine/render/changes.ts'
import { fine, hostileReport, reportOf, unreadable, wasteful } from './fixtures.ts'
import { harmfulInMarkdown } from './harm.ts'
import { hostileStrings } from './hostile-strings.ts'
import { structure, toHtml } from './rendered.ts'

const last = reportOf([wasteful({ path: 'a.yaml', savingsPerYearUsd: 34 }), fine({ path: 'gone.yaml' })], {
  createdAt: '2026-11-14T06:17:00.000Z',
})

test('the section tells the day, the totals, and then and now of each config that changed', () => {
  const now = reportOf([fine({ path: 'a.yaml', savingsPerYearUsd: 0 }), { ...unreadable(), path: 'new.yaml' }])
  const [heading, totals, table] = renderChanges(last, now).split('\n\n')
  expect(heading).toBe('#### Since the report of 2026-11-14')
  expect(totals).toMatch(
    /^🟥 \d( → \d)?, 🟨 \d( → \d)?, 🟩 1; what the recommendations would save: \$\d+ → \$0 a year\.$/,
  )
  const cells = table?.split('\n').map(line =>
    line
      .split('|')
      .map(cell => cell.trim())
      .slice(1, -1),
  )
  expect(cells?.[0]).toEqual(['training config', 'then', 'now'])
  expect(cells?.slice(2).map(([path]) => path)).toEqual(['`a.yaml`', '`new.yaml`', '`gone.yaml`'])
  expect(cells?.[3]).toEqual(['`new.yaml`', 'did not exist', '🟥 could not be analysed'])
  expect(cells?.[4]?.[1]).toMatch(/^🟩 micro-batch \d+: [\d.]+ of [\d.]+ GiB \(estimated\)$/)
  expect(cells?.[4]?.[2]).toBe('removed')
})

test('where nothing changed it says so', () => {
  expect(renderChanges(last, last)).toBe('#### Since the report of 2026-11-14\n\nNo notable changes.')
})

test('beyond sixty configs the rest is counted', () => {
  const many = reportOf(Array.from({ length: 1_100 }, (_, n) => wasteful({ path: `${n}.yaml` })))
  const section = renderChanges(reportOf([]), many)
  expect(section.match(/^\| `\d+\.yaml`/gm)).toHaveLength(60)
  expect(section).toMatch(/…and 1,040 more\.$/)
})

describe('hostile text of either report', () => {
  const harmless = structure(toHtml(renderChanges(reportOf([]), hostileReport('name'))))

  test.each(hostileStrings)('%s changes nothing but the text', (_name, text) => {
    expect(harmfulInMarkdown(renderChanges(reportOf([]), hostileReport(text)), harmless)).toEqual([])
    expect(harmfulInMarkdown(renderChanges(hostileReport(text), reportOf([])), harmless)).toEqual([])
  })
})
