/** The durable job queue: pg-boss in the bot's own database. A job sent within a transaction exists once it commits. */
import { type Db, PgBoss } from 'pg-boss'
import * as z from 'zod'
import type { Database, Row, Sql } from '../store/database.ts'
import { storable } from '../store/storable.ts'
import { installationOf, type Job, job as jobSchema, keyOf, priorityOf } from './jobs.ts'

const SCHEMA = 'memorymark_queue'
const WORK = 'work'
const GIVEN_UP = 'given-up'

/** Seconds without a heartbeat after which a worker counts as dead; the least that pg-boss allows. */
const HEARTBEAT_SECONDS = 10
const LOOK_FOR_DEAD_SECONDS = 3

/** Seconds; a job that runs longer is stuck. */
const EXPIRE_SECONDS = 300

/** Twelve tries over about half an hour: GitHub's outages are mostly shorter. */
const RETRIES = { retryLimit: 12, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 } as const

/** Reporting that we gave up is retried for a day. */
const GIVE_UP_RETRIES = { retryLimit: 100, retryDelay: 30, retryBackoff: true, retryDelayMax: 900 } as const

/** For what other replicas do; the end of a job of this process is told. */
const IDLE_POLL_MILLIS = 200

/** Finished jobs are kept this long for the metrics. */
const KEEP_DONE_SECONDS = 3_600

export interface Taken {
  readonly id: string
  readonly queue: typeof WORK | typeof GIVEN_UP
  readonly job: Job
}

export interface QueueOptions {
  readonly database: Database
  readonly onError: (error: Error) => void
}

export class Queue {
  readonly #boss: PgBoss
  readonly #database: Database
  readonly #listeners = new Set<() => void>()
  #jobEnded = Promise.withResolvers<void>()

  private constructor(boss: PgBoss, database: Database) {
    this.#boss = boss
    this.#database = database
  }

  static async start({ database, onError }: QueueOptions): Promise<Queue> {
    const boss = new PgBoss({
      db: { executeSql: async (text, values) => ({ rows: [...(await run(database, text, values))] }) },
      backend: database.backend,
      schema: SCHEMA,
      superviseIntervalSeconds: LOOK_FOR_DEAD_SECONDS,
      monitorIntervalSeconds: LOOK_FOR_DEAD_SECONDS,
      maintenanceIntervalSeconds: 600,
    })
    boss.on('error', onError)
    await alone(database, () => setUp(boss))
    return new Queue(boss, database)
  }

  /** A job whose key is already waiting is not added again. */
  async send(
    jobs: readonly Job[],
    { sql, afterSeconds = 0 }: { sql?: Sql; afterSeconds?: number } = {},
  ): Promise<void> {
    if (jobs.length === 0) return
    // Sorted, because transactions that insert the same jobs in different orders could deadlock.
    const inserts = jobs
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map(job => ({
        data: storable(job),
        singletonKey: keyOf(job),
        priority: priorityOf(job),
        ...(afterSeconds > 0 && { startAfter: afterSeconds }),
        ...groupOf(job),
      }))
    await this.#boss.insert(WORK, inserts, sql === undefined ? {} : { db: inTransaction(sql) })
    if (sql === undefined) this.announce()
  }

  /** Tells the workers of this process that there is something to do; others look twice a second. */
  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  onAnnounced(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Every minute is the finest that cron knows. */
  async repeat(job: Job, cron: string): Promise<void> {
    const key = keyOf(job)
    await this.#boss.schedule(WORK, cron, storable(job), { key, singletonKey: key, ...groupOf(job) })
  }

  async noLonger(job: Job): Promise<void> {
    await this.#boss.unschedule(WORK, keyOf(job))
  }

  /** Removes the schedules of an installation that is gone. */
  async forgetSchedules(installationId: number): Promise<void> {
    for (const { name, key, data } of await this.#boss.getSchedules()) {
      const parsed = jobSchema.safeParse(data)
      if (name === WORK && parsed.success && installationOf(parsed.data) === installationId)
        await this.#boss.unschedule(WORK, key)
    }
  }

  /**
   * At most `perInstallation` jobs of one installation run at a time, over all replicas. Never throws: without a
   * database it returns no jobs.
   */
  async take(limit: number, perInstallation: number): Promise<readonly Taken[]> {
    const jobs = await this.#boss.fetch(WORK, { batchSize: limit, groupConcurrency: perInstallation })
    return this.#understood(jobs.map(from(WORK)))
  }

  /** Jobs that failed too often and are yet to be reported. */
  async takeGivenUp(limit: number): Promise<readonly Taken[]> {
    return this.#understood((await this.#boss.fetch(GIVEN_UP, { batchSize: limit })).map(from(GIVEN_UP)))
  }

  /** Drops a job from another version that this one cannot parse; reconciling finds its subject again. */
  async #understood(stored: readonly Stored[]): Promise<readonly Taken[]> {
    const taken: Taken[] = []
    for (const { queue, id, data } of stored) {
      const parsed = jobSchema.safeParse(data)
      if (parsed.success) taken.push({ queue, id, job: parsed.data })
      else await this.#boss.complete(queue, id)
    }
    return taken
  }

  async touch(all: readonly Taken[]): Promise<void> {
    for (const queue of [WORK, GIVEN_UP] as const) {
      const ids = all.filter(one => one.queue === queue).map(({ id }) => id)
      if (ids.length > 0) await this.#boss.touch(queue, ids)
    }
  }

  async complete({ queue, id }: Taken): Promise<void> {
    await this.#boss.complete(queue, id)
    this.#announceEnd()
  }

  /** Schedules a retry, or gives the job up. Only the error's message is stored. */
  async fail({ queue, id }: Taken, error: Error): Promise<void> {
    await this.#boss.fail(queue, id, storable({ message: error.message }))
    this.#announceEnd()
  }

  /** Returns the job to the queue without counting a failure. */
  async postpone({ queue, id, job }: Taken, afterSeconds: number): Promise<void> {
    await this.#database.transaction(async sql => {
      await this.#boss.complete(queue, id, null, { db: inTransaction(sql) })
      await this.send([job], { sql, afterSeconds })
    })
    this.#announceEnd()
  }

  #announceEnd(): void {
    this.#jobEnded.resolve()
    this.#jobEnded = Promise.withResolvers()
  }

  /** The number of jobs by state, and how long the oldest runnable one has waited. */
  async depth(): Promise<Depth> {
    const rows = await this.#database.query(
      `SELECT state::text AS state, count(*)::int AS jobs,
         coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active' AND start_after <= now())), 0)::float8 AS seconds
       FROM ${SCHEMA}.job WHERE name = ANY($1) GROUP BY state`,
      [[WORK, GIVEN_UP]],
    )
    const states = rows.map(row => depthRow.parse(row))
    return {
      jobs: Object.fromEntries(states.map(({ state, jobs }) => [state, jobs])),
      oldestSeconds: Math.max(0, ...states.map(({ seconds }) => seconds)),
    }
  }

  /** Resolves when no job is waiting, running or due within a minute. For tests and benches. */
  async idle(): Promise<void> {
    let ended = this.#jobEnded.promise
    while ((await this.#open()) > 0) {
      await Promise.race([ended, new Promise(resolve => setTimeout(resolve, IDLE_POLL_MILLIS))])
      ended = this.#jobEnded.promise
    }
  }

  async #open(): Promise<number> {
    const rows = await this.#database.query(
      `SELECT count(*)::int AS jobs FROM ${SCHEMA}.job
       WHERE name = ANY($1) AND state < 'completed' AND start_after < now() + interval '1 minute'`,
      [[WORK, GIVEN_UP]],
    )
    return openRow.parse(rows[0]).jobs
  }

  /** Takes no more jobs; whoever holds one must return it. */
  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false })
  }
}

export interface Depth {
  /** By state: created, retry, active, completed, failed. */
  readonly jobs: Readonly<Record<string, number>>
  readonly oldestSeconds: number
}

const openRow = z.object({ jobs: z.number() })
const depthRow = z.object({ state: z.string(), jobs: z.number(), seconds: z.number() })

interface Stored {
  readonly queue: Taken['queue']
  readonly id: string
  readonly data: unknown
}

function from(queue: Taken['queue']): (job: { id: string; data: unknown }) => Stored {
  return ({ id, data }) => ({ queue, id, data })
}

function run(database: Database, text: string, values: readonly unknown[] | undefined): Promise<readonly Row[]> {
  return values === undefined || values.length === 0 ? database.script(text) : database.query(text, values)
}

function inTransaction(sql: Sql): Db {
  return { executeSql: async (text, values) => ({ rows: [...(await sql.query(text, values))] }) }
}

/** By the column's name, because `insert` of pg-boss 12.20 has no option for a group. */
function groupOf(job: Job): { groupId?: string } {
  const installation = installationOf(job)
  return installation === undefined ? {} : { groupId: String(installation) }
}

async function setUp(boss: PgBoss): Promise<void> {
  await boss.start()
  const shared = {
    expireInSeconds: EXPIRE_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: KEEP_DONE_SECONDS,
  }
  const givenUp = { ...shared, ...GIVE_UP_RETRIES }
  const work = { deadLetter: GIVEN_UP, ...shared, ...RETRIES }
  await boss.createQueue(GIVEN_UP, givenUp)
  await boss.createQueue(WORK, { policy: 'short', ...work })
  // Updates queues that an earlier version created.
  await boss.updateQueue(GIVEN_UP, givenUp)
  await boss.updateQueue(WORK, work)
  // Makes pg-boss cache the queues now. Otherwise it would look them up outside a transaction, which an embedded
  // database cannot do during one.
  for (const name of [WORK, GIVEN_UP]) await boss.findJobs(name, { key: 'none' })
}

const ALONE_POLL_MILLIS = 100
const MAX_POLLS = 600

/** Runs `work` under a lock, since replicas that start together would collide while pg-boss creates its schema. */
async function alone(database: Database, work: () => Promise<void>): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const held = await database.exclusively('start of the queue', work)
    if (held.kind === 'done') return
    await new Promise(resolve => setTimeout(resolve, ALONE_POLL_MILLIS))
  }
  throw new Error('Another bot has been starting on this database for a minute. Is it stuck?')
}
