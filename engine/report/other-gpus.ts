/** A config on other GPUs: the common ones that it fits, and a cheaper one that would do. */
import type { Calibration } from '../calibration/correction.ts'
import { knownOf } from '../calibration/known.ts'
import { errorBand } from '../estimate/error-band.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { type Gpu, gpus, hasBfloat16, hasSpeed, usableBytes } from '../gpus/catalogue.ts'
import { marginFor } from '../metrics/range.ts'
import { DEFAULT_MARGIN } from '../metrics/recommend.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import { computesInBfloat16 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { AnalysedConfig, CardFit, OperatingPoint, ReportedGpu } from './schema.ts'

export interface OtherGpuOptions {
  /** The config's own GPU. */
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly hoursPerRun: number
  readonly calibration?: Calibration
  readonly catalogue?: readonly Gpu[]
  readonly margin?: number
}

/** A cheaper GPU is suggested only if a run on it costs at most this share. */
const WORTHWHILE_COST_SHARE = 0.9

/** GPUs that teams commonly train on, from small to large, for the table of where a config fits. */
const COMMON_CARDS = ['t4', 'a10', 'l4', 'rtx-4090', 'a100-40gb', 'l40s', 'a100-80gb', 'h100', 'h200']

/** The common GPUs on which the unchanged config fits throughout the error band. */
export function cardFits(
  spec: TrainingSpec,
  config: ModelConfig,
  { footprints, catalogue = gpus }: OtherGpuOptions,
): CardFit[] {
  const band = errorBand(spec, config)
  return catalogue
    .filter(card => COMMON_CARDS.includes(card.id) && runs(card, spec))
    .map(card => {
      const probe = new EstimateProbe(footprints.of(spec, config, card), card)
      const { id, name } = card
      return {
        gpu: { id, name, usableBytes: probe.usableBytes },
        peakBytes: probe.peakBytes(spec.microBatch),
        fits: probe.fits(spec.microBatch, marginFor(band)),
      }
    })
    .toSorted((a, b) => a.gpu.usableBytes - b.gpu.usableBytes)
}

/**
 * The GPU on which a run of the current config costs least, if it beats the recommendation on this GPU even at the
 * worse ends of the memory band and of both throughput bands. GPUs without their own dated price are not suggested.
 */
export function cheaperGpu(
  spec: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints, hoursPerRun, calibration, catalogue = gpus, margin = DEFAULT_MARGIN }: OtherGpuOptions,
  best: OperatingPoint,
): AnalysedConfig['rightSizing'] {
  // Both throughputs are modelled, because a measured one cannot be compared with a modelled one.
  const on = (card: Gpu) => {
    const known = knownOf(spec, config, card, calibration)
    const probe = new EstimateProbe(footprints.of(spec, config, card), card, known.memoryFactor)
    const modelled = () => probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation)
    return { ...known, probe, samplesPerSecond: () => (modelled() ?? Number.NaN) * known.speedFactor }
  }
  const own = on(gpu)
  if (!hasSpeed(gpu)) return undefined
  const here = own.samplesPerSecond()
  const worthwhileUsd = best.costPerRunUsd * WORTHWHILE_COST_SHARE
  const { bytes: restingBytes } = footprints.of(spec, config, gpu).resting(0)
  const offers = catalogue
    .filter(other => hasSpeed(other) && other.priceCaveat === undefined && other.pricePerHourUsd < gpu.pricePerHourUsd)
    .filter(other => runs(other, spec))
    .map(other => {
      const there = on(other)
      return { other, ...there, toLeave: Math.max(margin, marginFor(there.memoryBand)) }
    })
    .filter(({ other, memoryFactor, toLeave }) => restingBytes * memoryFactor <= usableBytes(other) * (1 - toLeave))
    .map(offer => {
      const costPerRunUsd = (hoursPerRun * here * offer.other.pricePerHourUsd * spec.gpus) / offer.samplesPerSecond()
      const range = {
        low: (costPerRunUsd * own.speedBand.low) / offer.speedBand.high,
        high: (costPerRunUsd * own.speedBand.high) / offer.speedBand.low,
      }
      return { ...offer, costPerRunUsd, range }
    })
    .filter(({ range }) => range.high <= worthwhileUsd)
  // Memory is slowest to estimate, so it is checked last.
  const cheapest = offers
    .toSorted((a, b) => a.costPerRunUsd - b.costPerRunUsd)
    .find(({ probe, toLeave }) => probe.fits(spec.microBatch, toLeave))
  return (
    cheapest && {
      gpu: reportedGpu(cheapest.other),
      costPerRunUsd: cheapest.costPerRunUsd,
      costPerRunRangeUsd: cheapest.range,
    }
  )
}

function runs(gpu: Gpu, spec: TrainingSpec): boolean {
  return hasBfloat16(gpu) || !computesInBfloat16(spec)
}

export function reportedGpu(gpu: Gpu): ReportedGpu {
  const { id, name, totalBytes, pricePerHourUsd, priceSource, priceDate, priceCaveat, describedAt } = gpu
  const price = { pricePerHourUsd, priceSource, priceDate, ...(priceCaveat && { priceCaveat }) }
  return { id, name, totalBytes, usableBytes: usableBytes(gpu), ...price, ...(describedAt && { describedAt }) }
}
