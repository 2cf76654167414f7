/** If nothing fits: the arrangement that comes closest and the bytes it lacks. */
import { knownOf } from '../calibration/known.ts'
import { hasBfloat16, type SpeedyGpu, usableBytes } from '../gpus/catalogue.ts'
import { marginFor } from '../metrics/range.ts'
import { DEFAULT_MARGIN } from '../metrics/recommend.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbes } from '../probes/estimate.ts'
import { reportedGpu } from '../report/other-gpus.ts'
import type { ReportedGpu } from '../report/schema.ts'
import { computesInBfloat16 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Planning } from './on-card.ts'
import { arrangedSpec, type Strategy, strategiesFor } from './strategy.ts'

export interface ClosestRow {
  readonly gpu: ReportedGpu
  readonly gpus: number
  readonly strategy: Strategy
  /** Bytes reserved by the allocator with the smallest micro-batch. */
  readonly neededBytes: number
  /** Bytes beyond the GPU's memory, with room for the error band. */
  readonly missingBytes: number
}

interface Among {
  readonly cards: readonly SpeedyGpu[]
  readonly counts: readonly number[]
}

/** One sample per GPU on the largest number of the largest GPU. Undefined if no GPU supports the spec's precision. */
export function closestRow(
  variants: readonly TrainingSpec[],
  config: ModelConfig,
  { cards, counts }: Among,
  { effectiveBatch, tool, footprints, calibration, margin = DEFAULT_MARGIN }: Planning,
): ClosestRow | undefined {
  const spec = variants.at(-1)
  if (spec === undefined) return undefined
  const computing = cards.filter(card => hasBfloat16(card) || !computesInBfloat16(spec))
  const gpus = counts.findLast(count => effectiveBatch % count === 0)
  const largest = computing.toSorted((a, b) => usableBytes(b) - usableBytes(a))[0]
  if (gpus === undefined || largest === undefined) return undefined
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
