/** Where commands read strangers' files: in processes with limits, of which one starts while the command looks for them. */
import { IsolatedEngine, type IsolatedEngineOptions, processesFor } from '../isolated/engine.ts'
import { complain } from './print.ts'

/** Of many files; another takes some hundred MiB. */
const MAX_PROCESSES = 4

export function openEngine(options: Pick<IsolatedEngineOptions, 'limits'> = {}): IsolatedEngine {
  const engine = new IsolatedEngine({ ...options, processes: processesFor(MAX_PROCESSES), log: complain })
  engine.warmUp()
  return engine
}
