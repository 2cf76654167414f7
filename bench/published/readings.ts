/** The readings of real GPUs that others have published, as the bench reads them. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { type LibraryVersions, libraryVersions } from '../../engine/config/versions.ts'

/**
 * What a figure counts. `allocated`: torch.cuda.max_memory_allocated. `reserved`: torch.cuda.max_memory_reserved. `nvml`: nvidia-smi
 * or NVML, which add the CUDA context and NCCL to what is reserved.
 */
export const readingKinds = ['allocated', 'reserved', 'nvml'] as const
export type ReadingKind = (typeof readingKinds)[number]

const memoryReading = z.object({
  /** Repository and place where the figure stands. */
  source: z.string().min(1),
  /** What ran, in words. */
  setup: z.string().min(1),
  /** For `memorymark estimate`, without the config. */
  args: z.array(z.string()),
  /** A config file reduced to its settings, where one ran. */
  config: z.object({ name: z.string(), text: z.string() }).optional(),
  readingGiB: z.number().positive(),
  kind: z.enum(readingKinds),
  /** The CUDA context's part of the reading, where the source gives it. */
  contextGiB: z.number().positive().optional(),
  /** That the set-up in `args` is what ran. */
  confidence: z.enum(['high', 'medium', 'low']),
  note: z.string().optional(),
  /** Why the estimate is off, where it is known and not modelled. */
  cause: z.string().optional(),
})
export type MemoryReading = z.infer<typeof memoryReading>

const memoryFile = z.object({
  /** By the source of readings: the libraries that it says its figures were read with. */
  versions: z.record(z.string(), libraryVersions),
  readings: z.array(memoryReading),
})

export interface MemoryReadings {
  /** The bench's own, from which the bands come. */
  readonly own: readonly MemoryReading[]
  readonly readings: readonly MemoryReading[]
  readonly versionsOf: (reading: MemoryReading) => LibraryVersions | undefined
}

/** The bench's own, and those of `others`: files that hold a list of readings. */
export function memoryReadings(others: readonly string[]): MemoryReadings {
  const own = memoryFile.parse(parsed(new URL('memory.json', import.meta.url)))
  const readings = [...own.readings, ...others.flatMap(path => z.array(memoryReading).parse(parsed(path)))]
  return { own: own.readings, readings, versionsOf: ({ source }) => own.versions[source] }
}

function parsed(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
