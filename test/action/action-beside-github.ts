/** The real bundle beside the emulated GitHub, where every repository has a model that is small enough to trace in a second. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmulatedGitHub, type PullRequest, type Repository, startGitHub } from '../github/index.ts'
import { python } from '../probes/python.ts'
import { sharedAction } from '../shared-builds.ts'
import { type ActionRun, BundledAction, type RunOptions } from './run-action.ts'

export const tiny = `model_name_or_path: models/tiny
task_name: mnli
max_seq_length: 32
per_device_train_batch_size: 16
gradient_accumulation_steps: 8
num_labels: 3
bf16: true
`
/** Settings under which few sizes are tried, since each is a trace of a second. */
export const coarse = { '.github/memorymark.yml': 'step_size: 8192\n' }

const tinyModel = JSON.stringify({
  model_type: 'bert',
  num_hidden_layers: 2,
  hidden_size: 128,
  num_attention_heads: 2,
  intermediate_size: 256,
})

export class ActionBesideGitHub implements AsyncDisposable {
  readonly github: EmulatedGitHub
  readonly #action: BundledAction
  readonly #token: string
  readonly #folder: string
  #repositories = 0

  private constructor(action: BundledAction, github: EmulatedGitHub, token: string, folder: string) {
    this.#action = action
    this.github = github
    this.#token = token
    this.#folder = folder
  }

  static async start(): Promise<ActionBesideGitHub> {
    const [action, github] = [await BundledAction.in(await sharedAction()), await startGitHub()]
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-modes-'))
    return new ActionBesideGitHub(action, github, await github.actionsToken(), folder)
  }

  /** A new repository and a pull request that changes `files`. */
  async open(
    files: Readonly<Record<string, string | null>>,
    { base = {} }: { base?: Readonly<Record<string, string>> } = {},
  ): Promise<{ repository: Repository; pullRequest: PullRequest }> {
    const repository = await this.github.createRepository(`models-${this.#repositories++}`, {
      'README.md': 'Models',
      'models/tiny/config.json': tinyModel,
      ...base,
    })
    return { repository, pullRequest: await repository.openPullRequest({ files }) }
  }

  run(repository: Repository, inputs: RunOptions['inputs'], options: Partial<RunOptions> = {}): Promise<ActionRun> {
    return this.#action.run({
      github: this.github,
      repository,
      token: this.#token,
      inputs: { python, 'fail-on': 'never', ...inputs },
      ...options,
    })
  }

  /** A path in a folder that goes with the rest. */
  file(name: string): string {
    return path.join(this.#folder, name)
  }

  /** An interpreter's command that does something before, or instead of, Python. */
  async interpreter(name: string, script: string): Promise<string> {
    const file = this.file(name)
    await writeFile(file, `#!/bin/sh\n${script}\n`)
    await chmod(file, 0o755)
    return file
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.github[Symbol.asyncDispose]()
    await this.#action[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true })
  }
}

export function warnings({ log }: ActionRun): string[] {
  return Array.from(log.matchAll(/^::warning::(.*)$/gm), ([, message = '']) => message)
}
