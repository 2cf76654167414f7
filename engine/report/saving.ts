/** What a change to a config saves in a year: the same samples, before and after. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type AnalysedConfig, throughputProvenance } from './schema.ts'

const yearly = z.number().min(-1e12).max(1e12)

export const saving = z.discriminatedUnion('kind', [
  /** Negative where the change costs more. */
  z.object({
    kind: z.literal('saved'),
    gpuHoursPerYear: yearly,
    usdPerYear: yearly,
    throughputProvenance,
  }),
  z.object({
    kind: z.literal('not-comparable'),
    /** Another training; one that could not run, before or now; or a clock on one side and a model on the other. */
    why: z.enum(['other-training', 'did-not-fit', 'does-not-fit', 'known-differently']),
  }),
])
export type Saving = z.infer<typeof saving>

/**
 * Hours and runs a year are what the settings say of the config as it was. A run's GPU hours then change as the throughput of
 * one GPU does, however many share the run.
 */
export function savingBetween(before: AnalysedConfig, after: AnalysedConfig): Saving {
  if (!isDeepStrictEqual(trainingOf(before), trainingOf(after))) return notComparable('other-training')
  if (!before.current.fits) return notComparable('did-not-fit')
  if (!after.current.fits) return notComparable('does-not-fit')
  if (before.throughputProvenance !== after.throughputProvenance) return notComparable('known-differently')
  const hoursBefore = before.hoursPerRun * before.spec.gpus * before.runsPerYear
  const hoursAfter = (hoursBefore * before.current.samplesPerSecond) / after.current.samplesPerSecond
  return {
    kind: 'saved',
    gpuHoursPerYear: hoursBefore - hoursAfter,
    usdPerYear: hoursBefore * before.gpu.pricePerHourUsd - hoursAfter * after.gpu.pricePerHourUsd,
    throughputProvenance: after.throughputProvenance,
  }
}

/** What decides how much work a sample is and what comes of the training, apart from batch sizes and speed. */
function trainingOf({ spec }: AnalysedConfig): object {
  const { model, task, framework, step, sequenceLength, targetLength, imageSize, lora, quantization } = spec
  return { model, task, framework, step, sequenceLength, targetLength, imageSize, lora, quantization }
}

function notComparable(why: Extract<Saving, { kind: 'not-comparable' }>['why']): Saving {
  return { kind: 'not-comparable', why }
}
