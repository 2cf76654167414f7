/** How far a modelled speed may be off, from published readings; `npm run bench:published` fails where they break it. */
import type { Gpu } from '../../gpus/catalogue.ts'
import { familyOf, hasExperts, type ModelConfig, readsSound } from '../../models/architecture.ts'
import { isOfImages } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import computed from './throughput-bands.json' with { type: 'json' }

export const throughputClasses = ['text', 'images', 'adapters', 'quantised adapters', 'several GPUs'] as const
export type ThroughputClass = (typeof throughputClasses)[number]

/** What was measured lies between these factors times what is modelled, in nine of ten readings. */
export interface Factors {
  readonly low: number
  readonly high: number
}

export interface ThroughputBand {
  readonly class: ThroughputClass
  /** Published readings behind it; 0 where there are too few, so that the band is a wide guess. */
  readonly readings: number
  /** Whether constants were fitted to readings of this card. */
  readonly isCardRead: boolean
  readonly samplesPerSecond: Factors
  /** Of the ratio between the speeds of two batch sizes of one set-up. */
  readonly ratio: Factors
}

/** With fewer readings than this, a class has no band of its own. */
export const LEAST_READINGS = 10

/** A guess: how much wider, in logarithms, a band gets where there are no readings of a class, of a card, or of a kind of model. */
const UNREAD_WIDENING = 2

export function throughputClassOf(spec: TrainingSpec): ThroughputClass {
  if (spec.gpus > 1) return 'several GPUs'
  if (spec.lora !== undefined) return spec.quantization === undefined ? 'adapters' : 'quantised adapters'
  return isOfImages(spec.task) ? 'images' : 'text'
}

export function throughputBand(spec: TrainingSpec, config: ModelConfig, gpu: Pick<Gpu, 'id'>): ThroughputBand {
  const name = throughputClassOf(spec)
  const { readings, sources, samplesPerSecond, pairSources, ratio } = computed.classes[name]
  const { widest } = computed
  const isCardRead = computed.gpus.includes(gpu.id)
  const forCard = (factors: Factors) => (isCardRead ? factors : widened(factors))
  const forBoth = (factors: Factors) => forCard(isModelRead(config) ? factors : widened(factors))
  // What one source alone has measured may say more of its machine than of its class.
  const trusted = (own: Factors, all: Factors, from: number) => (from > 1 ? own : union(own, all))
  return {
    class: name,
    readings: samplesPerSecond === null ? 0 : readings,
    isCardRead,
    samplesPerSecond: forBoth(
      samplesPerSecond === null
        ? widened(widest.samplesPerSecond)
        : trusted(samplesPerSecond, widest.samplesPerSecond, sources),
    ),
    ratio: forBoth(ratio === null ? widened(widest.ratio) : trusted(ratio, widest.ratio, pairSources)),
  }
}

/** No reading is of a mixture of experts, of layers with a recurrent state instead of attention, or of sound. */
function isModelRead(config: ModelConfig): boolean {
  return !hasExperts(config) && !readsSound(config) && familyOf(config).recurrence?.(config) === undefined
}

function union(one: Factors, other: Factors): Factors {
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) }
}

function widened({ low, high }: Factors): Factors {
  return { low: low ** UNREAD_WIDENING, high: high ** UNREAD_WIDENING }
}
