/** The Action's bundle in its mode `check`, each time in a new process, with a pull request of the emulated GitHub. */
import type { BundledAction } from '../../test/action/run-action.ts'
import type { EmulatedGitHub } from '../../test/github/index.ts'
import { AttackedRepositories } from './attacked-repositories.ts'
import { stackIn } from './command-line.ts'
import { ProcessTree } from './process-tree.ts'
import { GIVE_UP_MILLIS, type Surface } from './surface.ts'

/** `action` remains the caller's. */
export async function attackedAction(github: EmulatedGitHub, action: BundledAction): Promise<Surface> {
  const token = await github.actionsToken()
  const repositories = await AttackedRepositories.create(github, 'action')
  return {
    name: 'Action',
    async answer(inputs) {
      const { repository } = await repositories.open(inputs, { fork: false })
      let tree: ProcessTree | undefined
      let begun = performance.now()
      let giveUp: NodeJS.Timeout | undefined
      try {
        const { exitCode, log, errors, report } = await action.run({
          github,
          repository,
          token,
          onStart: ({ pid = 0 }) => {
            begun = performance.now()
            const started = new ProcessTree(pid)
            tree = started
            giveUp = setTimeout(() => started.kill(), GIVE_UP_MILLIS)
          },
        })
        const millis = performance.now() - begun
        const cpuMillis = tree?.takeCpuMillis() ?? 0
        const peakMib = tree?.takePeakMib() ?? 0
        const survivors = (await tree?.survivors()) ?? 0
        const fault =
          exitCode === null || exitCode > 1
            ? `ended with ${exitCode ?? 'a signal'}`
            : report === undefined
              ? 'left no report'
              : survivors > 0
                ? `left ${survivors} processes behind`
                : stackIn(log + errors)
        return { millis, cpuMillis, peakMib, ...(fault !== undefined && { fault }) }
      } finally {
        clearTimeout(giveUp)
        await tree?.[Symbol.asyncDispose]()
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
