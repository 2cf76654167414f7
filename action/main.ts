/** The Action: reads the event, determines what to check, and runs the mode. */
import * as core from '@actions/core'
import { describeSubject, type EventSubject, readSubject } from './event.ts'
import { failureMessage } from './failure.ts'
import { type Mode, readMode } from './mode.ts'
import { type RunContext, readRunContext } from './run-context.ts'
import { unusedInputs } from './unused-inputs.ts'

/** Each mode's code is loaded only when used, so that a check starts fast. */
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
