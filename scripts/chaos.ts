/**
 * A storm of pull requests over real processes of the bot on one PostgreSQL, while processes are killed, the database
 * crashes, webhooks come several times in any order, and GitHub answers badly. In the end every pull request must have
 * exactly one right check on its newest commit and at most one comment, no check may hang on any commit, a merge queue must
 * have its check and a command its one answer. Needs PostgreSQL's server programs.
 *
 *     npm run chaos -- --seed 7 --pulls 20 --kills 5
 */
import { mkdtemp } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { type EmulatedGitHub, startGitHub } from '../test/github/index.ts'
import { SeededRandom } from '../test/github/random.ts'
import { PostgresCluster } from './chaos/cluster.ts'
import { disturb } from './chaos/disturbances.ts'
import { type ChaosOptions, readOptions } from './chaos/options.ts'
import { Postman } from './chaos/postman.ts'
import { type Replicas, startReplicas } from './chaos/replicas.ts'
import { settle } from './chaos/settling.ts'
import { createRepositories, tellAll } from './chaos/telling.ts'

const MAX_SHOWN = 20

class Interrupted extends Error {}

const options = readOptions(process.argv.slice(2))
const interrupted = Promise.withResolvers<never>()
// Who waits for it hears of it, however early the signal comes.
interrupted.promise.catch(() => undefined)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interrupted.reject(new Interrupted(`ended by ${signal}`)))
}
const hasPassed = await chaos(options).catch((error: unknown) => {
  if (!(error instanceof Interrupted)) throw error
  console.log(`FAILED: ${error.message}`)
  // The storm would go on without what it rages over.
  process.exit(1)
})
process.exitCode = hasPassed ? 0 : 1

async function chaos(options: ChaosOptions): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-chaos-'))
  await using cluster = await PostgresCluster.start()
  await using github = await startGitHub()
  await using replicas = await startReplicas(options, github, cluster, path.join(folder, 'replicas.log'))
  console.log(`# ${describeMachine()}; ${await cluster.version()}; seed ${options.seed}`)
  process.stderr.write(`The replicas write to ${folder}.\n`)
  return await Promise.race([interrupted.promise, storm(options, github, replicas, cluster)])
}

async function storm(
  options: ChaosOptions,
  github: EmulatedGitHub,
  replicas: Replicas,
  cluster: PostgresCluster,
): Promise<boolean> {
  const started = performance.now()
  // One each, so that what one does leaves the choices of the others alone.
  const chanceOf = (use: number) => new SeededRandom(options.seed * 10 + use)
  const repositories = await createRepositories(github)
  github.storm({ seed: options.seed, probability: options.faults, retryAfterSeconds: 1, maxLatencyMillis: 20 })
  const postman = new Postman({ github, targets: replicas.urls, copies: options.copies, random: chanceOf(1) })
  const [told] = await Promise.all([
    tellAll(options, repositories, chanceOf(3)),
    disturb(
      { replicas: replicas.all, cluster, random: chanceOf(2) },
      { kills: options.kills, crashes: options.restarts },
    ),
  ])
  console.log(`The storm took ${seconds(started)} s.`)

  const settling = performance.now()
  await settle(told, replicas.all, options['settle-seconds'])
  await postman.finish()
  // The last webhooks must not have undone anything.
  const wrong = await settle(told, replicas.all, options['settle-seconds'])
  console.log(`After it, ${seconds(settling)} s passed until nothing changed any more.`)
  printCounts(github, postman, options)
  for (const line of wrong.slice(0, MAX_SHOWN)) console.log(line)
  const right = told.length - wrong.length
  console.log(
    `${wrong.length === 0 ? 'ok' : 'FAILED'}: ${right} of ${told.length} pull requests have exactly one right check and at most one comment`,
  )
  return wrong.length === 0
}

function describeMachine(): string {
  const gib = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length}-core ${process.arch}, ${gib} GiB; Node ${process.versions.node}; ${new Date().toISOString().slice(0, 10)}`
}

function printCounts(github: EmulatedGitHub, postman: Postman, options: ChaosOptions): void {
  const { judged, counts } = github.mishaps
  const met = [...counts].map(([mishap, count]) => `${mishap} ${count}`).join(', ')
  const answers = [...postman.answers].map(([status, count]) => `${status || 'nobody'} ${count}`).join(', ')
  console.log(`${options.kills} kills, ${options.restarts} crashes of the database, ${options.replicas} replicas`)
  console.log(`${github.deliveries.length} webhooks, ${postman.sent} times sent; answered by ${answers}`)
  console.log(`${github.askedAgain.length} of them were asked for again, because nobody had taken them`)
  console.log(`${judged} API calls; met ${met}`)
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0)
}
