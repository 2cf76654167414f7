/** GPUs that a team describes in its settings, from the file to the report. */
import { describe, expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { GIB } from '../../engine/base/units.ts'
import { findGpu, hasSpeed, usableBytes } from '../../engine/gpus/catalogue.ts'
import { describedGpu } from '../../engine/gpus/described.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { type AnalysedConfig, report as reportSchema } from '../../engine/report/schema.ts'
import { readSettings } from '../../engine/settings/read.ts'
import { type RepositorySettings, settingsFor } from '../../engine/settings/settings.ts'

const path = '.github/memorymark.yml'
const now = new Date('2026-11-01T00:00:00Z')

/** The A10 as its data sheet has it, without what only the catalogue knows. */
const likeA10 =
  'memory_gib: 22.06, bandwidth_gb_per_second: 600, fp32_tflops: 31.2, tf32_tflops: 62.5, bf16_tflops: 125'

function settingsOf(text: string): RepositorySettings {
  const reading = readSettings({ path, text })
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

function toldOf(text: string): string[] {
  const reading = readSettings({ path, text })
  if (reading.kind !== 'unreadable') throw new Error(`nothing was refused: ${JSON.stringify(reading)}`)
  return reading.problems.map(
    ({ line, column, field, message, fix }) => `${line}:${column} ${field}: ${message}. ${fix}`,
  )
}

function training(batch: number): string {
  return `model_name_or_path: bert-base-uncased\ndataset_name: glue\nper_device_train_batch_size: ${batch}\nmax_seq_length: 128\nlearning_rate: 2e-5\nbf16: true\nnum_train_epochs: 3\n`
}

async function judged(settings: string, batch = 8) {
  const written = { now, settings: settingsOf(settings) }
  const report = reportSchema.parse(
    JSON.parse(JSON.stringify(await analyze([{ path: 'train.yaml', text: training(batch) }], written))),
  )
  const [config] = report.configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return { report, config }
}

describe('a GPU that the settings describe', () => {
  test('is named like one of the catalogue, for the repository and for some paths', () => {
    const settings = settingsOf(
      `gpu: our card\ngpus:\n  - { name: our card, memory_gib: 12 }\n  - { name: big, memory_gib: 96 }\noverrides:\n  - { path: llm/**, gpu: big }\n`,
    )
    expect(settingsFor('a.yaml', settings).gpu).toMatchObject({ id: 'our card', describedAt: `${path}, line 3` })
    expect(settingsFor('llm/a.yaml', settings).gpu).toMatchObject({ id: 'big', describedAt: `${path}, line 4` })
  })

  test('is judged by its own memory, at its own price, and the report says where it is described', async () => {
    const { config, report } = await judged(`gpu: ours\ngpus:\n  - { name: ours, ${likeA10}, dollars_per_hour: 2.5 }\n`)
    expect(config.gpu).toEqual({
      id: 'ours',
      name: 'ours',
      totalBytes: Math.round(22.06 * GIB),
      usableBytes: Math.round(22.06 * GIB) - 300 * 2 ** 20,
      pricePerHourUsd: 2.5,
      priceSource: path,
      priceDate: '2026-11-01',
      describedAt: `${path}, line 3`,
    })
    expect(config.assumed).toBeUndefined()
    expect(config.current.costPerRunUsd).toBe(5)
    const said = 'described in .github/memorymark.yml, line 3'
    expect(renderTerminal(report, { color: false, columns: 400 })).toContain(said)
    expect(renderComment(report) ?? '').toContain(said)
  })

  test('trains about as fast as the card of the catalogue that has its figures, in a band twice as wide in logarithms', async () => {
    const own = (await judged(`gpu: ours\ngpus:\n  - { name: ours, ${likeA10}, dollars_per_hour: 1.29 }\n`)).config
    const { config } = await judged('gpu: a10\n')
    const ratio = (own.current.samplesPerSecond ?? 0) / (config.current.samplesPerSecond ?? 0)
    expect(ratio).toBeGreaterThan(0.7)
    expect(ratio).toBeLessThan(1.9)
    expect(own.current.peakBytes).toBe(config.current.peakBytes)
  })

  test('is offered as the cheaper GPU only if it is priced', async () => {
    const cheap = (price: string) =>
      judged(
        `gpu: h200\ngpus:\n  - { name: ours, ${likeA10}, bf16_tflops: 125${price} }\n`.replace(
          ', bf16_tflops: 125, bf16',
          ', bf16',
        ),
      )
    expect((await cheap(', dollars_per_hour: 0.05')).config.rightSizing?.gpu.id).toBe('ours')
    expect((await cheap('')).config.rightSizing?.gpu.id).not.toBe('ours')
  })
})

describe('without bandwidth or FLOP/s', () => {
  const memoryOnly = 'gpu: ours\ngpus:\n  - { name: ours, memory_gib: 8, dollars_per_hour: 1 }\n'

  test('memory is judged, and no throughput, speedup or saving is claimed', async () => {
    const { config, report } = await judged(memoryOnly)
    expect(config).toMatchObject({
      throughputProvenance: 'unknown',
      speedup: 1,
      savingsPerYearUsd: 0,
      throughputCurve: [],
    })
    expect(config.current.samplesPerSecond).toBeUndefined()
    expect(config.recommended).toMatchObject({ microBatch: 8, gradientAccumulation: 1 })
    expect(config.verdict.state).toBe('fine')
    expect(config.assumptions.join(' ')).toContain('only memory is judged. Add bandwidth_gb_per_second and bf16_tflops')
    for (const page of [renderTerminal(report, { color: false, columns: 200 }), renderComment(report) ?? '']) {
      expect(page).not.toContain('samples/s')
      expect(page.toLowerCase()).toContain('throughput unknown')
    }
  })

  test('a batch that does not fit gives way to the largest that does, at the same effective batch', async () => {
    const { config } = await judged(memoryOnly, 512)
    expect(config.verdict).toMatchObject({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
    const { recommended } = config
    if (recommended === undefined) throw new Error('some batch fits 8 GiB')
    expect(recommended).toMatchObject({ fits: true, effectiveBatch: 512 })
    const next = config.trials.find(({ microBatch }) => microBatch === 2 * recommended.microBatch)
    expect(next === undefined || next.outcome.kind !== 'fits' || mayNotFit(config, next.outcome.peakBytes ?? 0)).toBe(
      true,
    )
  })

  test.each([
    ['bandwidth alone', 'bandwidth_gb_per_second: 600'],
    ['FLOP/s alone', 'bf16_tflops: 125'],
  ])('%s is not enough', (_, figure) => {
    const [gpu] = settingsOf(`gpus:\n  - { name: ours, memory_gib: 8, ${figure} }\n`).gpus
    expect(gpu && hasSpeed(gpu)).toBe(false)
  })
})

/** With the margin and the band. */
function mayNotFit(config: AnalysedConfig, peakBytes: number): boolean {
  const { highPercent } = config.errorBand ?? { highPercent: 0 }
  return peakBytes * (1 + Math.max(5, highPercent) / 100) > 0.9 * config.gpu.usableBytes
}

describe('without a price', () => {
  test('nothing is said in dollars, and hours alone decide what blocks', async () => {
    const { config, report } = await judged(`gpu: ours\ngpus:\n  - { name: ours, ${likeA10} }\n`, 1)
    expect(config.gpu).toMatchObject({ pricePerHourUsd: 0, priceCaveat: 'not-given' })
    expect(config.speedup).toBeGreaterThan(1.2)
    for (const page of [renderTerminal(report, { color: false, columns: 200 }), renderComment(report) ?? '']) {
      expect(page).not.toMatch(/\$\d/)
      expect(page).toContain('a price that is not given')
    }
  })
})

describe('what cannot be described', () => {
  test.each([
    ['gpus:\n  - name: ours\n', '2:5 gpus[0].memory_gib: There is no value here. Write a number from 0.1 to 10000.'],
    ['gpus:\n  - { name: ours, memory_gib: -1 }\n', '2:31 gpus[0].memory_gib: -1 is not a number from 0.1 to 10000. '],
    [
      'gpus:\n  - { name: ours, memory_gib: .inf }\n',
      '2:31 gpus[0].memory_gib: .inf is not a number from 0.1 to 10000. ',
    ],
    [
      'gpus:\n  - { name: ours, memory_gib: 8, bf16_tflops: 0 }\n',
      '2:47 gpus[0].bf16_tflops: 0 is not a number from 0.01 to ',
    ],
    ['gpus:\n  - { name: ours, memory: 8 }\n', '2:5 gpus[0].memory_gib: There is no value here'],
    ['gpus:\n  - { memory_gib: 8 }\n', '2:5 gpus[0].name: There is no value here. Write a name of letters, '],
    ['gpus:\n  - { name: "<b>", memory_gib: 8 }\n', '2:13 gpus[0].name: "<b>" is not a name of letters, digits, '],
    [
      'gpus:\n  - { name: RTX 4090, memory_gib: 48 }\n',
      '2:13 gpus[0].name: The name "RTX 4090" is already the NVIDIA GeForce RTX 4090 of the catalogue. Give it a name of its own, or write gpu: rtx-4090 without describing it.',
    ],
    [
      'gpus:\n  - { name: Tesla, memory_gib: 48 }\n',
      '2:13 gpus[0].name: The name "Tesla" says nothing about the GPU. ',
    ],
    [
      'gpus:\n  - { name: ours, memory_gib: 8 }\n  - { name: OURS, memory_gib: 9 }\n',
      '3:13 gpus[1].name: Another GPU of this list has the name "OURS". Give each a name of its own; ',
    ],
    ['gpu: theirs\ngpus:\n  - { name: ours, memory_gib: 8 }\n', '1:6 gpu: "theirs" is not a GPU in the catalogue'],
    ['overrides:\n  - { path: a, gpu: ours }\n', '2:21 overrides[0].gpu: "ours" is not a GPU in the catalogue'],
    ['gpus:\n  - { name: ours, memory_gib: 8 }\nprices: { ours: 1 }\n', 'prices.ours: Unknown key "ours"'],
  ])('%j', (text, told) => {
    expect(toldOf(text)[0]).toContain(told)
  })

  test('nor more of them than fifty', () => {
    const many = Array.from({ length: 51 }, (_, index) => `  - { name: gpu ${index}, memory_gib: 8 }\n`).join('')
    expect(toldOf(`gpus:\n${many}`)).toEqual([expect.stringContaining('is not a list of at most 50 GPUs')])
  })
})

test('every card of the catalogue, described by its data sheet alone, keeps within 2.2 times its own rates', () => {
  for (const id of ['a10', 'a100-80gb', 'h100', 'rtx-4090', 't4']) {
    const card = findGpu(id)
    if (card === undefined) throw new Error(id)
    const { fp32, tf32, fp16, bf16 } = card.speed.peakFlops
    const own = describedGpu({
      name: 'ours',
      memoryGib: card.totalBytes / GIB,
      bandwidthGbPerSecond: card.speed.memoryBandwidthBytesPerSecond / 1e9,
      fp32Tflops: fp32 / 1e12,
      tf32Tflops: tf32 === undefined ? undefined : tf32 / 1e12,
      fp16Tflops: fp16 / 1e12,
      bf16Tflops: bf16 === undefined ? undefined : bf16 / 1e12,
      linkGbPerSecond: undefined,
      describedAt: 'here',
    })
    expect(usableBytes(own)).toBe(usableBytes(card))
    if (!hasSpeed(own)) throw new Error('it has a speed')
    for (const ratio of [
      own.speed.productFlops.half / card.speed.productFlops.half,
      own.speed.productFlops.fp32 / card.speed.productFlops.fp32,
      own.speed.multiprocessors / card.speed.multiprocessors,
    ]) {
      expect(ratio, id).toBeGreaterThan(1 / 2.2)
      expect(ratio, id).toBeLessThan(2.2)
    }
  }
})
