/** Where commands read strangers' files: in a process with limits, which starts while the command looks for them. */
import { IsolatedEngine, type IsolatedEngineOptions } from '../engine/isolated/engine.ts'
import { complain } from './print.ts'

export function openEngine(options: Pick<IsolatedEngineOptions, 'limits'> = {}): IsolatedEngine {
  const engine = new IsolatedEngine({ ...options, log: complain })
  engine.warmUp()
  return engine
}
