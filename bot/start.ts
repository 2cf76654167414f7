/** Starts the bot: database, queue, workers, web server. */
import type { Logger } from 'probot'
import { createHub, IsolatedEngine, processesFor } from '../engine/index.ts'
import { builtAssets } from '../server/dashboard/assets.ts'
import { dashboard } from '../server/dashboard/routes.ts'
import { type MountedServer, mount } from '../server/mount.ts'
import type { Analyze } from './github.ts'
import { Health } from './health.ts'
import { listen } from './http.ts'
import { connectGitHubApp } from './installation.ts'
import { Metrics } from './metrics.ts'
import { Performer } from './perform.ts'
import type { Job } from './queue/jobs.ts'
import { Queue } from './queue/queue.ts'
import { Workers } from './queue/workers.ts'
import { KeptRepositories } from './reports/repositories.ts'
import type { Settings } from './settings.ts'
import type { Database } from './store/database.ts'
import { openDatabase } from './store/open.ts'
import { Inbox } from './webhooks/inbox.ts'
import { openBodies, receiveWebhook, WEBHOOK_PATH } from './webhooks/receive.ts'

export interface StartOptions {
  readonly log: Logger
  /** Replaces the engine's `analyze` in tests. */
  readonly analyze?: Analyze
  /** Replaces the engine that the bot creates. The bot disposes of it. */
  readonly engine?: IsolatedEngine
  /** An open database instead of the settings' one; the bot does not close it. */
  readonly database?: Database
  /** True by default. If false, nothing runs on a timer, so that tests can count what an event causes. */
  readonly keepsHouse?: boolean
}

export interface RunningBot extends AsyncDisposable {
  readonly origin: string
  /** The address for webhooks. */
  readonly webhooksUrl: string
  readonly healthUrl: string
  /** Enqueues a job. */
  send(job: Job): Promise<void>
  /** Resolves when no job is waiting, running or due within a minute. */
  idle(): Promise<void>
  /** Accepts no more webhooks, finishes running jobs and leaves the rest to the next start. */
  stop(): Promise<void>
}

/** Jobs that run at once; they mostly wait for GitHub. */
const CONCURRENCY = 8

/** Half of them, so that there is always room for another installation. */
const PER_INSTALLATION = 4

/** Less than the 30 seconds that most platforms allow before they kill a process. */
const STOP_MILLIS = 20_000

export async function startBot(settings: Settings, { log, ...options }: StartOptions): Promise<RunningBot> {
  const onError = (error: Error) => log.error({ err: error }, 'The database or the queue reports an error')
  const database = options.database ?? (await openDatabase(settings.database, onError))
  const queue = await Queue.start({ database, onError })
  const metrics = new Metrics(queue)
  const app = await connectGitHubApp({ ...settings, log, onCall: call => metrics.call(call) })
  const engine =
    options.engine ?? new IsolatedEngine({ processes: processesFor(CONCURRENCY), log: text => log.warn(text) })
  if (options.analyze === undefined) engine.warmUp()
  const performer = new Performer({
    app,
    appId: settings.appId,
    analyze:
      options.analyze ?? ((files, circumstances) => engine.analyze(files, { ...circumstances, now: new Date() })),
    engine,
    hub: settings.hub && createHub(settings.hub),
    defaults: settings,
    metrics,
    database,
    queue,
    log,
    workflowPath: settings.workflowPath,
    retention: settings.retention,
  })
  const workers = new Workers({
    queue,
    perform: (job, signal) => performer.perform(job, signal),
    giveUp: (job, signal) => performer.giveUp(job, signal),
    log,
    metrics,
    concurrency: CONCURRENCY,
    perInstallation: PER_INSTALLATION,
  })
  const inbox = new Inbox(database, queue)
  const bodies = openBodies()
  const api = apiFor(settings, database, log)
  let isStopping = false
  const health = new Health({ database, metrics, isStopping: () => isStopping })
  const server = await listen(
    [
      (request, response) =>
        receiveWebhook(request, response, {
          inbox,
          bodies,
          log,
          verify: app.verify,
          onAnswered: (answer, event) => metrics.delivery(event, answer),
        }),
      (request, response) => health.answer(request, response),
      async (request, response) => (await api?.handle(request, response)) ?? false,
    ],
    { host: settings.host, port: settings.port, log },
  )
  workers.start()
  if (options.keepsHouse ?? true) await keepHouse(queue)
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    // Ends event streams, for which the server would otherwise wait.
    await api?.[Symbol.asyncDispose]()
    await server.close()
    await workers.stop(STOP_MILLIS)
    await engine[Symbol.asyncDispose]()
    await queue.stop()
    if (options.database === undefined) await database[Symbol.asyncDispose]()
  }
  return {
    origin: server.origin,
    webhooksUrl: `${server.origin}${WEBHOOK_PATH}`,
    healthUrl: `${server.origin}/health`,
    send: job => queue.send([job]),
    idle: () => queue.idle(),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The REST API and the pages. A token is required, because the stored data is from private repositories. */
function apiFor({ apiToken, gpu, hub }: Settings, database: Database, log: Logger): MountedServer | undefined {
  if (apiToken === undefined) return undefined
  return mount({
    token: apiToken,
    asksHub: hub !== undefined,
    repositories: new KeptRepositories(database),
    pages: dashboard(builtAssets()),
    log: text => log.error(text),
    ...(gpu !== undefined && { gpu }),
  })
}

async function keepHouse(queue: Queue): Promise<void> {
  await queue.repeat({ kind: 'deadlines' }, '* * * * *')
  await queue.repeat({ kind: 'redelivery' }, '* * * * *')
  await queue.repeat({ kind: 'reconcile', scope: 'active' }, '*/10 * * * *')
  await queue.repeat({ kind: 'housekeeping' }, '0 3 * * *')
  await queue.send([{ kind: 'deadlines' }, { kind: 'reconcile', scope: 'all' }])
}
