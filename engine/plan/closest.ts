/** Where nothing fits: what comes closest, and how much it lacks. */
import { knownOf } from '../calibration/known.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { hasBfloat16, type SpeedyGpu, usableBytes } from '../gpus/catalogue.ts'
import { marginFor } from '../metrics/range.ts'
import { DEFAULT_MARGIN } from '../metrics/recommend.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbes } from '../probes/estimate.ts'
import { reportedGpu } from '../report/other-gpus.ts'
import type { ReportedGpu } from '../report/schema.ts'
import type { Planning } from './on-card.ts'
import { arrangedSpec, type Strategy, strategiesFor } from './strategy.ts'

export interface ClosestRow {
  readonly gpu: ReportedGpu
  readonly gpus: number
  readonly strategy: Strategy
  /** With the smallest micro-batch, as the allocator holds it. */
  readonly neededBytes: number
  /** Beyond what the card has, with room for the band of the estimate. */
  readonly missingBytes: number
}

interface Among {
  readonly cards: readonly SpeedyGpu[]
  readonly counts: readonly number[]
}

/**
 * One sample at a time on as many GPUs as there may be of the largest card. Undefined where no card computes in the
 * spec's type.
 */
export function closestRow(
  variants: readonly TrainingSpec[],
  config: ModelConfig,
  { cards, counts }: Among,
  { effectiveBatch, tool, footprints, calibration, margin = DEFAULT_MARGIN }: Planning,
): ClosestRow | undefined {
  const spec = variants.at(-1)
  const gpus = counts.findLast(count => effectiveBatch % count === 0)
  const computing = cards.filter(card => hasBfloat16(card) || spec?.precision.includes('bf16') === false)
  const largest = computing.toSorted((a, b) => usableBytes(b) - usableBytes(a))[0]
  if (spec === undefined || gpus === undefined || largest === undefined) return undefined
  const rows = strategiesFor(spec, gpus, tool).map((strategy): ClosestRow => {
    const arranged = arrangedSpec(spec, { strategy, gpus }, tool)
    const { memoryFactor, memoryBand } = knownOf(arranged, config, largest, calibration)
    const probe = new EstimateProbes(arranged, config, largest, footprints, memoryFactor).of(effectiveBatch > gpus)
    const neededBytes = probe.reservedBytes(1) ?? probe.peakBytes(1)
    const roomBytes = usableBytes(largest) * (1 - Math.max(margin, marginFor(memoryBand)))
    return { gpu: reportedGpu(largest), gpus, strategy, neededBytes, missingBytes: neededBytes - roomBytes }
  })
  return rows.toSorted((a, b) => a.missingBytes - b.missingBytes)[0]
}
