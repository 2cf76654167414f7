import { describe, expect, it } from 'vitest'
import { renderTerminal } from '../../../engine/render/terminal.ts'
import { analysed, evaluated, reportOf } from './peaks.ts'

describe('what metrics keep of an evaluation', () => {
  const vocabulary = 151_936
  const logitBytes = 2_048 * vocabulary * 4

  it('is told per sample where it stays until the end, since the config does not say how many there are', async () => {
    const { peaks = [] } = await analysed(evaluated)
    expect(peaks[1]?.logitBytesPerSample).toBe(logitBytes)
    expect(peaks).toHaveLength(2)
  })

  it('fits up to a number of samples, of which one batch more does not', async () => {
    const { peaks: unknown = [] } = await analysed(evaluated, 'h100')
    const { fittingSamples = 0 } = unknown[1] ?? {}
    const stateOf = async (samples: number) =>
      (await analysed(`${evaluated}max_eval_samples: ${samples}\n`, 'h100')).peaks?.[2]?.state
    expect(fittingSamples).toBeGreaterThan(0)
    expect(await stateOf(fittingSamples)).toBe('fits')
    expect(await stateOf(fittingSamples + 1)).not.toBe('fits')
    expect(renderTerminal(await reportOf(evaluated, 'h100'), { color: false, columns: 400 })).toContain(
      `fits up to ${fittingSamples} samples; else set eval_accumulation_steps`,
    )
  })

  it('names the most steps after which it may go to the host', async () => {
    const text = `${evaluated}per_device_eval_batch_size: 1\nmax_eval_samples: 10000\n`
    const { peaks = [] } = await analysed(text)
    const { fittingAccumulation = 0 } = peaks[2] ?? {}
    const stateAt = async (steps: number) =>
      (await analysed(`${text}eval_accumulation_steps: ${steps}\n`)).peaks?.[2]?.state
    expect(peaks[2]).toMatchObject({ phase: 'evaluation-with-metrics', state: 'does-not-fit' })
    expect(await stateAt(fittingAccumulation)).toBe('fits')
    expect(await stateAt(fittingAccumulation + 1)).not.toBe('fits')
    expect(renderTerminal(await reportOf(text, 'a100-40gb'), { color: false, columns: 400 })).toContain(
      `(eval_accumulation_steps: ${fittingAccumulation} would)`,
    )
  })

  // Seen in transformers 5.18 on the CPU: predictions of T5 are its logits and its encoder's last hidden states.
  it('is of T5 what the encoder hands on too', async () => {
    const text =
      'model_name_or_path: google-t5/t5-small\ntask: seq2seq-lm\nmax_source_length: 384\nmax_target_length: 30\nper_device_train_batch_size: 8\neval_strategy: epoch\n'
    const { peaks = [] } = await analysed(text)
    expect(peaks[1]?.logitBytesPerSample).toBe((30 * 32_128 + 384 * 512) * 4)
  })

  it('is twice what the batches between two moves to the host hold, where they are many', async () => {
    const text = `${evaluated}per_device_eval_batch_size: 1\neval_accumulation_steps: 20\n`
    const { peaks = [] } = await analysed(text)
    const { peaks: fewer = [] } = await analysed(text.replace('steps: 20', 'steps: 19'))
    expect(peaks.map(({ phase }) => phase)).toEqual(['training-step', 'evaluation', 'evaluation-with-metrics'])
    expect((peaks[2]?.peakBytes ?? 0) - (fewer[2]?.peakBytes ?? 0)).toBe(2 * logitBytes)
    expect(peaks[2]?.peakBytes).toBeGreaterThan(peaks[1]?.peakBytes ?? 0)
  })

  it('is one batch with batch_eval_metrics, however many samples there are', async () => {
    const one = `${evaluated}per_device_eval_batch_size: 1\nmax_eval_samples: 10000\nbatch_eval_metrics: true\n`
    const { peaks = [] } = await analysed(one)
    expect(peaks[2]).toMatchObject({ phase: 'evaluation-with-metrics', state: 'fits' })
  })

  it('is nothing with prediction_loss_only', async () => {
    const { peaks = [] } = await analysed(`${evaluated}eval_accumulation_steps: 20\nprediction_loss_only: true\n`)
    expect(peaks).toHaveLength(2)
    expect(peaks[1]).not.toHaveProperty('logitBytesPerSample')
  })

  // transformers#12878: 512 tokens of a vocabulary of 30,522 in float32, so that a thousand samples hold 58 GiB.
  it('transformers#12878: of BERT as a masked language model is 1,000 × 512 × 30,522 × 4 bytes for a thousand samples', async () => {
    const text =
      'model_name_or_path: google-bert/bert-base-uncased\nmlm_probability: 0.15\nmax_seq_length: 512\nper_device_train_batch_size: 8\neval_strategy: steps\n'
    const { peaks = [] } = await analysed(text)
    expect(1_000 * (peaks[1]?.logitBytesPerSample ?? 0)).toBe(1_000 * 512 * 30_522 * 4)
  })

  it('is told in the terminal of a config that is fine, too, where it does not fit: transformers#17089', async () => {
    const text =
      'model_name_or_path: google-t5/t5-small\ntask: seq2seq-lm\nmax_source_length: 384\nmax_target_length: 30\nper_device_train_batch_size: 12\nmax_eval_samples: 11873\ndo_eval: true\n'
    const report = await reportOf(text, 'v100-16gb')
    const terminal = renderTerminal(report, { color: false, columns: 400 })
    expect(terminal).toContain('fits and is within policy')
    expect(terminal).toMatch(
      /compute_metrics, for which all logits are kept \(8\): [\d.]+ GiB, does not fit \(eval_accum/,
    )
    const small = await reportOf(text.replace('11873', '100'), 'v100-16gb')
    expect(renderTerminal(small, { color: false, columns: 400 })).not.toContain('compute_metrics')
  })

  it('never warns by itself: whether there are metrics is in the code', async () => {
    const { peaks = [], verdict } = await analysed(
      `${evaluated}per_device_eval_batch_size: 1\neval_accumulation_steps: 200\n`,
    )
    expect(peaks[2]?.state).toBe('does-not-fit')
    expect(verdict.reasons).not.toContainEqual({ kind: 'evaluation-does-not-fit' })
  })
})
