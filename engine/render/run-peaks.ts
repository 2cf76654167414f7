/** Where a run could run out of memory: each moment whose memory is known, with whether it fits, as rows of a table. */
import { formatGib, formatMib } from '../base/units.ts'
import type { AnalysedConfig, RunPeak } from '../report/schema.ts'
import { formatCount } from './figures.ts'
import { capitalised } from './plain.ts'

export const peakHeadings = ['moment', 'samples at a time', 'memory', 'result'] as const

/** Empty if only the training step is known, whose memory stands elsewhere. `evaluation`, `16`, `52.8 GiB`, `does not fit (4 would)`. */
export function peakRows({ peaks = [] }: AnalysedConfig): readonly (readonly string[])[] {
  if (peaks.length < 2) return []
  const hasMean = peaks.some(({ phase }) => phase === 'mean-step')
  return peaks.flatMap(peak => [rowOf(peak, hasMean), ...keptRow(peak)])
}

/** The same of those moments besides the step that may not fit, in one sentence; undefined where there are none. */
export function doubtfulMoments({ peaks = [] }: AnalysedConfig): string | undefined {
  const doubtful = peaks.filter(({ phase, state }) => phase !== 'training-step' && state !== 'fits')
  return doubtful.length === 0 ? undefined : momentsSentence(doubtful.map(peak => rowOf(peak, false)))
}

/** `Training step (1): 9.47 GiB, fits; evaluation (8): 17.3 GiB, does not fit.` */
export function momentsSentence(rows: readonly (readonly string[])[]): string {
  const moments = rows.map(([moment, samples, peak, result]) => `${moment} (${samples}): ${peak}, ${result}`)
  return `${capitalised(moments.join('; '))}.`
}

function rowOf(peak: RunPeak, hasMean: boolean): readonly string[] {
  return [nameOf(peak, hasMean), samplesOf(peak), formatGib(peak.peakBytes), resultOf(peak)]
}

function nameOf({ phase, waitsInFull }: RunPeak, hasMean: boolean): string {
  if (waitsInFull) return `${momentNames.loading}, up to all of them in 16 bits before they are quantised`
  return phase === 'training-step' && hasMean ? 'training step on the longest samples' : momentNames[phase]
}

/** Where nothing says how many samples are evaluated: what metrics keep of each, and of how many it fits. */
function keptRow({ logitBytesPerSample, fittingSamples, ...peak }: RunPeak): readonly (readonly string[])[] {
  if (logitBytesPerSample === undefined || fittingSamples === undefined) return []
  const each = `${formatMib(logitBytesPerSample)} a sample`
  return [[momentNames['evaluation-with-metrics'], samplesOf(peak), each, keptResult(fittingSamples)]]
}

function keptResult(fittingSamples: number): string {
  const within = 'else set eval_accumulation_steps'
  return fittingSamples === 0 ? 'does not fit' : `fits up to ${formatCount(fittingSamples)} samples; ${within}`
}

function samplesOf({ microBatch }: Pick<RunPeak, 'microBatch'>): string {
  return microBatch === undefined ? '–' : formatCount(microBatch)
}

const momentNames: Readonly<Record<RunPeak['phase'], string>> = {
  loading: 'loading the weights',
  resuming: 'resuming from a checkpoint',
  'first-step': 'first step, until which the optimizer has no state',
  'mean-step': 'training step on samples of the mean length',
  'training-step': 'training step',
  evaluation: 'evaluation',
  'evaluation-with-metrics': 'evaluation with compute_metrics, for which all logits are kept',
  generation: 'generating text in the evaluation',
  saving: 'saving a checkpoint',
}

const states: Readonly<Record<RunPeak['state'], string>> = {
  fits: 'fits',
  'may-not-fit': 'may not fit',
  'does-not-fit': 'does not fit',
}

function resultOf({ state, fittingMicroBatch, fittingAccumulation, waitsInFull }: RunPeak): string {
  if (waitsInFull && state === 'may-not-fit') {
    return `${states[state]} (transformers 5.4 or HF_DEACTIVATE_ASYNC_LOAD=1 would)`
  }
  if (fittingAccumulation !== undefined) {
    return `${states[state]} (eval_accumulation_steps: ${formatCount(fittingAccumulation)} would)`
  }
  return fittingMicroBatch === undefined ? states[state] : `${states[state]} (${formatCount(fittingMicroBatch)} would)`
}
