/** Starts the engine that reads untrusted files in a limited process, while the command still looks for them. */
import { IsolatedEngine, type IsolatedEngineOptions } from '../engine/isolated/engine.ts'
import { complain } from './print.ts'

export function openEngine(options: Pick<IsolatedEngineOptions, 'limits'> = {}): IsolatedEngine {
  const engine = new IsolatedEngine({ ...options, log: complain })
  engine.warmUp()
  return engine
}
