/** Readings of training speed that others published, as data, and the step that each of them timed. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { parseFlags } from '../../cli/arguments.ts'
import { specOptions } from '../../cli/spec-flags.ts'
import { readSubject } from '../../cli/subject.ts'
import type { TrainingSpec } from '../../engine/config/spec.ts'
import type { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, type SpeedyGpu } from '../../engine/gpus/catalogue.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'

const throughputReading = z.strictObject({
  source: z.string(),
  family: z.string(),
  /** Of the catalogue. */
  gpu: z.string(),
  /** In words: what ran, in which versions. */
  setup: z.string(),
  /** Of `memorymark estimate`. */
  args: z.array(z.string()),
  /** Micro-batch. */
  batch: z.int().positive(),
  accumulation: z.int().positive(),
  /** On one GPU. */
  samplesPerSecond: z.number().positive(),
  /** Readings of one set-up over batch sizes share it; null for a reading alone. */
  curve: z.string().nullable(),
  /** Only the ratios within its curve are to be trusted. */
  relative: z.literal(true).optional(),
  /** That the arguments describe what ran. */
  confidence: z.enum(['high', 'medium', 'low']),
  note: z.string().optional(),
})
export type ThroughputReading = z.infer<typeof throughputReading>

export interface Setup {
  readonly spec: TrainingSpec
  readonly gpu: SpeedyGpu
  readonly footprint: Footprint
}

export function readThroughputReadings(file: URL): ThroughputReading[] {
  return z.array(throughputReading).parse(JSON.parse(readFileSync(file, 'utf8')))
}

const footprints = new FootprintCache()
const engine = new IsolatedEngine()

export async function setupOf(reading: ThroughputReading): Promise<Setup> {
  // Whoever collected the readings had no flag for the memory format, which the set-up names.
  const isChannelsLast = /channels_last|NHWC/.test(reading.setup)
  const args = [...reading.args, ...(isChannelsLast ? ['--channels-last'] : [])]
  const { values, positionals } = parseFlags(args, { ...specOptions, gpu: { type: 'string' } })
  const { spec: written, model } = await readSubject(positionals, values, engine)
  const gpu = findGpu(reading.gpu)
  if (gpu === undefined) throw new Error(`the catalogue lacks ${reading.gpu} of ${reading.source}`)
  const spec: TrainingSpec = { ...written, gradientAccumulation: reading.accumulation }
  return { spec, gpu, footprint: footprints.of(spec, model.config, gpu) }
}
