/** What a team's runs change in a report. */
import { describe, expect, test } from 'vitest'
import { type AnalyzeOptions, analyze } from '../../engine/analyze.ts'
import type { CalibrationRun } from '../../engine/calibration/file.ts'
import { calibrationOf } from '../../engine/calibration/file.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { report as reportSchema } from '../../engine/report/schema.ts'
import { noSettings } from '../../engine/settings/settings.ts'
import { runWith } from './runs.ts'

const gpu = findGpu('a10')

async function judged(runs: readonly CalibrationRun[], batch = 8, options: Partial<AnalyzeOptions> = {}) {
  const text = `model_name_or_path: bert-base-uncased\ndataset_name: glue\nper_device_train_batch_size: ${batch}\nmax_seq_length: 128\nlearning_rate: 2e-5\nnum_train_epochs: 3\n`
  const settings = { ...noSettings, calibration: calibrationOf(runs) }
  const written = { now: new Date(0), settings, ...(gpu && { gpu }), ...options }
  const report = reportSchema.parse(JSON.parse(JSON.stringify(await analyze([{ path: 'a.yaml', text }], written))))
  const [config] = report.configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return { report, config }
}

function times(count: number, ratios: Parameters<typeof runWith>[0]): CalibrationRun[] {
  return Array.from({ length: count }, () => runWith(ratios))
}

describe('a measured speed', () => {
  test('corrects every modelled one for that GPU and kind of training, and narrows its band', async () => {
    const [before, after] = [(await judged([])).config, (await judged(times(14, { speed: 0.7 }))).config]
    const ratio = (after.current.samplesPerSecond ?? 0) / (before.current.samplesPerSecond ?? 0)
    expect(ratio).toBeCloseTo(0.7, 9)
    expect(after.calibration?.speed).toMatchObject({ runs: 14, factor: expect.closeTo(0.7, 9) })
    const width = (band = { low: 1, high: 1 }) => band.high / band.low
    expect(width(after.throughputBand)).toBeLessThan(width(before.throughputBand))
    expect(after.current.peakBytes).toBe(before.current.peakBytes)
  })

  test('is said to correct, and the figure never to be measured', async () => {
    const { config, report } = await judged(times(14, { speed: 0.7 }))
    expect(config.throughputProvenance).toBe('modelled')
    expect(config.assumptions.join(' ')).toContain(
      'Throughput is calibrated on 14 runs of this runner (NVIDIA A10, this kind of training), which measured 0.70 times',
    )
    for (const page of [renderTerminal(report, { color: false, columns: 500 }), renderComment(report) ?? '']) {
      expect(page).toContain('throughput modelled, calibrated on 14 runs of this runner')
      expect(page).not.toContain('measured, calibrated')
    }
  })

  test('changes no gain between two batches, so no block by a gain either', async () => {
    const [before, after] = [(await judged([], 1)).config, (await judged(times(3, { speed: 0.5 }), 1)).config]
    expect(after.speedup).toBeCloseTo(before.speedup, 9)
    expect(after.ratioBand).toEqual(before.ratioBand)
    expect(after.verdict).toEqual(before.verdict)
  })

  test('of another GPU or kind of training corrects nothing', async () => {
    const { config } = await judged([runWith({ speed: 0.5, memory: 2 }, { gpu: 'h100' })])
    expect(config.calibration).toBeUndefined()
    expect(config.current).toEqual((await judged([])).config.current)
  })

  test('that another version estimated is used, and said', async () => {
    const { config } = await judged([runWith({ speed: 0.7 }, { toolVersion: '0.0.1' })])
    expect(config.calibration).toMatchObject({ otherVersions: 1 })
    expect(config.assumptions.join(' ')).toContain(
      'The estimates of 1 run behind the calibration are of another version',
    )
  })
})

describe('a measured peak', () => {
  test('corrects the peak, its parts and what is reserved, and with them the largest batch', async () => {
    const [before, after] = [(await judged([])).config, (await judged(times(14, { memory: 1.2 }))).config]
    expect(after.current.peakBytes / before.current.peakBytes).toBeCloseTo(1.2, 9)
    expect((after.current.reservedBytes ?? 0) / (before.current.reservedBytes ?? 1)).toBeCloseTo(1.2, 9)
    const total = Object.values(after.breakdown).reduce((sum, bytes) => sum + bytes, 0)
    expect(total / after.current.peakBytes).toBeCloseTo(1, 9)
    expect(after.largest?.microBatch).toBeLessThan(before.largest?.microBatch ?? 0)
    expect(after.provenance).toBe('estimated')
  })

  test('blocks only what the runs themselves say does not fit: at the friendly end of the band that they leave', async () => {
    for (const memory of [0.5, 0.9, 1.1, 1.5, 2.5]) {
      for (const runs of [1, 3, 14]) {
        for (const batch of [150, 250, 350]) {
          const { config } = await judged(times(runs, { memory }), batch)
          const lowest = config.current.peakBytes * (1 + (config.errorBand?.lowPercent ?? 0) / 100)
          const isBlocked = config.verdict.state === 'blocked' && !config.current.fits
          if (isBlocked) expect(lowest).toBeGreaterThan(config.gpu.usableBytes)
        }
      }
    }
  })

  test('of one run makes no band narrower', async () => {
    const [before, after] = [(await judged([])).config, (await judged(times(1, { memory: 1.01 }))).config]
    // The published band need not lie evenly around the estimate; the corrected one does: by 1.01 here, which the run itself says.
    const width = ({ lowPercent, highPercent } = { lowPercent: 0, highPercent: 0 }) =>
      Math.log((100 + highPercent) / (100 + lowPercent))
    expect(width(after.errorBand)).toBeGreaterThan(1.4 * width(before.errorBand))
    expect(after.errorBand?.lowPercent).toBeLessThanOrEqual(before.errorBand?.lowPercent ?? 0)
  })
})
