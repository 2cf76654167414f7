/** The bot as a web server. */
import { type Logger, Probot, ProbotOctokit, Server } from 'probot'
import { analyze, type RepositorySettings } from '../engine/index.ts'
import { memoryMarkApp } from './app.ts'
import { Deliveries } from './deliveries.ts'
import type { Work } from './github.ts'
import { SerialQueue } from './queue.ts'
import type { Settings } from './settings.ts'

export interface StartOptions {
  readonly log: Logger
  /** `polite` spaces writes and retries as GitHub asks of integrations; `immediate` is for a GitHub of one's own. */
  readonly pace?: 'polite' | 'immediate'
  /** Stands in for the engine. */
  readonly analyze?: Work['analyze']
}

export interface RunningBot extends AsyncDisposable {
  /** Where webhooks go. */
  readonly webhooksUrl: string
  readonly healthUrl: string
  /** Resolves when all accepted work is done. */
  idle(): Promise<void>
  /** Takes no more webhooks and finishes accepted work. */
  stop(): Promise<void>
}

export async function startBot(
  settings: Settings,
  { log, pace = 'polite', ...options }: StartOptions,
): Promise<RunningBot> {
  const queue = new SerialQueue()
  const server = new Server({
    host: settings.host,
    port: settings.port,
    log,
    Probot: Probot.defaults({
      appId: settings.appId,
      privateKey: settings.privateKey,
      secret: settings.webhookSecret,
      baseUrl: settings.apiUrl,
      Octokit: octokitFor(pace),
      log,
    }),
  })
  await server.load(
    memoryMarkApp({
      appId: settings.appId,
      workflowPath: settings.workflowPath,
      analyze:
        options.analyze ??
        ((files, { settings: team, base }) =>
          analyze(files, { settings: withFallback(team, settings), base, now: new Date() })),
      queue,
      deliveries: new Deliveries(),
    }),
  )
  await server.start()
  const origin = `http://${server.host}:${server.port}`
  const stop = async () => {
    await server.stop()
    await queue.idle()
  }
  return {
    webhooksUrl: `${origin}/api/github/webhooks`,
    healthUrl: `${origin}/health`,
    idle: () => queue.idle(),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** What a team leaves open is the operator's to say. */
function withFallback(team: RepositorySettings, { gpu, failOn }: Settings): RepositorySettings {
  return { ...team, gpu: team.gpu ?? gpu?.id, failOn: team.failOn ?? failOn }
}

type OctokitOptions = NonNullable<ConstructorParameters<typeof ProbotOctokit>[0]>

/** Each time as long as GitHub asks. */
const MAX_WAITS = 3

function octokitFor(pace: 'polite' | 'immediate'): typeof ProbotOctokit {
  // A function, because Probot's own options would override an object.
  return ProbotOctokit.plugin(pinApiVersion).defaults((options: OctokitOptions) =>
    pace === 'polite'
      ? { ...options, throttle: { ...options.throttle, onSecondaryRateLimit: waitOut } }
      : { ...options, throttle: { ...options.throttle, enabled: false }, retry: { enabled: false } },
  )
}

/** Probot gives up on a secondary limit, which would leave a check pending. */
function waitOut(_afterSeconds: number, _request: object, _octokit: object, retryCount: number): boolean {
  return retryCount < MAX_WAITS
}

function pinApiVersion(octokit: Pick<ProbotOctokit, 'hook'>): void {
  octokit.hook.before('request', request => {
    request.headers['x-github-api-version'] = '2022-11-28'
  })
}
