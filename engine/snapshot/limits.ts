/** How large a memory snapshot may be. */
import { MemoryMarkError } from '../errors.ts'
import { MIB } from '../units.ts'

export const snapshotLimits = {
  bytes: 256 * MIB,
  events: 8_000_000,
  blocks: 4_000_000,
  devices: 128,
} as const

/** Also of a file that takes too much time or memory. */
export function tooLarge(file: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'snapshot-too-large',
    file,
    message: `this memory snapshot is too large: up to ${snapshotLimits.bytes / MIB} MiB are read`,
    fix: 'Record less: torch.cuda.memory._record_memory_history(max_entries=100000, stacks="python"), and dump after a few steps.',
  })
}
