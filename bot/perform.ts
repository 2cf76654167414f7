/** Performs one job: locks its subject, works on it, and reports the outcome. */
import { KeptTextsOfAll } from '../github/kept-texts.ts'
import { runCommand } from './commands/run.ts'
import { enforceDeadlines } from './deadlines.ts'
import type { Work } from './github.ts'
import { keepHouse, type Retention } from './housekeeping.ts'
import type { GitHubApp } from './installation.ts'
import { dispatchMeasurement } from './measurement/dispatch.ts'
import { answerMergeGroup, giveUpOnGroup } from './merge-group.ts'
import { judgePull } from './pull-request/judge.ts'
import { resolveCommit, resolveRun } from './pull-request/resolve.ts'
import { endSuperseded } from './pull-request/superseded.ts'
import { giveUpOn, updatePullRequest } from './pull-request/update.ts'
import { failureOf } from './queue/failure.ts'
import { type Job, keyOf } from './queue/jobs.ts'
import type { Outcome } from './queue/workers.ts'
import { reconcile } from './reconcile.ts'
import { redeliverMissed } from './redelivery.ts'
import { enterMerge } from './reports/merge.ts'
import { schedule } from './reports/schedule.ts'
import { survey } from './reports/survey.ts'
import { noteDeparture } from './store/installations.ts'
import { suggest } from './suggestions/suggest.ts'

/** The parts of `Work` that all jobs share. */
type Shared =
  | 'appId'
  | 'analyze'
  | 'engine'
  | 'hub'
  | 'defaults'
  | 'metrics'
  | 'database'
  | 'queue'
  | 'log'
  | 'workflowPath'

export interface PerformOptions extends Pick<Work, Shared> {
  readonly app: GitHubApp
  readonly retention: Retention
}

/** Seconds until a job is retried whose subject another worker is busy with. */
const BUSY_SECONDS = 1

export class Performer {
  readonly #options: PerformOptions
  readonly #kept = new KeptTextsOfAll()
  /** By installation: until when GitHub asked us to wait, in milliseconds since the epoch. */
  readonly #pausedUntil = new Map<number, number>()

  constructor(options: PerformOptions) {
    this.#options = options
  }

  /** Rejects if the job must be retried. */
  async perform(job: Job, signal: AbortSignal): Promise<Outcome> {
    const pause = this.#pauseSeconds(job)
    if (pause > 0) return { kind: 'later', afterSeconds: pause }
    const held = await this.#options.database.exclusively(keyOf(job), lost =>
      this.#attempt(job, AbortSignal.any([signal, lost])),
    )
    return held.kind === 'busy' ? { kind: 'later', afterSeconds: BUSY_SECONDS } : held.value
  }

  /** Reports on GitHub that a job has failed too often. Rejects if that fails too. */
  async giveUp(job: Job, signal: AbortSignal): Promise<Outcome> {
    this.#options.log.error({ job: keyOf(job) }, 'A job failed too often and is given up')
    if (job.kind === 'pull-request') await giveUpOn(await this.#workOn(job, signal), job.number)
    if (job.kind === 'merge-group') await giveUpOnGroup(await this.#workOn(job, signal), job)
    return { kind: 'done' }
  }

  async #attempt(job: Job, signal: AbortSignal): Promise<Outcome> {
    try {
      await this.#run(job, signal)
      return { kind: 'done' }
    } catch (error) {
      const failure = failureOf(error, new Date())
      switch (failure.kind) {
        case 'limited':
          this.#pause(job, failure.afterSeconds)
          return { kind: 'later', afterSeconds: failure.afterSeconds }
        case 'gone':
          this.#options.log.info({ err: error, job: keyOf(job) }, 'What a job was about is gone')
          return { kind: 'done' }
        case 'forbidden':
          this.#options.log.error({ err: error, job: keyOf(job) }, 'The installation lacks a permission')
          return { kind: 'done' }
        case 'fault':
          this.#options.log.error({ err: error, job: keyOf(job) }, 'A job failed by a fault of ours')
          return { kind: 'done' }
        case 'passing':
          throw error
      }
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const { app, database, queue, log, workflowPath, retention } = this.#options
    switch (job.kind) {
      case 'pull-request':
        return updatePullRequest(await this.#workOn(job, signal), job.number)
      case 'commit':
        return resolveCommit(await this.#workOn(job, signal), job)
      case 'run':
        return resolveRun(await this.#workOn(job, signal), job.runId)
      case 'merge-group':
        return answerMergeGroup(await this.#workOn(job, signal), job)
      case 'dispatch':
        return dispatchMeasurement(await this.#workOn(job, signal), job)
      case 'superseded':
        return endSuperseded(await this.#workOn(job, signal), job)
      case 'command':
        return runCommand(await this.#workOn(job, signal), job, judgePull)
      case 'suggest':
        return suggest(await this.#workOn(job, signal), job)
      case 'merged':
        return enterMerge(await this.#workOn(job, signal), job.number)
      case 'survey':
        return survey(await this.#workOn(job, signal), { ...job, botLogin: app.botLogin })
      case 'schedule':
        return schedule(await this.#workOn(job, signal))
      case 'departure':
        return noteDeparture(database, job.installationId, new Date())
      case 'housekeeping':
        return keepHouse({ app, database, queue, log, signal, ...retention, now: new Date() })
      case 'deadlines':
        return enforceDeadlines(database, queue)
      case 'redelivery':
        return redeliverMissed({ app, log }, 'minute')
      case 'reconcile':
        return reconcile({ app, database, queue, log, signal, workflowPath }, job.scope)
    }
  }

  async #workOn(place: Work['place'], signal: AbortSignal): Promise<Work> {
    const { app, appId, analyze, engine, hub, defaults, metrics, database, queue, log, workflowPath } = this.#options
    const { installationId, repositoryId, owner, repo } = place
    return {
      github: await app.inInstallation(installationId, signal),
      place: { installationId, repositoryId, owner, repo },
      repository: { owner, repo },
      kept: this.#kept.of({ installationId, repositoryId }),
      appId,
      analyze,
      engine,
      hub,
      defaults,
      metrics,
      database,
      queue,
      log: log.child({ repository: `${owner}/${repo}` }),
      workflowPath,
    }
  }

  #pause(job: Job, seconds: number): void {
    if ('installationId' in job) this.#pausedUntil.set(job.installationId, Date.now() + seconds * 1_000)
  }

  #pauseSeconds(job: Job): number {
    if (!('installationId' in job)) return 0
    const until = this.#pausedUntil.get(job.installationId) ?? 0
    const seconds = Math.ceil((until - Date.now()) / 1_000)
    if (seconds <= 0) this.#pausedUntil.delete(job.installationId)
    return Math.max(seconds, 0)
  }
}
