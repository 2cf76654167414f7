/** Where hostile pull requests are opened: in one repository, and for hostile settings in a new one each. */
import { SETTINGS_PATH } from '../../engine/index.ts'
import type { EmulatedGitHub, PullRequest, Repository } from '../../test/github/index.ts'
import { changedBy } from './files.ts'
import type { HostileInput } from './input.ts'

export interface Opened {
  readonly repository: Repository
  readonly pullRequest: PullRequest
}

const readme = { 'README.md': '# Models\n' }

export class AttackedRepositories {
  readonly #github: EmulatedGitHub
  readonly #prefix: string
  readonly #shared: Repository
  #count = 0

  private constructor(github: EmulatedGitHub, prefix: string, shared: Repository) {
    this.#github = github
    this.#prefix = prefix
    this.#shared = shared
  }

  /** `prefix`: of their names. */
  static async create(github: EmulatedGitHub, prefix: string): Promise<AttackedRepositories> {
    return new AttackedRepositories(github, prefix, await github.createRepository(`${prefix}-models`, readme))
  }

  async open(inputs: readonly HostileInput[], { fork }: { readonly fork: boolean }): Promise<Opened> {
    this.#count += 1
    const [first] = inputs
    const repository =
      first?.kind === 'settings'
        ? await this.#github.createRepository(`${this.#prefix}-${this.#count}`, {
            ...readme,
            [SETTINGS_PATH]: first.text,
          })
        : this.#shared
    const pullRequest = await repository.openPullRequest({ fork, files: changedBy(inputs, `change-${this.#count}`) })
    return { repository, pullRequest }
  }
}
