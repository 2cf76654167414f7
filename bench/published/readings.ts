/** Published readings of real GPUs' memory. */
import { readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { type LibraryVersions, libraryVersions, versionedLibraries } from '../../engine/training/versions.ts'

/**
 * What a figure counts. `allocated`: torch.cuda.max_memory_allocated. `reserved`: torch.cuda.max_memory_reserved. `nvml`: nvidia-smi
 * or NVML, which add the CUDA context and NCCL to what is reserved.
 */
export const readingKinds = ['allocated', 'reserved', 'nvml'] as const
export type ReadingKind = (typeof readingKinds)[number]

/** The config file that ran, reduced to its settings. */
export const configFile = z.object({ name: z.string(), text: z.string() })

/** Calls `read` with the path of the config in a folder of its own, or without one. */
export async function withConfigFile<T>(
  config: z.infer<typeof configFile> | undefined,
  read: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  if (config === undefined) return read([])
  await using folder = await mkdtempDisposable(join(tmpdir(), 'memorymark-published-'))
  const path = join(folder.path, config.name)
  await writeFile(path, config.text)
  return await read([path])
}

const memoryReading = z.object({
  /** Repository and place of the figure. */
  source: z.string().min(1),
  /** What ran, in words. */
  setup: z.string().min(1),
  /** Arguments for `memorymark estimate`, without the config. */
  args: z.array(z.string()),
  config: configFile.optional(),
  readingGiB: z.number().positive(),
  kind: z.enum(readingKinds),
  /** Bytes of the CUDA context in the reading, if the source gives them. */
  contextGiB: z.number().positive().optional(),
  /** Whether `args` describes exactly what ran. */
  confidence: z.enum(['high', 'medium', 'low']),
  note: z.string().optional(),
  /** The known cause of a difference that is not modelled. */
  cause: z.string().optional(),
})
export type MemoryReading = z.infer<typeof memoryReading>

const memoryFile = z.object({
  /** By source: the versions of the libraries with which its figures were read. */
  versions: z.record(z.string(), libraryVersions),
  readings: z.array(memoryReading),
})

export interface MemoryReadings {
  /** Our own readings, from which bands are made. */
  readonly own: readonly MemoryReading[]
  /** Entered before anybody looked at their estimates, and not in the bands. */
  readonly unseen: readonly MemoryReading[]
  readonly readings: readonly MemoryReading[]
  readonly versionsOf: (reading: MemoryReading) => LibraryVersions | undefined
}

/** Our own readings, the unseen ones, and those in the files `others`. */
export function memoryReadings(others: readonly string[]): MemoryReadings {
  const own = memoryFile.parse(parsed(new URL('memory.json', import.meta.url)))
  const unseen = memoryFile.parse(parsed(new URL('memory-unseen.json', import.meta.url)))
  const further = others.flatMap(path => z.array(memoryReading).parse(parsed(path)))
  const versions = { ...unseen.versions, ...own.versions }
  return {
    own: own.readings,
    unseen: unseen.readings,
    readings: [...own.readings, ...unseen.readings, ...further],
    versionsOf: reading => versions[reading.source] ?? namedVersions(reading),
  }
}

/** What a reading says in words of its libraries: `transformers 4.48.1, torch 2.4.1`. */
export function namedVersions({ setup, note = '' }: Pick<MemoryReading, 'setup' | 'note'>): LibraryVersions {
  const text = `${setup}; ${note}`
  return Object.fromEntries(
    versionedLibraries.flatMap(library => {
      const [, version] = new RegExp(`\\b${library} (\\d+(?:\\.\\d+){1,2})`).exec(text) ?? []
      return version === undefined ? [] : [[library, version]]
    }),
  )
}

function parsed(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
