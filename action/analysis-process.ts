/** Starts the engine that reads untrusted files in limited processes. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as core from '@actions/core'
import { IsolatedEngine, type IsolatedOptions } from '../engine/index.ts'
import type { Subject } from './event.ts'

/** Starts a process while GitHub is still being asked; it does not delay the end of the job. */
export function startEngine(): IsolatedEngine {
  const engine = new IsolatedEngine({ script: script(), log: text => core.info(text.replaceAll(/^/gm, '| ')) })
  engine.warmUp()
  return engine
}

/** On a branch only each file is limited: its content has been reviewed, and nobody waits. */
export function limitsFor(subject: Subject): Pick<IsolatedOptions, 'totalMillis'> {
  return subject.kind === 'tree' ? { totalMillis: Number.POSITIVE_INFINITY } : {}
}

function script(): string {
  const places = ['./action-analysis.js', '../engine/isolated/serve.ts'].map(file =>
    fileURLToPath(new URL(file, import.meta.url)),
  )
  const found = places.find(place => existsSync(place))
  if (found === undefined) throw new Error(`the analysis process is missing from the Action: ${places.join(', ')}`)
  return found
}
