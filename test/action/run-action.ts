/** Runs the bundled Action as the runner would: its own process, an environment of its own, nothing but loopback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { actionBundle, buildBundle, root } from '../../scripts/bundles.ts'
import { defaultInputs, inputVariables } from '../../scripts/demo/action-inputs.ts'
import { bareEnvironment } from '../bare-environment.ts'
import type { EmulatedGitHub, Repository } from '../github/index.ts'

export interface RunOptions {
  readonly github: EmulatedGitHub
  readonly repository: Repository
  readonly token: string
  readonly inputs?: Readonly<Record<string, string>>
  /** The newest pull request event unless told. */
  readonly event?: { readonly name: string; readonly payload: object }
  /** The commit of the workflow run. */
  readonly sha?: string
  /** Its branch; `refs/heads/main` unless told. */
  readonly ref?: string
  /** What the workspace holds before the step, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** A workspace of before, as a self-hosted runner keeps one; a new one unless told. */
  readonly workspace?: string
  /** Further variables of the runner's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Called when the process has been started. */
  readonly onStart?: (child: ChildProcess) => void
}

export interface ActionRun {
  readonly exitCode: number | null
  readonly log: string
  readonly errors: string
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** Undefined when none was written. */
  readonly report: unknown
  readonly workspace: string
}

/** As in the repository that the runner checks the action out from. `folder`: there already, and empty. */
export async function buildAction(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'dist'))
  for (const { name, contents } of await buildBundle(actionBundle)) await writeFile(path.join(folder, name), contents)
  const worker = 'engine/probes/worker'
  await cp(path.join(root, worker), path.join(folder, worker), { recursive: true })
  // Node takes dist/action.js for ESM by the package.json of the repository that it is checked out with.
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
}

export class BundledAction implements AsyncDisposable {
  /** What the runner starts. */
  readonly script: string
  /** Of the runs, and of the build where it is not shared. */
  readonly #folder: string
  /** Those of action.yml. */
  readonly defaultInputs: Readonly<Record<string, string>>
  #runs = 0

  private constructor(built: string, folder: string, defaults: Readonly<Record<string, string>>) {
    this.script = path.join(built, actionBundle.outfile)
    this.#folder = folder
    this.defaultInputs = defaults
  }

  static async build(): Promise<BundledAction> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-action-'))
    const built = path.join(folder, 'built')
    await mkdir(built)
    await buildAction(built)
    return new BundledAction(built, folder, await defaultInputs())
  }

  /** `built`: a folder that `buildAction` has filled, and that others use too. */
  static async in(built: string): Promise<BundledAction> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-action-'))
    return new BundledAction(built, folder, await defaultInputs())
  }

  async run(options: RunOptions): Promise<ActionRun> {
    const { github, repository, token, inputs = {}, event, sha, ref = 'refs/heads/main', files = {} } = options
    const runFolder = path.join(this.#folder, `run-${this.#runs++}`)
    const file = (name: string) => path.join(runFolder, name)
    const workspace = options.workspace ?? file('workspace')
    await mkdir(workspace, { recursive: true })
    await mkdir(runFolder, { recursive: true })
    await writeFile(file('event.json'), event ? JSON.stringify(event.payload) : newestPullRequestEvent(github))
    await writeFile(file('outputs'), '')
    await writeFile(file('summary.md'), '')
    for (const [name, contents] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(workspace, name)), { recursive: true })
      await writeFile(path.join(workspace, name), contents)
    }
    const child = spawn(process.execPath, [this.script], {
      cwd: workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...bareEnvironment,
        HOME: process.env.HOME,
        OMP_NUM_THREADS: process.env.OMP_NUM_THREADS,
        ...inputVariables({ ...this.defaultInputs, 'github-token': token, ...inputs }),
        GITHUB_API_URL: github.url,
        GITHUB_EVENT_NAME: event?.name ?? 'pull_request',
        GITHUB_EVENT_PATH: file('event.json'),
        GITHUB_OUTPUT: file('outputs'),
        GITHUB_REPOSITORY: repository.fullName,
        GITHUB_REF: ref,
        GITHUB_SHA: sha ?? 'f'.repeat(40),
        GITHUB_STEP_SUMMARY: file('summary.md'),
        GITHUB_WORKSPACE: workspace,
        ...options.env,
      },
    })
    options.onStart?.(child)
    const [log, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return {
      exitCode: child.exitCode,
      log,
      errors,
      outputs: parseOutputs(await readFile(file('outputs'), 'utf8')),
      summary: await readFile(file('summary.md'), 'utf8'),
      report: await readReport(path.join(workspace, 'memorymark-report.json')),
      workspace,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}

function newestPullRequestEvent({ deliveries }: EmulatedGitHub): string {
  return deliveries.findLast(delivery => delivery.event === 'pull_request')?.body ?? '{}'
}

/** `name<<delimiter\nvalue\ndelimiter`, as @actions/core writes them. */
function parseOutputs(written: string): Record<string, string> {
  const entries = written.matchAll(/^(.+?)<<(ghadelimiter_\S+)\n([\s\S]*?)\n?\2$/gm)
  return Object.fromEntries(Array.from(entries, ([, name = '', , value = '']) => [name, value]))
}

async function readReport(file: string): Promise<unknown> {
  const json = await readFile(file, 'utf8').catch(() => undefined)
  return json === undefined ? undefined : JSON.parse(json)
}
