/** Traces a config's step with the libraries before a change and after it: two Python environments of this machine. */
import { MemoryMarkError } from '../base/errors.ts'
import { FootprintCache } from '../estimate/footprint-cache.ts'
import { brokenTrialProblem } from '../probes/failure.ts'
import { openProbe } from '../probes/open-probe.ts'
import { peakOf } from '../probes/trial.ts'
import type { TracedPeak } from '../report/upgrade.ts'
import { accumulatesGradients } from '../training/batches.ts'
import type { UpgradedStep, UpgradeTracer } from './upgrade.ts'

export interface UpgradeEnvironments {
  /** The interpreter's command with the libraries before the change. */
  readonly pythonBefore: string
  /** The same with those after it. */
  readonly python: string
  readonly signal: AbortSignal
  readonly trialTimeoutMillis?: number
  /** Receives sentences on what could not be traced. */
  readonly remark: (sentence: string) => void
  /** Receives Python's tracebacks. */
  readonly log: (text: string) => void
}

/** An aborted signal ends the analysis with the signal's reason. */
export function tracingUpgrades(environments: UpgradeEnvironments): UpgradeTracer {
  const { pythonBefore, python, signal, remark } = environments
  let areSame = false
  return async (path, before, after) => {
    if (areSame) return undefined
    try {
      const peaks = {
        before: await traced(before, pythonBefore, environments),
        after: await traced(after, python, environments),
      }
      areSame = peaks.before.software === peaks.after.software
      if (!areSame) return peaks
      remark(`The change of versions was not traced: both environments have ${peaks.before.software}.`)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MemoryMarkError)) throw error
      remark(`What the change of versions does to ${path} was not traced: ${error.problem.message}.`)
    }
    return undefined
  }
}

async function traced(
  { spec, model: config, gpu }: UpgradedStep,
  python: string,
  { signal, log, trialTimeoutMillis }: UpgradeEnvironments,
): Promise<TracedPeak> {
  const limit = trialTimeoutMillis === undefined ? {} : { trialTimeoutMillis }
  const context = { spec, config, gpu, python, signal, log, footprints: new FootprintCache(), ...limit }
  await using probe = await openProbe('trace', context)
  const trial = await probe.trial(spec.microBatch, { signal, accumulates: accumulatesGradients(spec) })
  const peakBytes = peakOf(trial.outcome)
  if (peakBytes === undefined) throw new MemoryMarkError(brokenTrialProblem(trial))
  return { peakBytes, software: probe.device.software }
}
