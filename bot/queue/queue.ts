/** The durable queue: pg-boss on the bot's own database. What is sent in a transaction is there when it commits. */
import { type Db, PgBoss } from 'pg-boss'
import * as z from 'zod'
import type { Database, Row, Sql } from '../store/database.ts'
import { storable } from '../store/storable.ts'
import { installationOf, type Job, job as jobSchema, keyOf } from './jobs.ts'

const SCHEMA = 'memorymark_queue'
const WORK = 'work'
const GIVEN_UP = 'given-up'

/** Seconds without a sign of life after which a worker counts as dead; pg-boss allows no less. */
const HEARTBEAT_SECONDS = 10
const LOOK_FOR_DEAD_SECONDS = 3

/** A job that takes longer is stuck. */
const EXPIRE_SECONDS = 300

/** Twelve tries over about half an hour: GitHub's outages are mostly shorter. */
const RETRIES = { retryLimit: 12, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 } as const

/** Telling people that we gave up is tried for a day. */
const GIVE_UP_RETRIES = { retryLimit: 100, retryDelay: 30, retryBackoff: true, retryDelayMax: 900 } as const

const IDLE_POLL_MILLIS = 20

/** What is done stays an hour for the metrics to see. */
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

  /** One while it waits: a second job with the same key changes nothing. */
  async send(
    jobs: readonly Job[],
    { sql, afterSeconds = 0 }: { sql?: Sql; afterSeconds?: number } = {},
  ): Promise<void> {
    if (jobs.length === 0) return
    // In one order everywhere: transactions that send the same jobs wait for each other, and must not do so in a circle.
    const inserts = jobs
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map(job => ({
        data: storable(job),
        singletonKey: keyOf(job),
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

  /** What was to be repeated for an installation that is gone. */
  async forgetSchedules(installationId: number): Promise<void> {
    for (const { name, key, data } of await this.#boss.getSchedules()) {
      const parsed = jobSchema.safeParse(data)
      if (name === WORK && parsed.success && installationOf(parsed.data) === installationId)
        await this.#boss.unschedule(WORK, key)
    }
  }

  /** At most `perInstallation` of one installation run at a time, over all replicas. Never throws: no database, no jobs. */
  async take(limit: number, perInstallation: number): Promise<readonly Taken[]> {
    const jobs = await this.#boss.fetch(WORK, { batchSize: limit, groupConcurrency: perInstallation })
    return this.#understood(jobs.map(from(WORK)))
  }

  /** Jobs that failed too often and wait for somebody to say so. */
  async takeGivenUp(limit: number): Promise<readonly Taken[]> {
    return this.#understood((await this.#boss.fetch(GIVEN_UP, { batchSize: limit })).map(from(GIVEN_UP)))
  }

  /** A job of another version of us that this one does not know is dropped: reconciling finds what it was about. */
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
  }

  /** Tried again later, or given up. `error` is kept with the job, by its message alone. */
  async fail({ queue, id }: Taken, error: Error): Promise<void> {
    await this.#boss.fail(queue, id, storable({ message: error.message }))
  }

  /** The job goes back to wait, and that is no failure. */
  async postpone({ queue, id, job }: Taken, afterSeconds: number): Promise<void> {
    await this.#database.transaction(async sql => {
      await this.#boss.complete(queue, id, null, { db: inTransaction(sql) })
      await this.send([job], { sql, afterSeconds })
    })
  }

  /** How many jobs there are in each state, and how long the oldest one that may run has waited. */
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

  /** Resolves when no job waits or runs, those included that come back within a minute. For tests and benches. */
  async idle(): Promise<void> {
    while ((await this.#open()) > 0) await new Promise(resolve => setTimeout(resolve, IDLE_POLL_MILLIS))
  }

  async #open(): Promise<number> {
    const rows = await this.#database.query(
      `SELECT count(*)::int AS jobs FROM ${SCHEMA}.job
       WHERE name = ANY($1) AND state < 'completed' AND start_after < now() + interval '1 minute'`,
      [[WORK, GIVEN_UP]],
    )
    return openRow.parse(rows[0]).jobs
  }

  /** Takes nothing more; jobs that are still held are the holder's to return. */
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

/** By the column's name: `insert` of pg-boss 12.20 passes on what it is given and knows no `group`. */
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
  // For queues that an earlier version made.
  await boss.updateQueue(GIVEN_UP, givenUp)
  await boss.updateQueue(WORK, work)
  // Otherwise pg-boss would look the queues up outside a transaction, which an embedded database cannot do during one.
  for (const name of [WORK, GIVEN_UP]) await boss.findJobs(name, { key: 'none' })
}

const ALONE_POLL_MILLIS = 100
const MAX_POLLS = 600

/** Replicas that start at once would trip over each other where pg-boss makes its schema. */
async function alone(database: Database, work: () => Promise<void>): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const held = await database.exclusively('start of the queue', work)
    if (held.kind === 'done') return
    await new Promise(resolve => setTimeout(resolve, ALONE_POLL_MILLIS))
  }
  throw new Error('Another bot has been starting on this database for a minute. Is it stuck?')
}
