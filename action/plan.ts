/** `mode: plan`: outputs a matrix of configs and GPUs for the jobs that sweep. */
import * as core from '@actions/core'
import { noSettings, settingsFor } from '../engine/settings/settings.ts'
import { limitsFor } from './analysis-process.ts'
import type { EventSubject } from './event.ts'
import { gather } from './gather.ts'
import { openJob } from './job.ts'
import { planSweeps } from './matrix.ts'
import { setOutputs } from './publish.ts'
import type { RunContext } from './run-context.ts'
import { readRunners } from './runners.ts'

export async function plan(run: RunContext, event: EventSubject): Promise<void> {
  const job = await openJob(run, event)
  if (job === undefined) return setOutputs(matrixOutputs([]))
  const { files, options, remarks } = await gather(job)
  // The base does not affect what is to be measured.
  const { base: _, ...terms } = options
  const report = await job.engine.analyze(files, { ...terms, ...limitsFor(job.subject) })
  const { gpu, settings = noSettings } = options
  const runners = readRunners(name => core.getInput(name), settings.gpus)
  const isSettled = (path: string) => (gpu ?? settingsFor(path, settings).gpu) !== undefined
  const planned = planSweeps(report, runners, isSettled)
  for (const remark of [...remarks, ...planned.remarks]) core.warning(remark)
  for (const { config, gpu: id } of planned.include) core.info(`To sweep on ${id}: ${JSON.stringify(config)}`)
  core.info(`${planned.include.length} sweeps are planned for ${report.configs.length} training configs.`)
  setOutputs({ ...matrixOutputs(planned.include), configs: String(report.configs.length) })
}

function matrixOutputs(include: ReturnType<typeof planSweeps>['include']): Record<string, string> {
  return { matrix: JSON.stringify({ include }), any: String(include.length > 0) }
}
