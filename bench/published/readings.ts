/** The readings of real GPUs that others have published, as the bench reads them. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'

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

export function memoryReadings(path: string | URL): readonly MemoryReading[] {
  return z.array(memoryReading).parse(JSON.parse(readFileSync(path, 'utf8')))
}
