/** The bot's bundle in one process throughout, with pull requests from forks on the emulated GitHub. */
import type { EmulatedGitHub } from '../../test/github/index.ts'
import type { BotProcess } from '../demo/bot-process.ts'
import { AttackedRepositories } from './attacked-repositories.ts'
import { endOfCheck } from './checks.ts'
import { ProcessTree, residentMib } from './process-tree.ts'
import type { Surface } from './surface.ts'

/**
 * `bot` remains the caller's. What its processes hold before the first input is not counted: the warm processes for analyses, and
 * the embedded database where it has one. All that they hold more at any time later is, whichever input it came from.
 */
export async function attackedBot(github: EmulatedGitHub, bot: BotProcess): Promise<Surface> {
  const repositories = await AttackedRepositories.create(github, 'bot')
  const tree = new ProcessTree(bot.pid)
  const restMib = residentMib(bot.pid)
  console.log(`The bot's processes hold ${restMib.toFixed(0)} MiB at rest.`)
  return {
    name: 'bot',
    async answer(inputs) {
      tree.takePeakMib()
      const { millis, runs } = await endOfCheck(github, await repositories.open(inputs, { fork: true }))
      const fault = !bot.isRunning
        ? 'the bot ended'
        : millis === Number.POSITIVE_INFINITY
          ? 'its check does not end'
          : runs.length > 1
            ? `${runs.length} checks`
            : undefined
      return { millis, peakMib: tree.takePeakMib() - restMib, ...(fault !== undefined && { fault }) }
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  }
}
