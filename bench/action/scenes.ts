/** A scene for each event and mode, with its expected outcome. */
import type { RunOptions } from '../../test/action/run-action.ts'
import type { EmulatedGitHub, Repository } from '../../test/github/index.ts'

export interface Scene {
  readonly name: string
  readonly prepare: (github: EmulatedGitHub) => Promise<Prepared>
  readonly exitCode: number
  /** Paths in the report; undefined if none is written. */
  readonly configs?: readonly string[]
  /** A pattern that the log must match. */
  readonly says?: RegExp
}

type Prepared = Pick<RunOptions, 'repository'> & Partial<RunOptions>

/** Runs out of memory. */
export const tooLarge = `model_name_or_path: bert-base-uncased
task_name: mnli
max_seq_length: 128
per_device_train_batch_size: 4096
num_labels: 3
bf16: true
`
/** What is assumed never blocks, so the GPU is named. */
const base = { 'README.md': 'Models', '.github/memorymark.yml': 'gpu: a10\n', 'old.yaml': tooLarge }

export const scenes: readonly Scene[] = [
  {
    name: 'pull_request',
    prepare: github => opened(github, { 'new.yaml': tooLarge }),
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'pull_request from a fork',
    prepare: async github => ({
      ...(await opened(github, { 'new.yaml': tooLarge }, true)),
      token: await github.actionsToken({ readOnly: true }),
    }),
    exitCode: 1,
    configs: ['new.yaml'],
    says: /On a pull request from a fork it is read-only/,
  },
  {
    name: 'pull_request that renames',
    prepare: github => opened(github, { 'old.yaml': null, 'renamed.yaml': tooLarge }),
    exitCode: 0,
    configs: ['renamed.yaml'],
  },
  {
    name: 'pull_request that deletes',
    prepare: github => opened(github, { 'old.yaml': null }),
    exitCode: 0,
    configs: [],
  },
  {
    name: 'pull_request of 3,001 files',
    prepare: github => opened(github, { ...files(3_000), 'zz.yaml': tooLarge }),
    exitCode: 1,
    configs: ['zz.yaml'],
    says: /GitHub lists only 3000 of the pull request's 3001 changed files/,
  },
  {
    name: 'pull_request whose base moved',
    prepare: async github => {
      const { repository } = await opened(github, { 'new.yaml': tooLarge })
      await repository.pushToBranch('main', { 'others.yaml': tooLarge })
      return { repository }
    },
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'pull_request, shallow event',
    prepare: async github => {
      const { repository, number } = await opened(github, { 'new.yaml': tooLarge })
      return { repository, event: { name: 'pull_request', payload: { pull_request: { number } } } }
    },
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'push',
    prepare: github => pushed(github, main => main),
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'push to a new branch',
    prepare: github => pushed(github, () => '0'.repeat(40)),
    exitCode: 1,
    configs: ['new.yaml', 'old.yaml'],
  },
  {
    name: 'push over a lost commit',
    prepare: github => pushed(github, () => '1'.repeat(40)),
    exitCode: 1,
    configs: ['new.yaml', 'old.yaml'],
    says: /Commit 1111111, the one to compare with, is gone/,
  },
  {
    name: 'merge_group',
    prepare: async github => {
      const { repository, headSha } = await opened(github, { 'new.yaml': tooLarge })
      const group = { base_sha: await repository.branchHead('main'), head_sha: headSha }
      return { repository, event: { name: 'merge_group', payload: { merge_group: group } } }
    },
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'schedule, mode report',
    prepare: async github => {
      const { repository } = await opened(github, { 'new.yaml': tooLarge })
      const inputs = { mode: 'report', 'fail-on': 'never', 'last-report': 'absent.json' }
      return { repository, inputs, event: { name: 'schedule', payload: {} }, sha: await repository.branchHead('main') }
    },
    exitCode: 0,
    configs: ['old.yaml'],
  },
  {
    name: 'workflow_dispatch',
    prepare: async github => {
      const { repository } = await opened(github, { 'new.yaml': tooLarge })
      const event = { name: 'workflow_dispatch', payload: { inputs: null } }
      return { repository, event, sha: await repository.branchHead('main') }
    },
    exitCode: 1,
    configs: ['old.yaml'],
  },
  {
    name: "workflow_dispatch for a fork's head",
    prepare: github => dispatched(github, head => head),
    exitCode: 1,
    configs: ['new.yaml'],
  },
  {
    name: 'workflow_dispatch for an outdated head',
    prepare: github => dispatched(github, () => 'a'.repeat(40)),
    exitCode: 0,
    says: /has moved on from aaaaaaa/,
  },
  {
    name: 'pull_request, mode plan',
    prepare: async github => ({
      ...(await opened(github, { 'new.yaml': tooLarge })),
      inputs: { mode: 'plan', runners: 'a10: self-hosted, a10' },
    }),
    exitCode: 0,
    says: /1 sweeps are planned/,
  },
  {
    name: 'pull_request, mode sweep without PyTorch',
    prepare: async github => ({
      ...(await opened(github, { 'new.yaml': tooLarge })),
      inputs: { mode: 'sweep', python: '/nonexistent/python', 'fail-on': 'never' },
    }),
    exitCode: 0,
    configs: ['new.yaml'],
    says: /could not be measured and are traced or estimated instead/,
  },
]

let repositories = 0

interface Opened {
  readonly repository: Repository
  readonly number: number
  readonly headSha: string
}

/** A repository with a config on `main`, and a pull request against it. */
export async function opened(
  github: EmulatedGitHub,
  changes: Readonly<Record<string, string | null>>,
  fork = false,
): Promise<Opened> {
  const repository = await github.createRepository(`scene-${repositories++}`, base)
  const { number, headSha } = await repository.openPullRequest({ files: changes, fork })
  return { repository, number, headSha }
}

async function pushed(github: EmulatedGitHub, before: (main: string) => string): Promise<Prepared> {
  const { repository, headSha } = await opened(github, { 'new.yaml': tooLarge })
  const payload = { before: before(await repository.branchHead('main')), after: headSha, deleted: false }
  return { repository, event: { name: 'push', payload } }
}

async function dispatched(github: EmulatedGitHub, head: (sha: string) => string): Promise<Prepared> {
  const { repository, number, headSha } = await opened(github, { 'new.yaml': tooLarge }, true)
  const inputs = { 'pull-request': String(number), 'head-sha': head(headSha) }
  return { repository, event: { name: 'workflow_dispatch', payload: { inputs } } }
}

function files(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`data/${n}.csv`, String(n)]))
}
