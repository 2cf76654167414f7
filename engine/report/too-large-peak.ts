/** A moment of the run besides the step that certainly does not fit. */
import type { AnalysedConfig, RunPeak } from './schema.ts'

/** Evaluation with metrics, which needs more memory, does not count: metrics are optional. */
export function tooLargePeak(
  { peaks = [] }: Pick<AnalysedConfig, 'peaks'>,
  phase: 'loading' | 'evaluation' | 'saving' | 'resuming',
): RunPeak | undefined {
  return peaks.find(peak => peak.phase === phase && peak.state === 'does-not-fit')
}
