/**
 * Inputs that are meant to stop MemoryMark, against the command line, the Action's bundle and the bot's bundle beside an emulated
 * GitHub, while honest pull requests keep coming: the cases that once did, and one for each field of each tool's configs, of
 * config.json and of .github/memorymark.yml with each kind of hostile value. Runs what `npm run build` has built.
 *
 *     npm run attack                              # all of them
 *     npm run attack -- --short                   # the named ones and a sample of the rest, at most two minutes
 *     npm run attack -- --on bot --match layers   # on one surface, by name
 *     npm run attack -- --on bot --round 3        # one of the rounds that the Action and the bot take
 *     npm run attack -- --busy                    # time is CPU time, on a machine that does other things too
 *
 * The bot keeps its data in a temporary PostgreSQL where one is installed, else in its embedded database.
 *
 * Fails when an input is not answered within 3 s (the fastest of three tries counts) and 400 MiB, an honest pull request not within
 * 5 s, or /health not within 250 ms.
 */
import { setMaxListeners } from 'node:events'
import { BundledAction } from '../test/action/run-action.ts'
import { startGitHub } from '../test/github/index.ts'
import { attackedAction } from './attack/action.ts'
import { attackedBot } from './attack/bot.ts'
import { checking, onOneConfig } from './attack/command-line.ts'
import { flood } from './attack/flood.ts'
import { HealthPoll } from './attack/health.ts'
import { HonestStream } from './attack/honest.ts'
import type { HostileInput } from './attack/input.ts'
import { hostileInputs, shareOf } from './attack/inputs.ts'
import { type AttackTerms, attack, type Miss, roundsOf } from './attack/one-by-one.ts'
import { type AttackOptions, readOptions } from './attack/options.ts'
import { residentMib } from './attack/process-tree.ts'
import { LIMITS } from './attack/surface.ts'
import { hasPostgres, PostgresCluster } from './chaos/cluster.ts'
import { BotProcess } from './demo/bot-process.ts'

/**
 * Each round has a GitHub and a bot of its own: an installation has 5,000 calls an hour, and the bot keeps to them. The honest
 * pull requests take half of them where a machine is slow.
 */
const ROUND_ANSWERS = 80

const interruption = new AbortController()
setMaxListeners(0, interruption.signal)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interruption.abort(new Error(`ended by ${signal}`)))
}
const options = readOptions(process.argv.slice(2))
const hasPassed = await run(options, interruption.signal).catch((error: unknown) => {
  if (!interruption.signal.aborted) throw error
  console.log(`FAILED: ${interruption.signal.reason.message}`)
  return false
})
process.exitCode = hasPassed ? 0 : 1

async function run({ clock, match, on, round, stride }: AttackOptions, signal: AbortSignal): Promise<boolean> {
  const terms = { signal, clock }
  const all = hostileInputs(stride).filter(({ name }) => name.includes(match))
  const rounds = roundsOf(all, ROUND_ANSWERS).map((inputs, index) => ({ inputs, name: `round ${index + 1}`, index }))
  const chosen = rounds.filter(({ index }) => round === undefined || index === round - 1)
  if (chosen.length === 0) throw new Error(`--match and --round leave nothing: there are ${rounds.length} rounds.`)
  const inputs = chosen.flatMap(one => one.inputs)
  const misses: Miss[] = []
  const others: string[] = []
  if (on.includes('cli')) misses.push(...(await attackCommandLine(inputs, terms)))
  if (on.includes('action')) {
    await using action = await BundledAction.build()
    for (const { inputs, name } of chosen) {
      console.log(`Action, ${name} of ${rounds.length}`)
      misses.push(...(await attackAction(action, inputs, terms)))
    }
  }
  for (const { inputs, name, index } of on.includes('bot') ? chosen : []) {
    console.log(`bot, ${name} of ${rounds.length}`)
    const { hostile, honest } = await attackBot(inputs, terms, { isFlooded: index === 0 })
    misses.push(...hostile)
    others.push(...honest)
  }
  const answered = inputs.length - new Set(misses.map(({ input }) => input)).size
  const isWell = misses.length === 0 && others.length === 0
  for (const { input, words } of misses) console.log(`${input.name}: ${words}`)
  for (const sentence of others) console.log(sentence)
  const throughout = !on.includes('bot')
    ? 'the bot was left out'
    : clock === 'cpu'
      ? 'honest pull requests were answered rightly throughout'
      : `honest pull requests answered within ${LIMITS.honestMillis / 1_000} s throughout; /health within ${LIMITS.healthMillis} ms`
  console.log(
    `${isWell ? 'ok' : 'FAILED'}: ${answered} of ${inputs.length} hostile inputs answered within ${(clock === 'cpu' ? LIMITS.cpuMillis : LIMITS.answerMillis) / 1_000} s${clock === 'cpu' ? ' of CPU time' : ''} and ${LIMITS.peakMib} MiB; ${others.length === 0 ? throughout : `${others.length} misses besides`}`,
  )
  return isWell
}

async function attackCommandLine(inputs: readonly HostileInput[], terms: AttackTerms): Promise<readonly Miss[]> {
  const misses = [...(await attack(checking, inputs, terms))]
  for (const [index, surface] of onOneConfig.entries()) {
    const share = shareOf(inputs, index, onOneConfig.length)
    misses.push(...(await attack(surface, share, { ...terms, atOnce: 1 })))
  }
  return misses
}

async function attackAction(
  action: BundledAction,
  inputs: readonly HostileInput[],
  terms: AttackTerms,
): Promise<readonly Miss[]> {
  await using github = await startGitHub()
  await using surface = await attackedAction(github, action)
  return await attack(surface, inputs, terms)
}

/** `honest`: what is wrong with other pull requests and /health, one sentence each. */
async function attackBot(
  inputs: readonly HostileInput[],
  terms: AttackTerms,
  { isFlooded }: { readonly isFlooded: boolean },
) {
  await using cluster = hasPostgres ? await PostgresCluster.start() : undefined
  await using github = await startGitHub()
  await using bot = await BotProcess.start({
    app: github.app,
    apiUrl: github.url,
    signal: terms.signal,
    ...(cluster && { databaseUrl: cluster.url }),
  })
  github.sendWebhooksTo(bot.webhooksUrl)
  // The embedded database, which runs in the same process, holds several times what the bot does.
  const databaseMib = cluster === undefined ? residentMib(bot.pid) : 0
  await using surface = await attackedBot(github, bot, databaseMib)
  await using health = new HealthPoll(`${bot.origin}/health`)
  const stream = HonestStream.start(github, terms.clock)
  const floodFaults = isFlooded ? await flood(bot, databaseMib) : []
  const hostile = await attack(surface, inputs, terms).finally(() => stream.finish())
  const honest = await stream.finish()
  const { count, slowestMillis, failed } = health.answers
  console.log(
    `${honest.count} honest pull requests, the slowest answered after ${(honest.slowestMillis / 1_000).toFixed(1)} s; ${count} answers on /health, the slowest after ${slowestMillis.toFixed(0)} ms`,
  )
  const isSlow = terms.clock === 'wall' && (count === 0 || slowestMillis > LIMITS.healthMillis)
  const faults = [
    ...floodFaults,
    ...honest.misses,
    ...(honest.count === 0 ? ['no honest pull request was answered'] : []),
    ...(failed === 0 ? [] : [`/health failed ${failed} of ${count} times`]),
    ...(isSlow ? [`/health answered after ${slowestMillis.toFixed(0)} ms`] : []),
  ]
  return { hostile, honest: faults }
}
