/** Published readings of training throughput, and the step that each of them timed. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { parseFlags } from '../../cli/arguments.ts'
import { specOptions } from '../../cli/spec-flags.ts'
import { readSubject } from '../../cli/subject.ts'
import type { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, type SpeedyGpu } from '../../engine/gpus/catalogue.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { configFile, withConfigFile } from './readings.ts'

const throughputReading = z.strictObject({
  source: z.string(),
  family: z.string(),
  /** The GPU's id in the catalogue. */
  gpu: z.string(),
  /** What ran and in which versions, in words. */
  setup: z.string(),
  /** Arguments for `memorymark estimate`, without the config. */
  args: z.array(z.string()),
  config: configFile.optional(),
  /** Micro-batch. */
  batch: z.int().positive(),
  accumulation: z.int().positive(),
  /** Per GPU. */
  samplesPerSecond: z.number().positive(),
  /** Readings of one set-up at several batch sizes share a curve; null for a single reading. */
  curve: z.string().nullable(),
  /** If set, only ratios within the curve are reliable. */
  relative: z.literal(true).optional(),
  /** Whether the arguments describe exactly what ran. */
  confidence: z.enum(['high', 'medium', 'low']),
  note: z.string().optional(),
})
export type ThroughputReading = z.infer<typeof throughputReading>

export interface Setup {
  readonly spec: TrainingSpec
  readonly config: ModelConfig
  readonly gpu: SpeedyGpu
  readonly footprint: Footprint
}

export function readThroughputReadings(file: URL): ThroughputReading[] {
  return z.array(throughputReading).parse(JSON.parse(readFileSync(file, 'utf8')))
}

const footprints = new FootprintCache()
const engine = new IsolatedEngine()

export async function setupOf(reading: ThroughputReading): Promise<Setup> {
  // The arguments have none for the adapters' type, nor the readings' file for the memory format: the set-up's text names them.
  const areAdaptersCast = reading.setup.includes('adapters in bf16')
  const isChannelsLast = /channels_last|NHWC/.test(reading.setup)
  const args = [...reading.args, ...(isChannelsLast ? ['--channels-last'] : [])]
  const { values, positionals } = parseFlags(args, { ...specOptions, gpu: { type: 'string' } })
  const { spec: written, model } = await withConfigFile(reading.config, paths =>
    readSubject([...paths, ...positionals], values, engine),
  )
  const gpu = findGpu(reading.gpu)
  if (gpu === undefined) throw new Error(`the catalogue lacks ${reading.gpu} of ${reading.source}`)
  const { lora } = written
  const spec: TrainingSpec = {
    ...written,
    gradientAccumulation: reading.accumulation,
    ...(lora && areAdaptersCast && { lora: { ...lora, inWeightsType: true } }),
  }
  return { spec, config: model.config, gpu, footprint: footprints.of(spec, model.config, gpu) }
}
