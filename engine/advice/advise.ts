/** All levers for one config and their useful combinations, each estimated by itself. */

import { MemoryMarkError } from '../base/errors.ts'
import { isSameData } from '../base/same-data.ts'
import type { SuppliedFields } from '../config/fields/supplied.ts'
import type { SourceFile } from '../config/reading.ts'
import type { Sources } from '../config/sources.ts'
import { type Gpu, gpus, hasBfloat16, hasSpeed } from '../gpus/catalogue.ts'
import { type AdvisedLever, leverFits, MAX_LEVERS } from '../report/advised-levers.ts'
import { ratioRange } from '../report/ranges.ts'
import { computesInBfloat16 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { type Candidate, type Combining, combined } from './combine.ts'
import { type Estimated, estimated, largestPlan, type OnGpu, plansOf, recommendedPlan } from './estimate.ts'
import type { Lever } from './lever.ts'
import { levers } from './levers.ts'
import { ranked } from './rank.ts'
import { replacedLines } from './replaced-lines.ts'
import { type Rereading, type TrainingConfig, unchanged, type Variant, withLever } from './variant.ts'

export interface AdviceOptions extends Omit<OnGpu, 'config'> {
  readonly sources?: Sources
  readonly supplied?: SuppliedFields
  readonly catalogue?: readonly Gpu[]
  /** The most combinations to estimate. */
  readonly combinations?: number
  /** Whether to estimate no further combination. */
  readonly isTimeUp?: () => boolean
}

/** A lever that frees less than this share of the peak is left out. */
const WORTHWHILE_SHARE = 0.05
/** The share for a config that fits already, for which small savings are not worth a change. */
const WORTHWHILE_SHARE_OF_FITTING = 0.1
const COMBINATIONS = 240

type Alone = Combining['alone'][number]

/** Ranked. Each lever's effect is read back from the changed text. */
export async function leversOf(
  file: SourceFile,
  reading: TrainingConfig,
  options: AdviceOptions,
): Promise<AdvisedLever[]> {
  const { spec, model } = reading
  if (spec.framework !== 'pytorch' || spec.step !== 'training') return []
  const advisor = new Advisor(file, reading, { ...options, config: model.config })
  const now = advisor.now
  const alone = await advisor.each()
  const smaller = await advisor.smaller(unchanged(file, reading))
  const together = now.fit === 'fits' ? [] : await advisor.together(alone, smaller)
  const found = [...alone.map(({ candidate }) => candidate), ...(smaller ? [smaller] : []), ...together]
  const told = withoutNeedless(found.filter(candidate => advisor.helps(candidate, now))).map(each => advisor.told(each))
  const card = now.fit === 'fits' ? undefined : advisor.anotherCard()
  return withoutTwins(ranked([...told, ...(card ? [card] : [])], now)).slice(0, MAX_LEVERS)
}

class Advisor {
  readonly now: Estimated
  readonly #file: SourceFile
  readonly #reading: TrainingConfig
  readonly #on: OnGpu
  readonly #rereading: Rereading
  readonly #catalogue: readonly Gpu[]
  readonly #combinations: number
  readonly #isTimeUp: () => boolean

  constructor(file: SourceFile, reading: TrainingConfig, options: AdviceOptions & OnGpu) {
    const {
      sources = {},
      supplied = {},
      catalogue = gpus,
      combinations = COMBINATIONS,
      isTimeUp = () => false,
    } = options
    this.#file = file
    this.#reading = reading
    this.#on = options
    this.#catalogue = catalogue
    this.#combinations = combinations
    this.#isTimeUp = isTimeUp
    this.#rereading = { file, sources, supplied, gpu: options.gpu }
    this.now = estimated(reading.spec, options)
  }

  /**
   * Whether a lever helps, by whether it fits as well as by its peak: less fragmentation can make a step fit at the
   * same peak.
   */
  helps({ estimate }: Candidate, than: Estimated): boolean {
    const share = than.fit === 'fits' ? WORTHWHILE_SHARE_OF_FITTING : WORTHWHILE_SHARE
    const isLower = estimate.peakBytes < than.peakBytes * (1 - share)
    return isLower || leverFits.indexOf(estimate.fit) < leverFits.indexOf(than.fit)
  }

  /** Each lever alone on the config as it is, except those that change the micro-batch. */
  async each(): Promise<Alone[]> {
    const start = unchanged(this.#file, this.#reading)
    const found: Alone[] = []
    for (const lever of levers) {
      const candidate = lever.id === 'micro-batch' ? undefined : await this.#with(start, lever)
      if (candidate !== undefined) found.push({ lever, candidate })
    }
    return found
  }

  /** The micro-batch to recommend with the same effective batch; the smallest if none fits. */
  async smaller(variant: Variant): Promise<Candidate | undefined> {
    const lever = levers.find(({ id }) => id === 'micro-batch')
    const { spec } = variant
    if (lever === undefined || !lever.applies(spec, this.#on)) return undefined
    const plan = recommendedPlan(spec, spec.microBatch - 1, this.#on) ?? plansOf(spec)[0]
    const changed = plan && (await withLever(variant, lever, this.#rereading, plan))
    return changed && this.#candidate(changed)
  }

  together(alone: readonly Alone[], smaller: Candidate | undefined): Promise<readonly Candidate[]> {
    return combined({
      alone,
      smallest: smaller?.estimate.fit === 'fits' ? undefined : smaller,
      add: (variant, lever) => this.#with(variant, lever),
      helps: (candidate, than) => this.helps(candidate, than),
      limit: this.#combinations,
      isTimeUp: this.#isTimeUp,
      atLargest: async (chosen: readonly Lever[]) => {
        let variant: Variant | undefined = unchanged(this.#file, this.#reading)
        for (const lever of chosen) variant = variant && (await withLever(variant, lever, this.#rereading))
        return variant && this.smaller(variant)
      },
    })
  }

  anotherCard(): AdvisedLever | undefined {
    const { spec } = this.#reading
    const { gpu: own } = this.#on
    const runs = (gpu: Gpu) => hasBfloat16(gpu) || !computesInBfloat16(spec)
    const cards = this.#catalogue
      .filter(gpu => gpu.id !== own.id && runs(gpu) && hasSpeed(gpu) && gpu.priceCaveat === undefined)
      .toSorted((a, b) => a.pricePerHourUsd - b.pricePerHourUsd)
    for (const gpu of cards) {
      if (gpu.totalBytes <= this.now.peakBytes) continue
      const estimate = estimated(spec, { ...this.#on, gpu })
      if (estimate.fit !== 'fits') continue
      const { id, name, pricePerHourUsd } = gpu
      const { microBatch, gradientAccumulation } = spec
      const { peakBytes, errorBand, fit } = estimate
      return {
        changes: ['another-card'],
        effect: 'none',
        fit,
        peakBytes,
        errorBand,
        microBatch,
        gradientAccumulation,
        ...this.#speed(estimate, spec),
        gpu: { id, name, pricePerHourUsd },
        lines: [],
      }
    }
    return undefined
  }

  told({ variant, estimate }: Candidate): AdvisedLever {
    const { changes, effect, spec, environment, text } = variant
    const { peakBytes, errorBand, fit } = estimate
    const samples = spec.microBatch * spec.gradientAccumulation
    const largest = fit === 'fits' ? largestPlan(spec, samples, this.#on) : undefined
    return {
      changes: [...changes],
      effect,
      fit,
      peakBytes,
      errorBand,
      microBatch: spec.microBatch,
      gradientAccumulation: spec.gradientAccumulation,
      ...(largest && { largestMicroBatch: largest.microBatch }),
      ...(changes.some(id => speedsUnknown.has(id)) ? {} : this.#speed(estimate, spec)),
      ...(environment !== undefined && { environment }),
      lines: [...(replacedLines(this.#file.text, text) ?? [])],
    }
  }

  async #with(variant: Variant, lever: Lever): Promise<Candidate | undefined> {
    if (variant.groups.includes(lever.group) || !lever.applies(variant.spec, this.#on)) return undefined
    const changed = await withLever(variant, lever, this.#rereading)
    if (changed === undefined) return undefined
    const isPlain = changed.text === this.#file.text || replacedLines(this.#file.text, changed.text) !== undefined
    return isPlain ? this.#candidate(changed) : undefined
  }

  /** Undefined if the config can express it but the model does not support it. */
  #candidate(variant: Variant): Candidate | undefined {
    try {
      return { variant, estimate: estimated(variant.spec, this.#on) }
    } catch (error) {
      if (error instanceof MemoryMarkError) return undefined
      throw error
    }
  }

  #speed({ samplesPerSecond, ratioBand }: Estimated, spec: TrainingSpec): Pick<AdvisedLever, 'speed'> {
    const own = this.now.samplesPerSecond
    if (samplesPerSecond === undefined || own === undefined) return {}
    // Per token or pixel: half a sequence is half a sample.
    const ratio = (samplesPerSecond / own) * (sizeOf(spec) / sizeOf(this.#reading.spec))
    const low = Math.min(ratioBand.low, this.now.ratioBand.low)
    const high = Math.max(ratioBand.high, this.now.ratioBand.high)
    return { speed: { ratio, range: ratioRange(ratio, { ratioBand: { low, high } }) } }
  }
}

/** Drops a combination if some of its levers already fit. */
function withoutNeedless(candidates: readonly Candidate[]): readonly Candidate[] {
  const enough = candidates.filter(({ estimate }) => estimate.fit === 'fits').map(({ variant }) => variant.changes)
  return candidates.filter(
    ({ variant: { changes } }) =>
      !enough.some(fewer => fewer.length < changes.length && fewer.every(id => changes.includes(id))),
  )
}

/** Of levers in one group that free the same, keeps the first. */
function withoutTwins(advised: readonly AdvisedLever[]): AdvisedLever[] {
  const kept: AdvisedLever[] = []
  for (const lever of advised) {
    const groups = groupsOf(lever)
    const isTwin = kept.some(
      other =>
        other.fit === lever.fit &&
        isSameData(groupsOf(other), groups) &&
        Math.abs(other.peakBytes / lever.peakBytes - 1) < TWIN_SHARE,
    )
    if (!isTwin) kept.push(lever)
  }
  return kept
}

const TWIN_SHARE = 0.01

function groupsOf({ changes }: AdvisedLever): readonly string[] {
  return changes.map(id => groupById.get(id) ?? id).toSorted()
}

const speedsUnknown = new Set(levers.filter(lever => lever.isSpeedUnknown).map(({ id }) => id))

const groupById = new Map(levers.map(({ id, group }) => [id, group]))

/** The size of a sample in tokens, or pixels. */
function sizeOf({ sequenceLength, imageSize }: TrainingSpec): number {
  return sequenceLength ?? (imageSize ?? 1) ** 2
}
