/**
 * As cli/engine.ts, save that the process with limits outlives its command, for the next. Not that for snapshots, which opens a file
 * by its path from the folder of the command.
 */
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { openEngine as openOwnEngine } from '../../cli/engine.ts'
import { complain } from '../../cli/print.ts'
import { IsolatedEngine, type IsolatedEngineOptions } from '../../engine/isolated/engine.ts'
import { limitsOfSnapshots } from '../../engine/isolated/limits.ts'

/** Beside the bundle. The folder of a command does not last as long as the process. */
const script = fileURLToPath(new URL('./kept-analysis.js', import.meta.url))

const kept = new Map<string, KeptEngine>()

class KeptEngine extends IsolatedEngine {
  override async [Symbol.asyncDispose](): Promise<void> {}
}

export function openEngine(options: Pick<IsolatedEngineOptions, 'limits'> = {}): IsolatedEngine {
  if (options.limits === limitsOfSnapshots) return openOwnEngine(options)
  const engine = kept.get(inspect(options)) ?? new KeptEngine({ ...options, script, log: complain })
  kept.set(inspect(options), engine)
  engine.warmUp()
  return engine
}
