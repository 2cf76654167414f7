/** The change that a recommendation makes to a config's text. */
import type { NumberChange } from '../config/rewrite.ts'
import type { AnalysedConfig } from './schema.ts'

export type BatchChange =
  | { readonly kind: 'change'; readonly numbers: readonly [NumberChange, ...NumberChange[]] }
  | { readonly kind: 'nothing-to-change' }
  /** The number is not written: the tool's default applies, so nothing can be replaced. */
  | { readonly kind: 'not-in-file'; readonly setting: 'micro-batch' | 'gradient accumulation' }

export function batchChange(config: AnalysedConfig): BatchChange {
  const { current, recommended, batchSizeAt, gradientAccumulationAt } = config
  if (recommended === undefined) return { kind: 'nothing-to-change' }
  const changesMicro = recommended.microBatch !== current.microBatch
  // Ultralytics accumulates up to its nominal batch size (`nbs`) by itself.
  const changesAccumulation =
    config.spec.loop !== 'ultralytics' && recommended.gradientAccumulation !== current.gradientAccumulation
  if (changesMicro && batchSizeAt === undefined) return { kind: 'not-in-file', setting: 'micro-batch' }
  if (changesAccumulation && gradientAccumulationAt === undefined) {
    return { kind: 'not-in-file', setting: 'gradient accumulation' }
  }
  const [first, ...others] = [
    ...(changesMicro && batchSizeAt ? [{ at: batchSizeAt, from: current.microBatch, to: recommended.microBatch }] : []),
    ...(changesAccumulation && gradientAccumulationAt
      ? [
          {
            at: gradientAccumulationAt,
            from: current.gradientAccumulation,
            to: recommended.gradientAccumulation,
          },
        ]
      : []),
  ]
  return first === undefined ? { kind: 'nothing-to-change' } : { kind: 'change', numbers: [first, ...others] }
}
