/** The items of each part, most informative first. */
import { describeMachine } from '../../engine/probes/device.ts'
import { workspaceBytesOf } from '../../engine/probes/estimate.ts'
import type { TorchProbe } from '../../engine/probes/torch.ts'
import { type Outcome, peakOf, type Trial } from '../../engine/probes/trial.ts'
import { Grid } from '../../engine/search/grid.ts'
import { largestBatch } from '../../engine/search/largest.ts'
import { search } from '../../engine/search/search.ts'
import { strategies } from '../../engine/search/strategy.ts'
import { accumulatesGradients } from '../../engine/training/batches.ts'
import type { Plan, Subject } from './plan.ts'
import type { CellResult, CurvePoint, SweepResult } from './results.ts'
import type { Rig } from './rig.ts'

export interface Item {
  readonly id: string
  readonly run: () => Promise<object>
}

export const partNames = ['facts', 'cells', 'sweeps', 'curves'] as const
export type PartName = (typeof partNames)[number]

const TIMED_STEPS = 8
/** Sizes on both sides of the boundary that the linear sweep tries. */
const AROUND = 2
const LARGEST_CURVE_BATCH = 1_024
const grid = new Grid()

export const parts: Readonly<Record<PartName, (rig: Rig, plan: Plan) => Item[] | Promise<Item[]>>> = {
  facts,
  cells: (rig, { cells }) => cells.map(subject => ({ id: subject.name, run: () => cell(rig, subject) })),
  sweeps: (rig, { sweeps }) => sweeps.map(subject => ({ id: subject.name, run: () => sweep(rig, subject) })),
  curves: async (rig, { curves }) => (await Promise.all(curves.map(subject => curveItems(rig, subject)))).flat(),
}

function facts(rig: Rig, { precisions, attention, tooLarge }: Plan): Item[] {
  const [first] = precisions
  if (first === undefined) return []
  return [
    { id: 'machine', run: () => describeMachine(rig.options.python) },
    { id: 'machine under the limit', run: async () => (await rig.torch(first)).device },
    { id: 'context before and after a trial', run: () => contextGrowth(rig, first) },
    ...precisions.map(subject => ({ id: subject.name, run: () => timed(rig, subject) })),
    { id: 'out of memory, then a new process', run: () => outOfMemoryAndOn(rig, first, tooLarge) },
    ...[undefined, '1'].map(deprioritized => ({
      id: `attention with TORCH_CUDNN_SDPA_DEPRIORITIZED=${deprioritized ?? ''}`,
      run: () => attentionKernels(rig, attention, deprioritized),
    })),
  ]
}

async function timed(rig: Rig, subject: Subject): Promise<Outcome> {
  const torch = await rig.torch(subject)
  return fitting(await torch.trialOf(subject, subject.spec.microBatch, { steps: TIMED_STEPS }))
}

async function contextGrowth(rig: Rig, subject: Subject): Promise<object> {
  await using torch = await rig.open(subject)
  const before = torch.device.usableBytes
  const outcome = fitting(await torch.trial(subject.spec.microBatch))
  return { usableBytesBefore: before, usableBytesAfter: torch.device.usableBytes, outcome }
}

async function outOfMemoryAndOn(rig: Rig, subject: Subject, tooLarge: number): Promise<object> {
  const torch = await rig.torch(subject)
  const { outcome } = await torch.trialOf(subject, tooLarge)
  if (outcome.kind !== 'out-of-memory') throw new Error(`batch ${tooLarge}: ${JSON.stringify(outcome)}`)
  return fitting(await torch.trialOf(subject, subject.spec.microBatch))
}

/** PyTorch reads the order at its first attention call. */
async function attentionKernels(rig: Rig, subjects: readonly Subject[], value: string | undefined): Promise<object> {
  const [first] = subjects
  if (first === undefined) return []
  const name = 'TORCH_CUDNN_SDPA_DEPRIORITIZED'
  const before = process.env[name]
  if (value !== undefined) process.env[name] = value
  let torch: TorchProbe | undefined
  try {
    torch = await rig.open(first, rig.options.limitMemoryBytes)
    const outcomes: Record<string, Outcome> = {}
    for (const subject of subjects) {
      outcomes[subject.name] = fitting(await torch.trialOf(subject, subject.spec.microBatch, { steps: TIMED_STEPS }))
    }
    return outcomes
  } finally {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
    await torch?.[Symbol.asyncDispose]()
  }
}

async function cell(rig: Rig, subject: Subject): Promise<CellResult> {
  const { spec } = subject
  const torch = await rig.torch(subject)
  const outcome = fitting(await torch.trialOf(subject, spec.microBatch, { accumulates: accumulatesGradients(spec) }))
  const workspaceBytes = workspaceBytesOf(await rig.card(subject))
  const measuredBytes = peakOf(outcome)
  if (measuredBytes === undefined) throw new Error('PyTorch counted no peak')
  return {
    measuredBytes,
    estimatedBytes: (await rig.estimate(subject)).peak(spec.microBatch).bytes,
    tracedBytes: (await rig.tracedBytes(subject)) + workspaceBytes,
    outcome,
  }
}

/** Our search, then every size around its result. */
async function sweep(rig: Rig, subject: Subject): Promise<SweepResult> {
  const torch = await rig.torch(subject)
  const estimate = await rig.estimate(subject)
  const predicted = largestBatch(estimate, grid)
  const trials: Trial[] = []
  const run = async (batch: number) => {
    const known = trials.find(({ microBatch }) => microBatch === batch)
    if (known !== undefined) return known
    const trial = await torch.trialOf(subject, batch)
    trials.push(trial)
    return trial
  }
  const started = performance.now()
  const result = await search(run, {
    strategy: strategies['predict-verify'],
    space: {
      grid,
      prediction: {
        largest: predicted === undefined ? -1 : grid.indexOf(predicted),
        peakBytes: batch => estimate.peak(batch).bytes,
        usableBytes: estimate.usableBytes,
      },
    },
    known: [await run(subject.spec.microBatch)],
    signal: rig.options.signal,
  })
  if (result.kind !== 'found') throw new Error(JSON.stringify(result))
  const searched = { seconds: (performance.now() - started) / 1_000, trials: trials.length }
  const found = result.largest === undefined ? -1 : grid.indexOf(result.largest)
  let linear = found
  for (let index = Math.max(0, found - AROUND); index <= found + AROUND; index++) {
    const { outcome } = await run(grid.at(index))
    if (outcome.kind === 'out-of-memory') break
    fitting({ microBatch: grid.at(index), provenance: 'measured', outcome })
    linear = index
  }
  return {
    ...searched,
    largest: result.largest ?? null,
    linear: linear < 0 ? null : grid.at(linear),
    predicted: predicted ?? null,
    all: trials,
  }
}

async function curveItems(rig: Rig, subject: Subject): Promise<Item[]> {
  const estimate = await rig.estimate(subject)
  const largest = Math.min(largestBatch(estimate, grid) ?? 1, LARGEST_CURVE_BATCH)
  return Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, exponent) => 2 ** exponent).map(batch => ({
    id: `${subject.name} at ${batch}`,
    run: async (): Promise<CurvePoint> => {
      const torch = await rig.torch(subject)
      const outcome = fitting(await torch.trialOf(subject, batch, { steps: TIMED_STEPS }))
      const stepMillis = (outcome.kind === 'fits' ? outcome.stepMillis : undefined) ?? 0
      return {
        config: subject.name,
        microBatch: batch,
        measured: (1_000 * batch) / stepMillis,
        modelled: estimate.samplesPerSecond(batch, 1) ?? Number.NaN,
        outcome,
      }
    },
  }))
}

function fitting({ outcome, microBatch }: Trial): Outcome {
  if (outcome.kind === 'fits') return outcome
  throw new Error(`batch ${microBatch}: ${JSON.stringify(outcome)}`)
}
