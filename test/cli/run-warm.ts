/** Runs commands in a process that has run others before: most of what a command takes is its start. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { sharedWarmCommand } from '../shared-builds.ts'
import type { CommandOrder, Run } from './warm-commands.ts'

/** Of this worker of Vitest. */
let warm: WarmCommands | undefined
let last: Promise<unknown> = Promise.resolve()

/** One after another. Rejects where the command ends the process. */
export function runWarm(order: Omit<CommandOrder, 'script'>): Promise<Run> {
  const turn = last.then(async () => {
    const script = await sharedWarmCommand()
    if (warm?.isAlive !== true) warm = new WarmCommands(order.environment)
    return warm.run({ ...order, script })
  })
  last = turn.catch(() => {})
  return turn
}

class WarmCommands {
  readonly #process: ChildProcess
  #running = Promise.withResolvers<Run>()
  isAlive = true

  constructor(env: NodeJS.ProcessEnv) {
    this.#process = fork(path.join(import.meta.dirname, 'warm-commands.ts'), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env,
      // No terminal, as where a test starts a command.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    let fault = ''
    this.#process.stderr?.on('data', chunk => {
      fault += chunk
    })
    this.#process.on('message', (run: Run) => this.#running.resolve(run))
    this.#process.on('close', code => {
      this.isAlive = false
      this.#running.reject(new Error(`A command ended its process with ${code}: ${fault}`))
    })
  }

  run(order: CommandOrder): Promise<Run> {
    this.#running = Promise.withResolvers<Run>()
    this.#process.send(order)
    return this.#running.promise
  }
}
