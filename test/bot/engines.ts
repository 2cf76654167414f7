/** Engines for tests: the process of one takes two seconds of CPU to start, so bots that run one after the other hand one on. */
import { IsolatedEngine, processesFor } from '../../engine/index.ts'

const idle: LentEngine[] = []

class LentEngine extends IsolatedEngine {
  #log: (text: string) => void = () => {}

  constructor() {
    super({ processes: processesFor(2), log: text => this.#log(text) })
  }

  logTo(log: (text: string) => void): this {
    this.#log = log
    return this
  }

  /** By the bot that has it, when nothing runs there any more: its processes stay for the next. */
  override async [Symbol.asyncDispose](): Promise<void> {
    if (!idle.includes(this)) idle.push(this)
  }
}

/** Its processes end with the test's own. */
export function lendEngine(log: (text: string) => void): IsolatedEngine {
  return (idle.pop() ?? new LentEngine()).logTo(log)
}
