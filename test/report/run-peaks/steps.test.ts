/** Steps that need less than the one that counts. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { findGpu } from '../../../engine/gpus/catalogue.ts'
import { peakRows } from '../../../engine/render/run-peaks.ts'
import { readSettings } from '../../../engine/settings/read.ts'
import { analysed, trainer } from './peaks.ts'

describe('samples of the mean length', () => {
  const long = trainer.replace('2048', '32768').replace('batch_size: 1', 'batch_size: 2')

  async function peaksWith(override: string, text = long) {
    const file = { path: '.github/memorymark.yml', text: `overrides:\n  - { path: train.yaml, ${override} }\n` }
    const reading = readSettings(file)
    if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
    const gpu = findGpu('a100-40gb')
    const options = { now: new Date(0), settings: reading.settings, ...(gpu && { gpu }) }
    const [config] = (await analyze([{ path: 'train.yaml', text }], options)).configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    return { config, peaks: config.peaks ?? [] }
  }

  it('are a row beside the longest: these run out of memory where those fit', async () => {
    const { config, peaks } = await peaksWith('mean_length: 400')
    expect(peaks.map(({ phase, state }) => [phase, state])).toEqual([
      ['mean-step', 'fits'],
      ['training-step', 'does-not-fit'],
    ])
    expect(peakRows(config).map(([moment]) => moment)).toEqual([
      'training step on samples of the mean length',
      'training step on the longest samples',
    ])
  })

  it('take what a config of that length takes', async () => {
    const short = await analysed(long.replace('32768', '400'))
    const { peaks } = await peaksWith('mean_length: 400')
    expect(peaks[0]?.peakBytes).toBe(short.current.peakBytes)
  })

  it.each(['mean_length: 32768', 'mean_length: 40000', 'sequence_length: 300, mean_length: 400'])(
    'are no row where none is longer: %s',
    async override => {
      expect((await peaksWith(override)).peaks).toEqual([])
    },
  )
})

describe('the first step', () => {
  const gpt = (batch: number) =>
    `model_name_or_path: openai-community/gpt2-large\nblock_size: 1024\nper_device_train_batch_size: ${batch}\ngradient_checkpointing: true\n`
  const phases = async (text: string) => (await analysed(text, 'a10')).peaks?.map(({ phase, state }) => [phase, state])

  it('is told where it fits and the second one runs out of memory', async () => {
    expect(await phases(gpt(20))).toEqual([
      ['first-step', 'fits'],
      ['training-step', 'does-not-fit'],
    ])
  })

  it.each([4, 64])('is not told where all steps fit, or none does: a batch of %i', async batch => {
    expect(await phases(gpt(batch))).toBeUndefined()
  })
})
