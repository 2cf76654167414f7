/** The real bundle against the emulated GitHub, where every repository names an A10: nothing blocks on a GPU that is assumed. */
import { type EmulatedGitHub, type PullRequest, type Repository, startGitHub } from '../github/index.ts'
import { onA10 } from '../on-a10.ts'
import { sharedAction } from '../shared-builds.ts'
import { BundledAction } from './run-action.ts'

export const wasteful = `model_name_or_path: bert-base-uncased
task_name: mnli
max_seq_length: 128
per_device_train_batch_size: 2
gradient_accumulation_steps: 64
num_labels: 3
bf16: true
`

export const doesNotFit = wasteful.replace('batch_size: 2', 'batch_size: 100000')

interface Opening {
  readonly fork?: boolean
  readonly base?: Readonly<Record<string, string>>
}

export class BundleOnA10 implements AsyncDisposable {
  readonly action: BundledAction
  readonly github: EmulatedGitHub
  readonly token: string
  #repositories = 0

  private constructor(action: BundledAction, github: EmulatedGitHub, token: string) {
    this.action = action
    this.github = github
    this.token = token
  }

  static async start(): Promise<BundleOnA10> {
    const [action, github] = [await BundledAction.in(await sharedAction()), await startGitHub()]
    return new BundleOnA10(action, github, await github.actionsToken())
  }

  /** A new repository and a pull request that changes `files`. */
  async open(
    files: Readonly<Record<string, string | null>>,
    { fork = false, base = {} }: Opening = {},
  ): Promise<{ repository: Repository; pullRequest: PullRequest }> {
    const repository = await this.github.createRepository(`models-${this.#repositories++}`, {
      'README.md': 'Models',
      ...onA10,
      ...base,
    })
    return { repository, pullRequest: await repository.openPullRequest({ files, fork }) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.github[Symbol.asyncDispose]()
    await this.action[Symbol.asyncDispose]()
  }
}

/** File, line and title of each annotation, as the runner would read them. */
export function annotations(log: string) {
  return Array.from(
    log.matchAll(/^::(error|warning)(?: (.*?))?::(.*)$/gm),
    ([, level, properties = '', message = '']) => {
      const named = Object.fromEntries(properties.split(',').map(pair => pair.split('=', 2)))
      return { level, file: named.file, line: named.line, title: named.title, message }
    },
  )
}
