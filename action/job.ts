/** The context of one run of the Action: subject, GitHub client, engine, inputs. */
import path from 'node:path'
import * as core from '@actions/core'
import type { IsolatedEngine } from '../engine/index.ts'
import { startEngine } from './analysis-process.ts'
import type { EventSubject, Subject } from './event.ts'
import { connect, type GitHub } from './github.ts'
import { type Inputs, readInputs } from './inputs.ts'
import { resolveSubject } from './pull-request.ts'
import { removeStaleReport } from './report-file.ts'
import type { RunContext } from './run-context.ts'

export interface Job {
  readonly run: RunContext
  readonly subject: Subject
  readonly github: GitHub
  readonly inputs: Inputs
  /** Reads and judges files under limits on time and memory. */
  readonly engine: IsolatedEngine
  /** An absolute path. */
  readonly reportPath: string
}

/** Undefined, with a line in the log, if there is nothing to check. */
export async function openJob(run: RunContext, event: EventSubject): Promise<Job | undefined> {
  const inputs = readInputs(name => core.getInput(name))
  const reportPath = path.resolve(run.workspace, inputs.reportPath)
  await removeStaleReport(reportPath)
  const engine = startEngine()
  const github = connect(inputs.token)
  const resolved = await resolveSubject(github, run.repository, event)
  switch (resolved.kind) {
    case 'found':
      return { run, subject: resolved.subject, github, inputs, engine, reportPath }
    case 'nothing-to-look-at':
      core.info(resolved.why)
      return undefined
  }
}
