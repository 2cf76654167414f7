/** The Action: what the runner tells of its run → what is to be looked at → the mode that looks. */
import * as core from '@actions/core'
import { describeSubject, type EventSubject, readSubject } from './event.ts'
import { failureMessage } from './failure.ts'
import { type Mode, readMode } from './mode.ts'
import { type RunContext, readRunContext } from './run-context.ts'
import { unusedInputs } from './unused-inputs.ts'

/** A mode's code is loaded when it is asked for: a check starts as fast as if there were no other. */
const runners: Record<Mode, () => Promise<(run: RunContext, event: EventSubject) => Promise<void>>> = {
  check: async () => (await import('./check.ts')).check,
  sweep: async () => (await import('./sweep.ts')).sweep,
  plan: async () => (await import('./plan.ts')).plan,
  report: async () => (await import('./report.ts')).report,
}

try {
  const mode = readMode(core.getInput('mode'))
  const run = readRunContext(process.env)
  const event = readSubject(run)
  core.info(`MemoryMark (${mode}) looks at ${describeSubject(event)}.`)
  for (const sentence of unusedInputs(mode, name => core.getInput(name))) core.warning(sentence)
  const runMode = await runners[mode]()
  await runMode(run, event)
} catch (error) {
  core.setFailed(failureMessage(error))
}
