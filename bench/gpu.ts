/**
 * On a machine with a CUDA device: linear sweeps against ours for the three models in both step profiles; the tape and the
 * trace against measured peaks; throughput curves; context and workspace constants. The device is capped to play an A10.
 * MEMORYMARK_PYTHON names the interpreter with a CUDA build of torch (default python3); `--limit-memory` the cap in GiB.
 * Writes bench/results/gpu-<device>.json. Without a CUDA device it says so and exits with 3.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { accumulatesGradients, type TrainingSpec } from '../engine/config/spec.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { defaultGpu, findGpu } from '../engine/gpus/catalogue.ts'
import type { CatalogueModel } from '../engine/models/catalogue.ts'
import { describeMachine } from '../engine/probes/device.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import { openProbe, type Probe } from '../engine/probes/probe.ts'
import { peakOf, type Trial } from '../engine/probes/trial.ts'
import { Grid } from '../engine/search/grid.ts'
import { largestBatch } from '../engine/search/largest.ts'
import { search } from '../engine/search/search.ts'
import { type StrategyName, strategies } from '../engine/search/strategy.ts'
import { GIB } from '../engine/units.ts'
import { knownModel, specOf } from '../test/estimate/specs.ts'

const A10_GIB = 22.1
const NO_GPU = 3
const LIMITS = { medianPercent: 2, worstPercent: 6, cells: 40 }
const CURVE_STEPS = 8

const python = process.env.MEMORYMARK_PYTHON ?? 'python3'
const { values } = parseArgs({ options: { 'limit-memory': { type: 'string' } } })
const limitMemoryBytes = Math.floor(Number(values['limit-memory'] ?? A10_GIB) * GIB)
const grid = new Grid()

const models: readonly {
  readonly name: string
  readonly changes: Partial<TrainingSpec>
  readonly batches: readonly number[]
}[] = [
  { name: 'bert', changes: { sequenceLength: 128 }, batches: [8, 64] },
  { name: 'gpt2', changes: { sequenceLength: 512, task: 'causal-lm' }, batches: [2, 8] },
  { name: 'resnet', changes: { imageSize: 224 }, batches: [8, 64] },
]

/** Each with every model at each of its batches, where the model can do it. */
const variants: readonly Partial<TrainingSpec>[] = [
  {},
  { step: 'forward-backward' },
  { precision: 'amp-bf16' },
  { precision: 'amp-fp16', optimizer: 'adamw-fused' },
  { precision: 'bf16', optimizer: 'sgd-momentum' },
  { gradientCheckpointing: true },
  { precision: 'amp-bf16', gradientCheckpointing: true, loop: 'trainer' },
  { gradientAccumulation: 2, optimizer: 'adamw-loop' },
]

const machine = await describeMachine(python)
if (machine.kind !== 'python' || machine.device.kind !== 'cuda') {
  console.log('bench:gpu has not run: PyTorch sees no CUDA device here')
  process.exit(NO_GPU)
}
const { device } = machine
const card = findGpu(device.name) ?? defaultGpu

function openOn(engine: 'torch' | 'trace', model: CatalogueModel, spec: TrainingSpec): Promise<Probe> {
  return openProbe(engine, {
    spec,
    config: model.config,
    footprints: new FootprintCache(),
    gpu: card,
    python,
    limitMemoryBytes,
  })
}

interface SweepFigure {
  readonly model: string
  readonly step: string
  readonly strategy: StrategyName
  readonly largest: number | undefined
  readonly seconds: number
  readonly trials: readonly Trial[]
}

async function sweepFigure(name: string, changes: Partial<TrainingSpec>, strategy: StrategyName): Promise<SweepFigure> {
  const model = knownModel(name)
  const spec = specOf(name, changes)
  const started = performance.now()
  await using probe = await openOn('torch', model, spec)
  const { totalBytes, usableBytes } = probe.device
  const estimate = new EstimateProbe(new Footprint(spec, model.config), {
    ...card,
    totalBytes,
    contextBytes: totalBytes - usableBytes,
  })
  const predicted = largestBatch(estimate, grid)
  const prediction = {
    largest: predicted === undefined ? -1 : grid.indexOf(predicted),
    peakBytes: (batch: number) => estimate.peak(batch).bytes,
    usableBytes,
  }
  const trials: Trial[] = []
  const run = async (batch: number) => {
    const trial = await probe.trial(batch)
    trials.push(trial)
    return trial
  }
  const known = strategy === 'predict-verify' ? [await run(spec.microBatch)] : []
  const result = await search(run, { strategy: strategies[strategy], space: { grid, prediction }, known })
  if (result.kind !== 'found') throw new Error(`${name}: ${JSON.stringify(result)}`)
  const seconds = (performance.now() - started) / 1_000
  console.log(`${name} ${spec.step} ${strategy}: ${result.largest}, ${trials.length} trials, ${seconds.toFixed(0)} s`)
  return { model: model.id, step: spec.step, strategy, largest: result.largest, seconds, trials }
}

interface Cell {
  readonly spec: TrainingSpec
  readonly measuredBytes: number
  readonly tapeBytes: number
  readonly tracedBytes: number
}

async function cellOf(name: string, changes: Partial<TrainingSpec>): Promise<Cell | undefined> {
  const model = knownModel(name)
  const spec = specOf(name, changes)
  if (spec.gradientCheckpointing && spec.task === 'image-classification') return undefined
  await using torch = await openOn('torch', model, spec)
  await using traced = await openOn('trace', model, spec)
  const accumulates = accumulatesGradients(spec)
  const measured = await torch.trial(spec.microBatch, { accumulates })
  const trace = await traced.trial(spec.microBatch, { accumulates })
  const [measuredBytes, tracedBytes] = [peakOf(measured.outcome), peakOf(trace.outcome)]
  if (measured.outcome.kind !== 'fits' || measuredBytes === undefined || tracedBytes === undefined) {
    throw new Error(`${name} ${JSON.stringify(changes)}: ${JSON.stringify([measured, trace])}`)
  }
  const tapeBytes = new EstimateProbe(new Footprint(spec, model.config), card).peak(spec.microBatch).bytes
  const percents = [tapeBytes, tracedBytes].map(bytes => `${(100 * (bytes / measuredBytes - 1)).toFixed(2)} %`)
  console.log(
    `${(measuredBytes / GIB).toFixed(3)} GiB, tape ${percents[0]}, trace ${percents[1]}: ${name} ${JSON.stringify(changes)}`,
  )
  return { spec, measuredBytes, tapeBytes, tracedBytes }
}

async function throughputCurve(name: string, changes: Partial<TrainingSpec>, largest: number): Promise<Trial[]> {
  const model = knownModel(name)
  const spec = specOf(name, changes)
  await using probe = await openOn('torch', model, spec)
  const curve: Trial[] = []
  for (let batch = 1; batch <= largest; batch *= 2) curve.push(await probe.trial(batch, { steps: CURVE_STEPS }))
  return curve
}

function percentErrors(cells: readonly Cell[], bytesOf: (cell: Cell) => number) {
  const errors = cells.map(cell => Math.abs(100 * (bytesOf(cell) / cell.measuredBytes - 1))).toSorted((a, b) => a - b)
  const none = Number.POSITIVE_INFINITY
  return { median: errors[Math.floor(errors.length / 2)] ?? none, worst: errors.at(-1) ?? none }
}

const sweeps: SweepFigure[] = []
const curves: { readonly model: string; readonly trials: readonly Trial[] }[] = []
for (const { name, changes } of models) {
  for (const step of ['training', 'forward-backward'] as const) {
    for (const strategy of ['predict-verify', 'linear'] as const) {
      sweeps.push(await sweepFigure(name, { ...changes, step }, strategy))
    }
  }
  const largest = sweeps.findLast(({ step, model }) => step === 'training' && model === knownModel(name).id)?.largest
  curves.push({ model: name, trials: await throughputCurve(name, changes, largest ?? 1) })
}
const cells: Cell[] = []
for (const { name, changes, batches } of models) {
  for (const variant of variants) {
    for (const microBatch of batches) {
      const cell = await cellOf(name, { ...changes, ...variant, microBatch })
      if (cell !== undefined) cells.push(cell)
    }
  }
}

const errors = {
  tape: percentErrors(cells, cell => cell.tapeBytes),
  trace: percentErrors(cells, cell => cell.tracedBytes),
}
const ours = sweeps.filter(({ strategy }) => strategy === 'predict-verify')
const sameAnswer = ours.every(
  own =>
    sweeps.find(other => other.strategy === 'linear' && other.model === own.model && other.step === own.step)
      ?.largest === own.largest,
)
const file = `bench/results/gpu-${device.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`
await mkdir('bench/results', { recursive: true })
const constants = { contextBytes: device.contextBytes, cublasWorkspaceBytes: device.cublasWorkspaceBytes }
await writeFile(
  file,
  `${JSON.stringify({ machine, limitMemoryBytes, constants, sweeps, curves, cells, errors }, null, 2)}\n`,
)

const holds =
  sameAnswer &&
  cells.length >= LIMITS.cells &&
  Object.values(errors).every(({ median, worst }) => median <= LIMITS.medianPercent && worst <= LIMITS.worstPercent)
process.exitCode = holds ? 0 : 1
console.log(
  `${device.name}: ${sameAnswer ? 'the linear answers' : 'not the linear answers'} in ${Math.max(...ours.map(({ trials }) => trials.length))} trials at most; ` +
    `${cells.length} cells, tape median ${errors.tape.median.toFixed(2)} % worst ${errors.tape.worst.toFixed(2)} %, ` +
    `trace median ${errors.trace.median.toFixed(2)} % worst ${errors.trace.worst.toFixed(2)} %: ${holds ? 'holds' : 'falls short'}; ${file}`,
)
