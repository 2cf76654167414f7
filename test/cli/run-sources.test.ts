import { describe, expect, test } from 'vitest'
import { readRunSource } from '../../cli/run-sources.ts'
import { type AnalysedConfig, REPORT_SCHEMA } from '../../engine/report/schema.ts'
import { reportOf, wasteful } from '../render/fixtures.ts'

const source = (text: string) => readRunSource({ path: 'left.json', text })
const json = (value: unknown) => source(JSON.stringify(value))

function state(...history: object[]) {
  return { log_history: [{ step: 10, loss: 0.5 }, ...history], global_step: 10, train_batch_size: 8 }
}
const whole = { train_runtime: 100, train_samples_per_second: 50 }

describe('a trainer_state.json', () => {
  test('tells the rate of the whole run and the micro-batch of each GPU', () => {
    expect(json(state(whole))).toEqual({ kind: 'log', run: { samplesPerSecond: 50, microBatch: 8 } })
  })

  test('counts evaluations in the time, which are no training', () => {
    expect(json(state({ eval_runtime: 10 }, { eval_runtime: 10 }, whole))).toMatchObject({
      run: { samplesPerSecond: 62.5 },
    })
  })

  test('leaves in the time what is evaluated after the training', () => {
    expect(json(state({ eval_runtime: 20 }, whole, { eval_runtime: 30 }))).toMatchObject({
      run: { samplesPerSecond: 62.5 },
    })
  })

  test.each([
    ['of a run that has not ended', state(), 'it has no train_samples_per_second with its train_runtime'],
    [
      'whose evaluations take longer than it',
      state({ eval_runtime: 200 }, whole),
      'its evaluations take longer than the run',
    ],
  ])('%s is refused', (_, written, message) => {
    expect(() => json(written)).toThrow(`left.json: ${message}`)
  })
})

describe('a log', () => {
  test.each([
    ["{'train_runtime': 100.1, 'train_samples_per_second': 12.5, 'train_loss': 0.3}\n"],
    ['***** train metrics *****\n  train_samples_per_second = 12.5\n'],
    ['{"train/loss": 0.3, "train/train_samples_per_second": 12.5, "_step": 10}'],
    ["{'train_runtime': '100.1', 'train_samples_per_second': '12.5', 'train_loss': '0.3'}\n"],
    ['noise\n{"train_samples_per_second": 12.5}\n{"train_samples_per_second": 12.5}\n'],
  ])('%j tells the one rate that is in it', text => {
    expect(source(text)).toEqual({ kind: 'log', run: { samplesPerSecond: 12.5 } })
  })

  test('tells a rate with all of its digits where transformers 5 prints four of them first', () => {
    const text = "{'train_samples_per_second': '123.5'}\n  train_samples_per_second = 123.456\n"
    expect(source(text)).toEqual({ kind: 'log', run: { samplesPerSecond: 123.456 } })
  })

  test('counts evaluations within the run in its time, and none after it', () => {
    const text = `
      {'loss': '0.5', 'train_runtime': '40', 'train_tokens_per_second': '800'}
      {'eval_loss': '0.4', 'eval_runtime': '20', 'eval_samples_per_second': '9'}
      {'train_runtime': '100', 'train_samples_per_second': '50'}
      {'eval_loss': '0.4', 'eval_runtime': '30'}
    `
    expect(source(text)).toEqual({ kind: 'log', run: { samplesPerSecond: 62.5 } })
  })

  test.each([
    [
      'two runs',
      'train_samples_per_second: 12\ntrain_samples_per_second: 13\n',
      'it has 2 different train_samples_per_second',
    ],
    ['no rate', 'loss: 3\n', 'no measured speed is in it'],
    ['a rate of nothing', 'train_samples_per_second: 0\n', 'no measured speed is in it'],
    ['nothing', '', 'no measured speed is in it'],
  ])('of %s is refused', (_, text, message) => {
    expect(() => source(text)).toThrow(`left.json: ${message}`)
  })
})

describe('a report of ours', () => {
  const fits = (microBatch: number, stepMillis: number): AnalysedConfig['trials'][number] => ({
    microBatch,
    provenance: 'measured',
    outcome: { kind: 'fits', peakBytes: microBatch * 1e9, stepMillis, stepMillisSpread: 0.1, optimizerMillis: 2 },
  })
  const measured = (changes: Partial<AnalysedConfig>) =>
    reportOf([{ ...wasteful({ provenance: 'measured' }), ...changes }])
  const { spec, gpu } = wasteful({})
  const alone = { ...spec, microBatch: 16, gradientAccumulation: 1 }

  test('tells speed and memory at the batch of the config', () => {
    const trials = [fits(8, 10), fits(16, 20), fits(32, 30)]
    expect(json(measured({ spec: alone, trials }))).toEqual({
      kind: 'report',
      runs: [{ spec: alone, gpu: gpu.id, measured: { samplesPerSecond: 800, peakBytes: 16e9 } }],
    })
  })

  test('counts the optimizer once for several micro-batches', () => {
    const accumulating = { ...alone, gradientAccumulation: 4 }
    const trials = [{ ...fits(16, 20), accumulates: true as const }]
    expect(json(measured({ spec: accumulating, trials }))).toMatchObject({
      runs: [{ spec: accumulating, measured: { samplesPerSecond: (1_000 * 64) / (4 * 18 + 2) } }],
    })
  })

  test('tells the largest size that was timed where the own one does not run', () => {
    const trials = [fits(4, 10), fits(8, 15)]
    expect(json(measured({ spec: alone, trials }))).toMatchObject({ runs: [{ spec: { microBatch: 8 } }] })
  })

  test.each(['estimated', 'traced'] as const)('that is %s tells nothing', provenance => {
    expect(json(reportOf([wasteful({ provenance })]))).toEqual({ kind: 'report', runs: [] })
  })

  test('that is damaged is refused', () => {
    expect(() => json({ schema: REPORT_SCHEMA, configs: 3 })).toThrow('left.json: it is no report of MemoryMark')
  })
})
