/** Where a run could run out of memory: each moment whose memory is known, with whether it fits, as rows of a table. */
import type { AnalysedConfig, RunPeak } from '../report/schema.ts'
import { formatGib } from '../units.ts'
import { formatCount } from './figures.ts'

export const peakHeadings = ['moment', 'samples at a time', 'memory', 'result'] as const

/** Empty if only the training step is known, whose memory stands elsewhere. `evaluation`, `16`, `52.8 GiB`, `does not fit (4 would)`. */
export function peakRows({ peaks = [] }: AnalysedConfig): readonly (readonly string[])[] {
  if (peaks.length < 2) return []
  return peaks.map(peak => [
    momentNames[peak.phase],
    peak.microBatch === undefined ? '–' : formatCount(peak.microBatch),
    formatGib(peak.peakBytes),
    resultOf(peak),
  ])
}

const momentNames: Readonly<Record<RunPeak['phase'], string>> = {
  loading: 'loading the weights',
  'training-step': 'training step',
  evaluation: 'evaluation',
  'evaluation-with-metrics': 'evaluation with compute_metrics, for which all logits are kept',
}

const states: Readonly<Record<RunPeak['state'], string>> = {
  fits: 'fits',
  'may-not-fit': 'may not fit',
  'does-not-fit': 'does not fit',
}

function resultOf({ state, fittingMicroBatch }: RunPeak): string {
  return fittingMicroBatch === undefined ? states[state] : `${states[state]} (${formatCount(fittingMicroBatch)} would)`
}
