/**
 * How soon the bot acknowledges signed webhooks while its workers are busy, on the embedded database and on PostgreSQL, and
 * whether its memory stays bounded. PostgreSQL is a temporary server of this machine, and is skipped by name where none is
 * installed.
 *
 * Fails when the 99th percentile at 200 a second is 50 ms or more, when one is refused, when the workers were idle, or when
 * memory grows over the second half of 100,000 deliveries by more than 15 %.
 */
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { hasPostgres, PostgresCluster } from '../scripts/chaos/cluster.ts'
import { stubGitHub } from './bot/github.ts'
import { type Answers, send } from './bot/load.ts'
import { BotProcess } from './bot/process.ts'

const PER_SECOND = 200
const SECONDS = 30
const WARM_UP_SECONDS = 5
const MAX_P99_MILLIS = 50
const MANY = 100_000
const SLICES = 20
const MAX_GROWTH_PERCENT = 15
const PULLS = 2_000
const INSTALLATIONS = 20
const MIB = 2 ** 20

interface Figures {
  readonly database: string
  readonly p99Millis: number
  readonly refused: number
  readonly checks: number
  readonly growthPercent: number
  readonly peakMib: number
}

console.log(`a server that only answers, at the same rate on this machine as busy as it is now: ${await reference()}`)
const figures: Figures[] = []
{
  await using folder = await mkdtempDisposable(`${tmpdir()}/memorymark-bench-`)
  figures.push(await measure('embedded', folder.path))
}
if (hasPostgres) {
  await using cluster = await PostgresCluster.start()
  figures.push(await measure('PostgreSQL', cluster.url))
} else {
  console.log('PostgreSQL: skipped, no initdb is installed')
}
const passed = figures.every(isGood)
console.log(
  `${passed ? 'ok' : 'FAILED'}: acknowledged at ${PER_SECOND} a second with p99 ${figures.map(told).join(', ')} (limit ${MAX_P99_MILLIS} ms, growth ${MAX_GROWTH_PERCENT} %)`,
)
process.exitCode = passed ? 0 : 1

/** Parts of the figures caused by the machine and the load generator. */
async function reference(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(202).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const target = { url: `http://127.0.0.1:${port}/`, secret: 'none' }
  const load = { perSecond: PER_SECOND, pulls: PULLS, installations: INSTALLATIONS }
  const answers = await send(target, { ...load, deliveries: PER_SECOND * WARM_UP_SECONDS })
  server.close()
  return `p50 ${percentile(answers, 50).toFixed(1)}, p99 ${percentile(answers, 99).toFixed(1)} ms`
}

async function measure(database: string, databaseUrl: string): Promise<Figures> {
  await using github = await stubGitHub()
  await using bot = await BotProcess.start({ apiUrl: github.url, databaseUrl })
  const load = { perSecond: PER_SECOND, pulls: PULLS, installations: INSTALLATIONS }
  await send(bot.target, { ...load, deliveries: PER_SECOND * WARM_UP_SECONDS })
  const before = github.checks()
  const answers = await send(bot.target, { ...load, deliveries: PER_SECOND * SECONDS })
  const checks = github.checks() - before
  console.log(
    `${database}: ${answers.millis.length} in ${answers.seconds.toFixed(1)} s; p50 ${percentile(answers, 50).toFixed(1)}, p99 ${percentile(answers, 99).toFixed(1)}, most ${percentile(answers, 100).toFixed(1)} ms; ${checks} checks written meanwhile`,
  )
  const resident: number[] = []
  let refused = answers.refused
  const begin = performance.now()
  for (let slice = 0; slice < SLICES; slice += 1) {
    const sent = await send(bot.target, { ...load, perSecond: undefined, deliveries: MANY / SLICES })
    refused += sent.refused
    resident.push(await bot.residentBytes())
  }
  const rate = MANY / ((performance.now() - begin) / 1_000)
  console.log(
    `${database}: ${MANY} deliveries at ${rate.toFixed(0)} a second; resident MiB ${resident.map(bytes => (bytes / MIB).toFixed(0)).join(' ')}`,
  )
  return {
    database,
    p99Millis: percentile(answers, 99),
    refused,
    checks,
    growthPercent: growth(resident),
    peakMib: Math.max(...resident) / MIB,
  }
}

function isGood({ p99Millis, refused, checks, growthPercent }: Figures): boolean {
  return p99Millis < MAX_P99_MILLIS && refused === 0 && checks > 0 && growthPercent <= MAX_GROWTH_PERCENT
}

function told({ database, p99Millis, refused, growthPercent, peakMib }: Figures): string {
  return `${p99Millis.toFixed(1)} ms on ${database} (${refused} refused; at most ${peakMib.toFixed(0)} MiB, growth ${growthPercent.toFixed(0)} %)`
}

function percentile({ millis }: Answers, percent: number): number {
  return millis[Math.min(millis.length - 1, Math.floor((millis.length * percent) / 100))] ?? Number.POSITIVE_INFINITY
}

/**
 * Growth in the second half, from the maximum of each quarter, because resident memory fluctuates with garbage
 * collection.
 */
function growth(resident: readonly number[]): number {
  const quarter = Math.floor(resident.length / 4)
  const third = Math.max(...resident.slice(2 * quarter, 3 * quarter))
  const last = Math.max(...resident.slice(3 * quarter))
  return (last / third - 1) * 100
}
