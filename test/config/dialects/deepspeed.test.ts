import { describe, expect, it } from 'vitest'
import { explainConfig, readConfig, readConfigAsync } from '../../../engine/config/read.ts'
import type { Field } from '../../../engine/config/text/section.ts'
import { problemsIn } from '../readings.ts'

const read = (config: object) => problemsIn(JSON.stringify(config, null, 2), 'ds.json')
const settingsOf = (config: object) => {
  const explanation = explainConfig({ path: 'ds.json', text: JSON.stringify(config, null, 2) })
  if (explanation.kind !== 'recognised') throw new Error('not recognised')
  return Object.fromEntries(explanation.decisions.map(({ setting, value }) => [setting, value]))
}

/** As the repository's settings supply it. */
function named(text: string): Field {
  return { key: 'model', name: 'model', value: { kind: 'text', text }, source: text, at: { line: 1, column: 1 } }
}

const zero2 = { bf16: { enabled: true }, zero_optimization: { stage: 2 } }

describe('a config of DeepSpeed', () => {
  const whole = JSON.stringify({ train_micro_batch_size_per_gpu: 4, ...zero2 })
  it('is a part of a training, because it never names its model, and says what to add', () => {
    expect(readConfig({ path: 'ds.json', text: whole })).toEqual({
      kind: 'not-a-training-config',
      why: expect.stringMatching(/^It is DeepSpeed's part of a training.* Add model, .* in \.github\/memorymark\.yml/),
    })
  })

  it('is one for which the settings supply the model', async () => {
    const model = named('gpt2')
    const reading = await readConfigAsync({ path: 'ds.json', text: whole }, {}, { model })
    expect(reading).toMatchObject({
      kind: 'training-config',
      spec: { model: 'openai-community/gpt2', microBatch: 4, sharding: 'zero2' },
    })
    const unknown = await readConfigAsync({ path: 'ds.json', text: whole }, {}, { model: named('nobody') })
    expect(unknown).toMatchObject({ kind: 'unreadable', problems: [{ code: 'unknown-model' }] })
  })

  it.each([
    [{ fp16: { enabled: true } }, true],
    [{ bf16: { enabled: true }, fp16: { enabled: false } }, undefined],
    [{ bf16: { enabled: 'auto' }, fp16: { enabled: 'auto' } }, undefined],
  ])('with %j computes in float16: %s', (switches, inFloat16) => {
    const settings = settingsOf({ train_micro_batch_size_per_gpu: 4, ...switches })
    expect([settings.precision, settings.inFloat16]).toEqual(['bf16-master', inFloat16])
  })

  it('gives the number of GPUs by its three batch sizes', () => {
    const sizes = { train_batch_size: 64, train_micro_batch_size_per_gpu: 4, gradient_accumulation_steps: 2 }
    expect(settingsOf({ ...sizes, ...zero2 })).toMatchObject({
      microBatch: 4,
      gradientAccumulation: 2,
      gpus: 8,
      precision: 'bf16-master',
      sharding: 'zero2',
    })
  })

  it('gives the batch of one GPU out of all, and eight where it shards and does not say', () => {
    expect(settingsOf({ train_batch_size: 64, ...zero2 })).toMatchObject({ microBatch: 8, gpus: 8 })
    expect(settingsOf({ train_batch_size: 64, bf16: { enabled: true } })).toMatchObject({ microBatch: 64, gpus: 1 })
  })

  it('whose batch sizes disagree is told so at the total', () => {
    const sizes = { train_batch_size: 30, train_micro_batch_size_per_gpu: 4, gradient_accumulation_steps: 2 }
    expect(read({ ...sizes, ...zero2 })[0]).toMatchObject({ code: 'batch-sizes-disagree', line: 2, column: 23 })
  })

  it('with offloading names what leaves the GPU', () => {
    const zero = { stage: 3, offload_optimizer: { device: 'cpu' }, offload_param: { device: 'cpu' } }
    const settings = settingsOf({ train_batch_size: 8, zero_optimization: zero })
    expect(settings).toMatchObject({ sharding: 'zero3', offload: 'optimizer-and-weights', precision: 'fp32' })
  })

  it('that leaves its batch size to the training arguments is left alone, and says why', () => {
    const text = '{"train_batch_size": "auto", "zero_optimization": {"stage": 2}}'
    expect(readConfig({ path: 'ds.json', text })).toEqual({
      kind: 'not-a-training-config',
      why: 'It leaves its batch size to the training arguments ("auto"), so MemoryMark checks those instead.',
    })
  })
})
