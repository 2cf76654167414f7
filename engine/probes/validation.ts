/** The earlier tool's two checks, run by the Python worker or TensorFlow.js. */
import * as z from 'zod'
import { MemoryMarkError } from '../base/errors.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { DeviceKind } from './device-kind.ts'
import { brokenTrialProblem } from './failure.ts'
import type { TfjsProbe } from './tfjs/probe.ts'
import { isBroken, peakOf, type Trial } from './trial.ts'
import type { Answer, PythonWorker } from './worker.ts'

const TIMEOUT_MILLIS = 900_000

const halves = z.object({
  /** The peak of a forward pass alone, which saves nothing for a backward pass. */
  forwardPeakBytes: z.number().int().positive(),
  forwardBackwardPeakBytes: z.number().int().positive(),
})
export type Halves = z.infer<typeof halves>

const reading = z.object({
  firstMillis: z.number().positive(),
  /** Median of the steps after the first. */
  laterMillis: z.number().positive(),
  peakAllocatedBytes: z.number().int().min(0).optional(),
})
const compilation = z.object({ eager: reading, compiled: reading })
export type Compilation = z.infer<typeof compilation>

export function askHalves(
  worker: PythonWorker,
  on: 'trace' | 'torch',
  spec: TrainingSpec,
  config: ModelConfig,
): Promise<Answer<Halves>> {
  return worker.ask('validate-backward', { on, spec, config }, halves, TIMEOUT_MILLIS)
}

/** @throws MemoryMarkError if a pass does not fit or fails. */
export async function tfjsHalves(probe: TfjsProbe, microBatch: number): Promise<Halves> {
  return {
    forwardPeakBytes: peakOrThrow(await probe.forward(microBatch)),
    forwardBackwardPeakBytes: peakOrThrow(await probe.trial(microBatch)),
  }
}

function peakOrThrow(trial: Trial): number {
  const peak = peakOf(trial.outcome)
  if (peak !== undefined) return peak
  if (isBroken(trial.outcome)) throw new MemoryMarkError(brokenTrialProblem(trial))
  throw new MemoryMarkError({
    code: 'check-failed',
    message: `batch ${trial.microBatch} does not fit`,
    fix: 'Give a smaller --batch-size.',
  })
}

export function askCompilation(
  worker: PythonWorker,
  device: DeviceKind | undefined,
  steps: number,
  spec: TrainingSpec,
  config: ModelConfig,
): Promise<Answer<Compilation>> {
  return worker.ask('validate-compile', { device, steps, spec, config }, compilation, TIMEOUT_MILLIS)
}
