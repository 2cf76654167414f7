/** `mode: check`: judges the configs by estimates, on any runner. */
import { limitsFor } from './analysis-process.ts'
import type { EventSubject } from './event.ts'
import { gather } from './gather.ts'
import { openJob } from './job.ts'
import { publish, publishNothing } from './publish.ts'
import type { RunContext } from './run-context.ts'

export async function check(run: RunContext, event: EventSubject): Promise<void> {
  const job = await openJob(run, event)
  if (job === undefined) return publishNothing()
  const { files, options, remarks } = await gather(job)
  const report = await job.engine.analyze(files, { ...options, ...limitsFor(job.subject) })
  await publish(job, await job.engine.withLevers(report, files, options), { remarks })
}
