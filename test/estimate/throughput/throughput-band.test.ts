import { describe, expect, test } from 'vitest'
import { throughputBand, throughputClassOf } from '../../../engine/estimate/throughput/throughput-band.ts'
import { knownModel, specOf } from '../specs.ts'

const bert = specOf('google-bert/bert-base-uncased')
const bertConfig = knownModel('google-bert/bert-base-uncased').config
const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }

describe('the band of a modelled speed', () => {
  test('has the model in it, and is narrower for ratios than for samples a second', () => {
    const { samplesPerSecond, ratio } = throughputBand(bert, bertConfig, { id: 'a100-80gb' })
    for (const { low, high } of [samplesPerSecond, ratio]) {
      expect(low).toBeLessThan(1)
      expect(high).toBeGreaterThan(1)
    }
    expect(ratio.high / ratio.low).toBeLessThan(samplesPerSecond.high / samplesPerSecond.low)
  })

  test('is wider for a card that nobody has read, and says so', () => {
    const [read, unread] = ['a100-80gb', 'no-such-card'].map(id => throughputBand(bert, bertConfig, { id }))
    expect(read?.isCardRead).toBe(true)
    expect(unread?.isCardRead).toBe(false)
    expect(unread?.samplesPerSecond.low).toBeLessThan(read?.samplesPerSecond.low ?? 0)
    expect(unread?.ratio.high).toBeGreaterThan(read?.ratio.high ?? Number.POSITIVE_INFINITY)
  })

  test.each(['mistralai/Mixtral-8x7B-v0.1', 'tiiuae/Falcon-H1-1.5B-Base'])(
    'is wider for %s, a kind of model that nobody has read',
    name => {
      const on = { id: 'a100-80gb' }
      const [unread, read] = [throughputBand(bert, knownModel(name).config, on), throughputBand(bert, bertConfig, on)]
      expect(unread.ratio.low).toBeLessThan(read.ratio.low)
      expect(unread.samplesPerSecond.high).toBeGreaterThan(read.samplesPerSecond.high)
    },
  )

  test('of ratios is wider than any other where too few pairs of batches were read', () => {
    const resnet = 'microsoft/resnet-50'
    const on = { id: 'a100-80gb' }
    const [images, text] = [
      throughputBand(specOf(resnet), knownModel(resnet).config, on),
      throughputBand(bert, bertConfig, on),
    ]
    expect(images.ratio.low).toBeLessThan(text.ratio.low)
    expect(images.ratio.high).toBeGreaterThan(text.ratio.high)
  })
})

test('a spec’s class is decided by its GPUs, its adapters and its task, in this order', () => {
  expect(throughputClassOf({ ...bert, gpus: 2, lora })).toBe('several GPUs')
  expect(throughputClassOf({ ...bert, lora, quantization: 'nf4' })).toBe('quantised adapters')
  expect(throughputClassOf({ ...bert, lora })).toBe('adapters')
  expect(throughputClassOf(specOf('microsoft/resnet-50'))).toBe('images')
  expect(throughputClassOf(bert)).toBe('text')
})
