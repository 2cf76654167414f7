/** The version of this package and the oldest Node that it runs on. */
import manifest from '../../package.json' with { type: 'json' }
import { MemoryMarkError } from './errors.ts'

export const version: string = manifest.version

/** The `engines` field of package.json. */
const OLDEST_NODE = [22, 12] as const

/** Refuses at the start, because an older Node would fail in the middle of a command with a stack trace. */
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
