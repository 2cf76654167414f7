/** `mode: sweep`: measures the configs on this runner. They are read as data; no code of a pull request is run. */
import path from 'node:path'
import * as core from '@actions/core'
import { INTERRUPTED, Interruption } from '../engine/base/interruption.ts'
import { tracingUpgrades } from '../engine/change/traced-upgrade.ts'
import { analyze, type Report } from '../engine/index.ts'
import { type Entrypoint, measuring } from '../engine/measure.ts'
import { trialLine } from '../engine/render/trial-line.ts'
import { trustedEntrypoint } from './entrypoint.ts'
import type { EventSubject } from './event.ts'
import { gather, gatherOne } from './gather.ts'
import { type Job, openJob } from './job.ts'
import { KeptTrialsFolder } from './kept-trials-folder.ts'
import { publish, publishNothing } from './publish.ts'
import type { RunContext } from './run-context.ts'
import { readSweepInputs, type SweepInputs } from './sweep-inputs.ts'

/**
 * Milliseconds to clean up. A cancelling runner sends SIGINT, after 7.5 s SIGTERM, and 2.5 s later kills what is left.
 * Needed for work that cannot be interrupted, such as a starting interpreter.
 */
const GRACE_MILLIS = 2_000

export async function sweep(run: RunContext, event: EventSubject): Promise<void> {
  const inputs = readSweepInputs(name => core.getInput(name))
  const job = await openJob(run, event)
  if (job === undefined) return publishNothing()
  const entrypoint =
    inputs.entrypoint === undefined ? undefined : await trustedEntrypoint(run, job.subject, inputs.entrypoint)
  using interruption = new Interruption({ graceMillis: GRACE_MILLIS })
  try {
    await measureAndPublish(job, inputs, entrypoint, interruption.signal)
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    core.info('The job was cancelled: the running trial is ended, and nothing is published.')
    process.exitCode = INTERRUPTED
  }
}

async function measureAndPublish(
  job: Job,
  { config, cachePath, pythonBefore, ...inputs }: SweepInputs,
  entrypoint: Entrypoint | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { files, options, remarks } = config === undefined ? await gather(job) : await gatherOne(job, config)
  const noticed: string[] = []
  let trials = 0
  const running = {
    python: inputs.python,
    signal,
    ...(inputs.trialTimeoutMillis !== undefined && { trialTimeoutMillis: inputs.trialTimeoutMillis }),
    remark: (sentence: string) => noticed.push(sentence),
    log: (text: string) => core.info(quoted(text)),
  }
  const assessor = measuring({
    ...running,
    engine: inputs.engine,
    strategy: inputs.strategy,
    now: options.now,
    ...(entrypoint && { entrypoint }),
    ...(cachePath !== undefined && { kept: new KeptTrialsFolder(path.resolve(job.run.workspace, cachePath)) }),
    onTrial: (trial, device, isKept) => core.info(trialLine(trial, device, ++trials) + (isKept ? ' (kept)' : '')),
  })
  // The sweep runs in this process without limits, so the files must first be read and estimated in a limited one.
  const { within, beyond } = await job.engine.sift(files, options)
  const upgradeTracer = pythonBefore === undefined ? undefined : tracingUpgrades({ ...running, pythonBefore })
  const swept = await analyze(within, { ...options, assessor, ...(upgradeTracer && { upgradeTracer }) })
  const report = { ...swept, configs: [...swept.configs, ...beyond] }
  // Cancelling while Python starts is reported as a problem of the config, so it is checked for here.
  signal.throwIfAborted()
  await publish(job, report, {
    remarks: [...remarks, ...noticed, ...(inputs.engine === 'auto' ? unmeasured(report) : [])],
  })
}

/** Prefixes lines, because the runner reads a line that starts with two colons as a command. */
function quoted(text: string): string {
  return text.replaceAll(/^/gm, '| ')
}

/** Remarks for a sweep that could not measure, because the user expects measurements. */
function unmeasured({ configs }: Report): string[] {
  const analysed = configs.filter(config => config.status === 'analysed')
  const others = analysed.filter(({ provenance }) => provenance !== 'measured')
  if (others.length === 0) return []
  return [
    `${others.length} of ${analysed.length} training configs could not be measured and are traced or estimated instead: this runner has no GPU with PyTorch for them, or the worker does not support their kind of step.`,
  ]
}
