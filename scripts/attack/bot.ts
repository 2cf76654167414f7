/** The bot's bundle in one process throughout, with pull requests from forks on the emulated GitHub. */
import type { EmulatedGitHub } from '../../test/github/index.ts'
import type { BotProcess } from '../demo/bot-process.ts'
import { AttackedRepositories } from './attacked-repositories.ts'
import { endOfCheck } from './checks.ts'
import { ProcessTree, residentMib, residentMibOfLargestChild } from './process-tree.ts'
import type { Surface } from './surface.ts'

/**
 * `bot` remains the caller's. Its memory is that of the largest of its processes, at any time since the start: the one that serves,
 * and those that analyse, of which it keeps as many as there are cores. `databaseMib` of the one that serves are not counted.
 */
export async function attackedBot(github: EmulatedGitHub, bot: BotProcess, databaseMib: number): Promise<Surface> {
  const repositories = await AttackedRepositories.create(github, 'bot')
  const tree = new ProcessTree(bot.pid, root =>
    Math.max(residentMib(root) - databaseMib, residentMibOfLargestChild(root)),
  )
  return {
    name: 'bot',
    async answer(inputs) {
      tree.takePeakMib()
      tree.takeCpuMillis()
      const { millis, runs } = await endOfCheck(github, await repositories.open(inputs, { fork: true }))
      const fault = !bot.isRunning
        ? 'the bot ended'
        : millis === Number.POSITIVE_INFINITY
          ? 'its check does not end'
          : runs.length > 1
            ? `${runs.length} checks`
            : undefined
      const figures = { millis, cpuMillis: tree.takeCpuMillis(), peakMib: tree.takePeakMib() }
      return { ...figures, ...(fault !== undefined && { fault }) }
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  }
}
