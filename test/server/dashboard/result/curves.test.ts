import { expect, test } from 'vitest'
import { analyze } from '../../../../engine/analyze.ts'
import { GIB } from '../../../../engine/base/units.ts'
import type { AnalysedConfig, Trial } from '../../../../engine/report/schema.ts'
import { curves } from '../../../../server/dashboard/result/curves.ts'

async function withTrials(trials: readonly Trial[]): Promise<AnalysedConfig> {
  const text = 'memorymark:\n  model: bert\n  batch_size: 16\n  sequence_length: 128\n'
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now: new Date('2026-03-01T12:00:00Z') })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  const { largest: _, recommended: __, throughputCurve: ___, ...rest } = config
  return { ...rest, current: { ...rest.current, peakBytes: 2.5 * GIB }, provenance: 'measured', trials: [...trials] }
}

/** Size, figure and result of each row, and whether its point is drawn as measured. */
async function memoryRows(trials: readonly Trial[], overrides: Partial<AnalysedConfig> = {}) {
  const html = String(await curves({ ...(await withTrials(trials)), ...overrides }))
  const [, table = ''] = /id="memory-curve-table">([\s\S]*?)<\/table>/.exec(html) ?? []
  const rows = table.matchAll(
    /<tr data-x="\d+"[^>]*?( data-measured)?><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td>(.*?)</g,
  )
  return Array.from(rows, ([, measured, ...cells]) => [...cells, measured ? 'measured' : 'not measured'])
}

test('a trial that ran is drawn with its own figure, ascending, and as measured', async () => {
  expect(
    await memoryRows([
      { microBatch: 128, provenance: 'measured', outcome: { kind: 'fits', peakBytes: 10 * GIB } },
      { microBatch: 16, provenance: 'measured', outcome: { kind: 'fits', peakBytes: 2 * GIB } },
    ]),
  ).toEqual([
    ['16', '2.00 GiB', 'fits', 'measured'],
    ['128', '10.0 GiB', 'fits', 'measured'],
  ])
})

test('what ran out of memory has no figure that nobody knows', async () => {
  expect(await memoryRows([{ microBatch: 288, provenance: 'measured', outcome: { kind: 'out-of-memory' } }])).toEqual([
    ['16', '2.50 GiB', 'fits', 'not measured'],
    ['288', 'more than the GPU has', 'out of memory', 'measured'],
  ])
})

test('what the free pieces are too small for is said to be fragmented', async () => {
  const outcome = { kind: 'out-of-memory', neededBytes: 5 * GIB } as const
  expect(await memoryRows([{ microBatch: 32, provenance: 'estimated', outcome }])).toContainEqual([
    '32',
    '5.00 GiB',
    'out of memory (fragmented)',
    'not measured',
  ])
})

test('a trial that says nothing of the size is not drawn', async () => {
  expect(
    await memoryRows([{ microBatch: 64, provenance: 'measured', outcome: { kind: 'timed-out', afterMillis: 1 } }]),
  ).toEqual([['16', '2.50 GiB', 'fits', 'not measured']])
})

test('what ran beside accumulated gradients is no point of the curve', async () => {
  expect(
    await memoryRows([
      { microBatch: 32, accumulates: true, provenance: 'measured', outcome: { kind: 'fits', peakBytes: 5 * GIB } },
      { microBatch: 64, provenance: 'measured', outcome: { kind: 'fits', peakBytes: 6 * GIB } },
    ]),
  ).toEqual([
    ['16', '2.50 GiB', 'fits', 'not measured'],
    ['64', '6.00 GiB', 'fits', 'measured'],
  ])
})

test('the sizes between those that the search had to try are estimated', async () => {
  const throughputCurve = [
    { microBatch: 8, samplesPerSecond: 90, peakBytes: 2 * GIB },
    { microBatch: 64, samplesPerSecond: 120, peakBytes: 7 * GIB },
  ]
  const outcome = { kind: 'fits', peakBytes: 6 * GIB } as const
  const trials: Trial[] = [{ microBatch: 64, provenance: 'estimated', outcome }]
  expect(await memoryRows(trials, { provenance: 'estimated', throughputCurve })).toEqual([
    ['8', '2.00 GiB', 'fits', 'not measured'],
    ['16', '2.50 GiB', 'fits', 'not measured'],
    ['64', '6.00 GiB', 'fits', 'not measured'],
  ])
})
