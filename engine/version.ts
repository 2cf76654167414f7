/** The version of this package, and the oldest Node that it runs on. */
import manifest from '../package.json' with { type: 'json' }
import { MemoryMarkError } from './errors.ts'

export const version: string = manifest.version

/** As package.json's `engines` has it. */
const OLDEST_NODE = [22, 12] as const

/** An older one would fail in the middle of some command, with a stack. */
export function refuseOldNode(running: string): void {
  const [major = 0, minor = 0] = running.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new MemoryMarkError({
    code: 'node-too-old',
    message: `this is Node ${running}, which is too old`,
    fix: `Use Node ${OLDEST_NODE.join('.')} or newer.`,
  })
}
