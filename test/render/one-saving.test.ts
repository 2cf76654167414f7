/** Whoever reads the comment, the check, the suggestion and the dashboard reads one saving. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { proposeChange } from '../../engine/propose.ts'
import { renderCheck } from '../../engine/render/check.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { formatYearlyRange } from '../../engine/render/figures.ts'
import { renderSuggestion } from '../../engine/render/suggestion.ts'
import { ratioRange, savingsRangeOf } from '../../engine/report/ranges.ts'
import { costFigures } from '../../server/dashboard/result/cost-figures.ts'

const path = 'examples/configs/bert-mnli.yaml'
const text = readFileSync(path, 'utf8')
const gpu = findGpu('a10')
if (gpu === undefined) throw new Error('the catalogue lacks the A10')
const report = await analyze([{ path, text }], { gpu, now: new Date('2026-03-01T12:00:00Z') })
const [config] = report.configs
if (config?.status !== 'analysed') throw new Error(`${path} is not analysed`)
const saving = formatYearlyRange(savingsRangeOf(config))

/** Amounts by the year, such as `$20–50` and `up to $40`. */
function yearlyIn(shown: string): string[] {
  return shown.match(/(?:up to )?\$[\d,]+(?:–[\d,]+)?(?= a year)/g) ?? []
}

test('there is one to tell', () => {
  expect(saving).toMatch(/^(?:up to )?\$[1-9]/)
})

test('the comment and the check', () => {
  const { summary, text: explained, annotations } = renderCheck(report)
  expect(yearlyIn(renderComment(report) ?? '')).toContain(saving)
  for (const amount of yearlyIn([summary, explained, ...annotations.map(({ message }) => message)].join('\n'))) {
    expect(amount).toBe(saving)
  }
  expect(yearlyIn(summary)).toContain(saving)
})

test('the suggestion', async () => {
  const proposal = await proposeChange({ path, text }, config)
  if (proposal.kind !== 'change') throw new Error(proposal.kind)
  const suggestion = renderSuggestion({ path, before: text, after: proposal.after }, config)
  expect(yearlyIn(suggestion?.body ?? '')).toEqual([saving])
})

test('the dashboard', () => {
  const { hoursPerRun, runsPerYear, spec, speedup } = config
  const terms = { pricePerHourUsd: gpu.pricePerHourUsd, hoursPerRun, runsPerYear, gpus: spec.gpus }
  expect(costFigures(terms, speedup, ratioRange(speedup, config)).year).toBe(saving)
})
