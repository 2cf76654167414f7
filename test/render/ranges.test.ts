/** Modelled rates, and dollars that rest on them, are written as the ranges in which they lie. */
import { describe, expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { formatRateRange, formatRunCost, formatSpeed, formatUsdRange } from '../../engine/render/figures.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { report as reportSchema } from '../../engine/report/schema.ts'

describe('a range is rounded to what its width leaves known', () => {
  test.each([
    [310.2, 449.8, '320–440'],
    [3.13, 4.52, '3.2–4.6'],
    [0.31, 0.452, '0.32–0.46'],
    [9_812, 14_203, '10,000–14,000'],
    [99.99, 100.01, '100'],
    [0.00011, 0.00024, '0.00012–0.00024'],
  ])('%d to %d samples a second', (low, high, written) => {
    expect(formatRateRange({ low, high })).toBe(written)
  })

  test.each([
    [1.401, 1.899, '$1.40–1.90'],
    [2.58, 2.58, '$2.58'],
    [120, 182, '$120–180'],
  ])('%d to %d dollars', (low, high, written) => {
    expect(formatUsdRange({ low, high })).toBe(written)
  })

  test('and where none is known, as in older reports, the figure stands alone', () => {
    expect(formatSpeed(312.4, undefined)).toBe('312')
    expect(formatRunCost({ costPerRunUsd: 2.5 })).toBe('$2.50')
  })
})

test('the report has them beside the figures, which lie within', async () => {
  const gpu = findGpu('a10')
  const text =
    'model_name_or_path: bert-base-uncased\ndataset_name: glue\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 16\nmax_seq_length: 128\nlearning_rate: 2e-5\nbf16: true\nnum_train_epochs: 3\n'
  const written = await analyze([{ path: 'a.yaml', text }], { now: new Date(0), ...(gpu && { gpu }) })
  const report = reportSchema.parse(JSON.parse(JSON.stringify(written)))
  const [config] = report.configs
  if (config?.status !== 'analysed' || config.recommended === undefined) throw new Error(JSON.stringify(config))
  const { current, recommended, speedup, speedupRange, savingsPerYearUsd, savingsPerYearRangeUsd } = config
  for (const [figure, range] of [
    [current.samplesPerSecond, current.samplesPerSecondRange],
    [recommended.samplesPerSecond, recommended.samplesPerSecondRange],
    [recommended.costPerRunUsd, recommended.costPerRunRangeUsd],
    [speedup, speedupRange],
    [savingsPerYearUsd, savingsPerYearRangeUsd],
  ] as const) {
    expect(range?.low).toBeLessThan(figure ?? Number.NaN)
    expect(range?.high).toBeGreaterThan(figure ?? Number.NaN)
  }
  // Hours and price are the settings' word.
  expect(current.costPerRunRangeUsd).toBeUndefined()
  expect(renderTerminal(report, { color: false, columns: 200 })).toMatch(/[\d.,]+–[\d.,]+ samples\/s modelled/)
})
