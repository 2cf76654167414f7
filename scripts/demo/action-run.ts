/** The Action as it is shipped, dist/action.js, in a process with the environment that a runner gives it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type Report, report as reportSchema } from '../../engine/index.ts'
import { root } from '../bundles.ts'
import { defaultInputs, inputVariables } from './action-inputs.ts'
import { LIMIT_MILLIS } from './until.ts'

export interface ActionOptions {
  readonly apiUrl: string
  readonly repository: string
  readonly token: string
  /** The payload of the `pull_request` event, as JSON. */
  readonly event: string
  readonly inputs: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface ActionResult {
  readonly exitCode: number
  readonly log: string
  readonly report: Report
}

/** @throws Error when it leaves no report, with its log. */
export async function runAction({
  apiUrl,
  repository,
  token,
  event,
  inputs,
  signal,
}: ActionOptions): Promise<ActionResult> {
  await using workspace = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-demo-'))
  const file = (name: string) => path.join(workspace.path, name)
  await Promise.all([
    writeFile(file('event.json'), event),
    writeFile(file('outputs'), ''),
    writeFile(file('summary.md'), ''),
  ])
  const child = spawn(process.execPath, [path.join(root, 'dist/action.js')], {
    cwd: workspace.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)]),
    env: {
      ...inputVariables({ ...(await defaultInputs()), 'github-token': token, ...inputs }),
      GITHUB_API_URL: apiUrl,
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_OUTPUT: file('outputs'),
      GITHUB_REPOSITORY: repository,
      GITHUB_STEP_SUMMARY: file('summary.md'),
      GITHUB_WORKSPACE: workspace.path,
    },
  })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const json = await readFile(file('memorymark-report.json'), 'utf8').catch(() => undefined)
  if (child.exitCode === null || json === undefined) {
    throw new Error(`The Action ended without a report (exit code ${child.exitCode}). Its log:\n${out}${errors}`)
  }
  return { exitCode: child.exitCode, log: out, report: reportSchema.parse(JSON.parse(json)) }
}
