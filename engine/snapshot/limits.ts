/** How large a memory snapshot may be. */
import { MemoryMarkError } from '../base/errors.ts'
import { MIB } from '../base/units.ts'

export const snapshotLimits = {
  bytes: 256 * MIB,
  events: 8_000_000,
  blocks: 4_000_000,
  devices: 128,
} as const

/** `why`: in a clause. */
export function tooLarge(file: string, why = `up to ${snapshotLimits.bytes / MIB} MiB are read`): MemoryMarkError {
  return new MemoryMarkError({
    code: 'snapshot-too-large',
    file,
    message: `this memory snapshot is too large: ${why}`,
    fix: 'Record less: torch.cuda.memory._record_memory_history(max_entries=100000, stacks="python"), and dump after a few steps.',
  })
}
