/** The life of a pull request in the chaos test, from the first push to the last. */
import { zipSync } from 'fflate'
import type { Report } from '../../engine/index.ts'
import { trainingConfig } from '../../test/bot/configs.ts'
import { type MergeGroup, maintainer, type PullRequest, type Repository } from '../../test/github/index.ts'
import { fine, reportOf } from '../../test/render/fixtures.ts'

export interface Stage {
  readonly repository: Repository
  /** Of a config that no other pull request touches. */
  readonly path: string
  /** Lies on `main` from the start, at a micro-batch of 64. */
  readonly existing: string
}

/** The result that the bot must reach. */
export interface Ending {
  readonly pullRequest: PullRequest
  /** The report of a workflow run on the newest commit, if there is one. */
  readonly measured?: Report
  /** The number of commands, each of which must be answered once. */
  readonly commands?: number
  /** A merge queue's commit, which is checked like the pull request. */
  readonly group?: MergeGroup
  /** A hostile pull request: only the number of its checks and comments is compared. */
  readonly isHostile?: boolean
}

/** At each `yield`, other events may happen. */
export type Story = (stage: Stage) => AsyncGenerator<void, Ending>

const wasteful = 2
const good = 256
const tooLarge = 4_096

export const stories: Readonly<Record<string, Story>> = {
  'a wasteful config': opening({ microBatch: wasteful }),
  'a good config': opening({ microBatch: good }),
  'a config that does not fit': opening({ microBatch: tooLarge }),
  'a config from a fork': opening({ microBatch: wasteful, fork: true }),
  'a config that cannot be read': opening({ microBatch: 0 }),

  'no config': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [`${path}.md`]: '# Notes\n' } })
    yield
    return { pullRequest }
  },
  'a wasteful config, then a good one': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(wasteful) } })
    yield
    await repository.pushTo(pullRequest, { [path]: trainingConfig(good) })
    yield
    return { pullRequest }
  },
  'a good config, pushed over by a wasteful one': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(good) } })
    yield
    await repository.forcePushTo(pullRequest, { [path]: trainingConfig(wasteful) })
    yield
    return { pullRequest }
  },
  'a wasteful config, then none': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(wasteful) } })
    yield
    await repository.pushTo(pullRequest, { [path]: null, [`${path}.md`]: '# Notes\n' })
    yield
    return { pullRequest }
  },
  'three pushes in a row': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(tooLarge) } })
    await repository.pushTo(pullRequest, { [path]: trainingConfig(good) })
    await repository.pushTo(pullRequest, { [path]: trainingConfig(wasteful) })
    yield
    await repository.pushTo(pullRequest, { [path]: trainingConfig(good + 64) })
    yield
    return { pullRequest }
  },
  'closed and opened again': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(wasteful) } })
    yield
    await repository.close(pullRequest)
    yield
    await repository.reopen(pullRequest)
    yield
    return { pullRequest }
  },
  'a config under another name': async function* ({ repository, path, existing }) {
    const pullRequest = await repository.openPullRequest({
      files: { [existing]: null, [path]: trainingConfig(64) },
    })
    yield
    return { pullRequest }
  },
  'a config that the GPU runner measures': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(wasteful) } })
    yield
    // The runner's figure differs from the estimate, so that the two cannot be confused.
    const measured = reportOf([fine({ path, provenance: 'measured' })])
    const artifact = zipSync({ 'memorymark-report.json': Buffer.from(JSON.stringify(measured)) })
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact })
    yield
    return { pullRequest, measured }
  },
  'a command': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(wasteful) } })
    yield
    await repository.comment(pullRequest, '/memorymark help', maintainer)
    yield
    return { pullRequest, commands: 1 }
  },
  'in a merge queue': async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ files: { [path]: trainingConfig(good) } })
    yield
    const queued = await repository.enqueue(pullRequest)
    if (queued.kind !== 'queued') throw new Error(queued.reason)
    yield
    return { pullRequest, group: queued.group }
  },
}

function opening({ microBatch, fork = false }: { microBatch: number; fork?: boolean }): Story {
  return async function* ({ repository, path }) {
    const pullRequest = await repository.openPullRequest({ fork, files: { [path]: trainingConfig(microBatch) } })
    yield
    return { pullRequest }
  }
}
