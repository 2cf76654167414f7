/** A snapshot file → what is told of it: the device whose peak is highest, replayed. Plain data, which may cross to another process. */
import { readFileSync, statSync } from 'node:fs'
import { MemoryMarkError } from '../base/errors.ts'
import { snapshotLimits, tooLarge } from './limits.ts'
import { readSnapshot } from './read.ts'
import { type Replay, replay } from './replay.ts'

export interface SnapshotSummary extends Replay {
  /** With memory in the snapshot. */
  readonly devices: number
  readonly isEstimate: boolean
  readonly hasStacks: boolean
}

/** @throws MemoryMarkError */
export function summarizeFile(path: string): SnapshotSummary {
  return summarize(readCapped(path), path)
}

/** @throws MemoryMarkError */
export function summarize(bytes: Uint8Array, file: string): SnapshotSummary {
  const { devices, isEstimate, hasStacks } = readSnapshot(bytes, file)
  const replayed = devices.map(device => replay(device, { hasStacks })).filter(({ peak }) => peak.bytes > 0)
  if (replayed.length === 0) {
    throw new MemoryMarkError({
      code: 'snapshot-empty',
      file,
      message: 'this memory snapshot has no memory in it',
      fix: 'Call torch.cuda.memory._record_memory_history(max_entries=100000) before the model is loaded, and _dump_snapshot after a few steps.',
    })
  }
  const highest = replayed.reduce((highest, one) => (one.peak.bytes > highest.peak.bytes ? one : highest))
  return { ...highest, devices: replayed.length, isEstimate, hasStacks }
}

function readCapped(path: string): Uint8Array {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw unreadable(path, 'it is not a file')
    if (stats.size > snapshotLimits.bytes) throw tooLarge(path)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof MemoryMarkError || !(error instanceof Error && 'code' in error)) throw error
    const why = error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${String(error.code)})`
    throw unreadable(path, why)
  }
}

function unreadable(file: string, message: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'file-unreadable',
    file,
    message,
    fix: 'Check the path; it is relative to the working directory.',
  })
}
