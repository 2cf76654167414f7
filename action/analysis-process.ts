/** Where the files of strangers are read and judged: a process with limits, whose script lies beside the Action's own. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as core from '@actions/core'
import { IsolatedEngine, type IsolatedOptions } from '../engine/index.ts'
import type { Subject } from './event.ts'

/** It starts while GitHub is asked what there is to read, and holds nothing up at the end. */
export function startEngine(): IsolatedEngine {
  const engine = new IsolatedEngine({ script: script(), log: text => core.info(text.replaceAll(/^/gm, '| ')) })
  engine.warmUp()
  return engine
}

/** What is already on a branch has been reviewed, and nobody waits for it: only each file is limited. */
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
