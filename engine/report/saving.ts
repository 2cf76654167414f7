/** What a change to a config saves per year when training on the same number of samples. */

import * as z from 'zod'
import { isSameData } from '../base/same-data.ts'
import { type AnalysedConfig, throughputProvenance } from './schema.ts'

const yearly = z.number().min(-1e12).max(1e12)

export const saving = z.discriminatedUnion('kind', [
  /** Negative if the change costs more. */
  z.object({
    kind: z.literal('saved'),
    gpuHoursPerYear: yearly,
    usdPerYear: yearly,
    throughputProvenance,
  }),
  z.object({
    kind: z.literal('not-comparable'),
    /**
     * Why the two cannot be compared: another training; one of them cannot run; one throughput is measured and the
     * other modelled; or a throughput is unknown.
     */
    why: z.enum(['other-training', 'did-not-fit', 'does-not-fit', 'known-differently', 'unknown-speed']),
  }),
])
export type Saving = z.infer<typeof saving>

/**
 * Hours and runs per year are the settings' values for the old config. A run's GPU hours scale with the throughput of
 * one GPU, however many GPUs share the run.
 */
export function savingBetween(before: AnalysedConfig, after: AnalysedConfig): Saving {
  if (!isSameData(trainingOf(before), trainingOf(after))) return notComparable('other-training')
  if (!before.current.fits) return notComparable('did-not-fit')
  if (!after.current.fits) return notComparable('does-not-fit')
  if (before.throughputProvenance !== after.throughputProvenance) return notComparable('known-differently')
  const hoursBefore = before.hoursPerRun * before.spec.gpus * before.runsPerYear
  const [rateBefore, rateAfter] = [before.current.samplesPerSecond, after.current.samplesPerSecond]
  if (rateBefore === undefined || rateAfter === undefined) return notComparable('unknown-speed')
  const hoursAfter = (hoursBefore * rateBefore) / rateAfter
  return {
    kind: 'saved',
    gpuHoursPerYear: hoursBefore - hoursAfter,
    usdPerYear: hoursBefore * before.gpu.pricePerHourUsd - hoursAfter * after.gpu.pricePerHourUsd,
    throughputProvenance: after.throughputProvenance,
  }
}

/** What determines the work per sample and the training's result, without batch sizes and speed. */
function trainingOf({ spec }: AnalysedConfig): object {
  const { model, task, framework, step, sequenceLength, targetLength, imageSize, lora, quantization } = spec
  return { model, task, framework, step, sequenceLength, targetLength, imageSize, lora, quantization }
}

function notComparable(why: Extract<Saving, { kind: 'not-comparable' }>['why']): Saving {
  return { kind: 'not-comparable', why }
}
