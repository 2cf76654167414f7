/** Finds the best strategy for training a spec on a number of GPUs of one kind. */
import type { Calibration } from '../calibration/correction.ts'
import { knownOf } from '../calibration/known.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { hasBfloat16, type SpeedyGpu, usableBytes } from '../gpus/catalogue.ts'
import { marginFor } from '../metrics/range.ts'
import { type BatchPlan, DEFAULT_MARGIN } from '../metrics/recommend.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbes, workspaceBytesOf } from '../probes/estimate.ts'
import { reportedGpu } from '../report/other-gpus.ts'
import { effectiveBatch } from '../training/batches.ts'
import { computesInBfloat16 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { largestPlan } from './batch.ts'
import type { UndividedSteps } from './bound.ts'
import { costsOf, type PlanRow } from './row.ts'
import { type Arrangement, arrangedSpec, strategiesFor, type Tool } from './strategy.ts'

export interface Planning {
  /** Of one optimizer step over all GPUs; the same in every row. */
  readonly effectiveBatch: number
  readonly tool: Tool
  readonly footprints: FootprintCache
  readonly undivided: UndividedSteps
  readonly calibration?: Calibration
  /** Share of usable memory that a row leaves free. */
  readonly margin?: number
  readonly samplesPerRun?: number | undefined
}

/** Prefer the simpler strategy within this share of the fastest, which is far within the error of any throughput. */
const TOLERANCE = 0.02

/**
 * For each kind of GPU, the best strategy on `gpus` of them; none if no strategy fits or the effective batch cannot be
 * divided among them.
 */
export function bestRows(
  variants: readonly TrainingSpec[],
  config: ModelConfig,
  { cards, gpus }: { readonly cards: readonly SpeedyGpu[]; readonly gpus: number },
  planning: Planning,
): readonly PlanRow[] {
  if (planning.effectiveBatch % gpus !== 0) return []
  const best = new Map<string, PlanRow>()
  // GPUs are the inner loop, so that a recorded step serves all of them.
  for (const spec of variants) {
    // ZeRO-3 shards the same tensors as FSDP but gathers more often, so it is tried only if FSDP does not fit.
    const divided = new Set<string>()
    for (const strategy of strategiesFor(spec, gpus, planning.tool)) {
      for (const card of cards) {
        const known = best.get(card.id)
        if (strategy === 'zero3' && divided.has(card.id)) continue
        const row = rowFor(spec, config, card, { strategy, gpus }, planning, known)
        if (row === undefined) continue
        if (strategy === 'fsdp') divided.add(card.id)
        if (known === undefined || isWorthIt(row.samplesPerSecond, known)) best.set(card.id, row)
      }
    }
  }
  return [...best.values()]
}

function isWorthIt(samplesPerSecond: number, best: PlanRow): boolean {
  return samplesPerSecond * (1 - TOLERANCE) > best.samplesPerSecond
}

/** Undefined if it does not fit or cannot beat `best`. */
function rowFor(
  spec: TrainingSpec,
  config: ModelConfig,
  gpu: SpeedyGpu,
  arrangement: Arrangement,
  planning: Planning,
  best: PlanRow | undefined,
): PlanRow | undefined {
  const { footprints, tool, calibration, margin = DEFAULT_MARGIN, samplesPerRun } = planning
  const { gpus, strategy } = arrangement
  const arranged = arrangedSpec(spec, arrangement, tool)
  if (!hasBfloat16(gpu) && computesInBfloat16(arranged)) return undefined
  const known = knownOf(arranged, config, gpu, calibration)
  const toLeave = Math.max(margin, marginFor(known.memoryBand))
  const roomBytes = usableBytes(gpu) * (1 - toLeave)
  const undivided = planning.undivided.of(arranged, gpu)
  const workspaceBytes = workspaceBytesOf(gpu)
  const mayFit = ({ microBatch }: BatchPlan) =>
    (undivided.bytes(arrangement, microBatch) + workspaceBytes) * known.memoryFactor <= roomBytes
  const perGpu = planning.effectiveBatch / gpus
  const most = largestPlan(perGpu, mayFit)
  if (most === undefined) return undefined
  const fastest = undivided.samplesPerSecond(gpu, most.microBatch) * gpus * known.speedFactor
  if (best !== undefined && !isWorthIt(fastest, best)) return undefined
  const probes = new EstimateProbes(arranged, config, gpu, footprints, known.memoryFactor)
  const fits = (plan: BatchPlan) =>
    mayFit(plan) && probes.of(plan.gradientAccumulation > 1).fits(plan.microBatch, toLeave)
  const plan = largestPlan(perGpu, fits)
  if (plan === undefined) return undefined
  const { microBatch, gradientAccumulation } = plan
  const probe = probes.of(gradientAccumulation > 1)
  const each = probe.samplesPerSecond(microBatch, gradientAccumulation)
  if (each === undefined) return undefined
  const planned = { ...arranged, ...plan }
  const speed = { samplesPerSecond: each * gpus * known.speedFactor, band: known.speedBand }
  return {
    gpu: reportedGpu(gpu),
    gpus,
    strategy,
    gradientCheckpointing: planned.gradientCheckpointing,
    ...plan,
    effectiveBatch: effectiveBatch(planned),
    peakBytes: probe.peakBytes(microBatch),
    errorBand: known.memoryBand,
    provenance: 'estimated',
    throughputProvenance: 'modelled',
    ...costsOf(speed, gpu.pricePerHourUsd * gpus, samplesPerRun),
    spec: planned,
  }
}
