/** The processes that share the work. */
import type { EmulatedGitHub } from '../../test/github/index.ts'
import type { PostgresCluster } from './cluster.ts'
import type { ChaosOptions } from './options.ts'
import { Replica } from './replica.ts'

export interface Replicas extends AsyncDisposable {
  readonly all: readonly [Replica, ...Replica[]]
  readonly urls: readonly [string, ...string[]]
}

export async function startReplicas(
  options: ChaosOptions,
  github: EmulatedGitHub,
  cluster: PostgresCluster,
  logFile: string,
): Promise<Replicas> {
  const start = () =>
    Replica.start({ app: github.app, apiUrl: github.url, databaseUrl: cluster.url, logFile, environment: {} })
  // One after the other: the first migrates the database.
  const first = await start()
  const others: Replica[] = []
  for (let count = 1; count < options.replicas; count += 1) others.push(await start())
  return {
    all: [first, ...others],
    urls: [first.webhooksUrl, ...others.map(({ webhooksUrl }) => webhooksUrl)],
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first, ...others].map(replica => replica[Symbol.asyncDispose]()))
    },
  }
}
