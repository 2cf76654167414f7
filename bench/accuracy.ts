/**
 * How far the tape is from PyTorch: its peak against the trace of the same step, over cells that span families, batch sizes,
 * sequence lengths, step profiles, optimizers and precisions; and against the published GPU readings.
 * Needs Python with torch and transformers: MEMORYMARK_PYTHON names the interpreter (default python3).
 * `--every 5` traces each fifth cell, those that are estimated otherwise than in the record (bench/results/accuracy.txt), and those that
 * are not in it; of the others, the trace of the record counts.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { GIB } from '../engine/base/units.ts'
import { TRACED_BAND_PERCENT } from '../engine/estimate/error-band.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import type { ModelConfig } from '../engine/models/architecture.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import { pythonVersions, trace } from '../engine/probes/trace.ts'
import { PythonWorker } from '../engine/probes/worker.ts'
import { Grid } from '../engine/search/grid.ts'
import { largestBatch } from '../engine/search/largest.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { footprintOf, knownModel, specOf } from '../test/estimate/specs.ts'
import type { Cell } from './accuracy/cell.ts'
import { cells } from './accuracy/cells.ts'
import { timmCells } from './accuracy/gemma-cells.ts'
import { quantizedCells } from './accuracy/quantized-cells.ts'
import { labelOf, recordedCell } from './accuracy/recorded.ts'

const LIMITS = { medianPercent: 2, p95Percent: 5, worstPercent: 6, publishedPercent: 3, cells: 150 }

/** Each holds about 1 GB of PyTorch. */
const MOST_WORKERS = 4

/** The product page's readings of BERT on an A10 (22.1 GiB), step profile forward-backward: GiB by batch size. */
const published = { gibByBatch: { 8: 1.04, 16: 1.62, 288: 21.33 }, largest: 288 }

/** Each worker takes the next cell as soon as it is free; the lines keep the order of the cells. */
async function againstTrace(workers: readonly PythonWorker[], cells: readonly Cell[]): Promise<readonly Comparison[]> {
  const comparisons = cells.map((cell, index) => ({ cell, index, ...Promise.withResolvers<Comparison>() }))
  const next = comparisons.values()
  for (const worker of workers) {
    void (async () => {
      for (const { cell, index, resolve, reject } of next) await compare(worker, cell, index).then(resolve, reject)
    })()
  }
  const done: Comparison[] = []
  for (const { promise } of comparisons) {
    const comparison = await promise
    console.log(comparison.line)
    done.push(comparison)
  }
  return done
}

interface Comparison {
  readonly line: string
  /** Without its sign. */
  readonly percent: number
  /** In this run. */
  readonly isTraced: boolean
}

async function compare(worker: PythonWorker, cell: Cell, index: number): Promise<Comparison> {
  const [name, changes] = cell
  const model = knownModel(name)
  const spec = specOf(name, { microBatch: 8, ...changes })
  // The meta device has no cuBLAS, so its workspace is left out on our side too.
  const estimated = new Footprint(spec, model.config).peak(spec.microBatch, 0).bytes
  const recorded = index % every === 0 ? undefined : recordedCell(cell, estimated, installed)
  const traced = recorded?.tracedBytes ?? (await tracedBytes(worker, spec, model.config, labelOf(cell)))
  const percent = recorded?.percent ?? 100 * (estimated / traced - 1)
  const figures = [traced, estimated].map(bytes => (bytes / GIB).toFixed(3).padStart(7))
  return {
    line: `${figures.join(' ')} ${signed(percent)}  ${labelOf(cell)}${recorded ? ' (as recorded)' : ''}`,
    percent: Math.abs(percent),
    isTraced: recorded === undefined,
  }
}

async function tracedBytes(
  worker: PythonWorker,
  spec: TrainingSpec,
  config: ModelConfig,
  label: string,
): Promise<number> {
  const answer = await trace(worker, spec, config)
  if (answer.kind !== 'done') throw new Error(`${label}: ${JSON.stringify(answer)}`)
  return answer.result.peakBytes
}

function againstPublished(): boolean {
  const probe = new EstimateProbe(footprintOf('bert', { step: 'forward-backward' }), defaultGpu)
  const errors = Object.entries(published.gibByBatch).map(([written, gib]) => {
    const batch = Number(written)
    const percent = 100 * (probe.peak(batch).bytes / GIB / gib - 1)
    console.log(
      `published ${gib} GiB at batch ${batch}, estimated ${(probe.peak(batch).bytes / GIB).toFixed(3)}: ${signed(percent)}`,
    )
    return Math.abs(percent)
  })
  const largest = largestBatch(probe, new Grid())
  console.log(`published largest batch ${published.largest}, estimated ${largest}`)
  return largest === published.largest && Math.max(...errors) <= LIMITS.publishedPercent
}

function signed(percent: number): string {
  return `${percent < 0 ? '' : '+'}${percent.toFixed(2)} %`
}

const { values: options } = parseArgs({ options: { every: { type: 'string', default: '1' } } })
const every = Number(options.every)
if (!Number.isInteger(every) || every < 1)
  throw new Error(`--every takes a whole number of cells, not ${options.every}`)

await using stack = new AsyncDisposableStack()
const startWorker = () => stack.use(new PythonWorker(process.env.MEMORYMARK_PYTHON ?? 'python3'))
const worker = startWorker()
const versions = await pythonVersions(worker)
if (versions.kind !== 'done') throw new Error(`no trace without torch and transformers: ${JSON.stringify(versions)}`)
const installed = versions.result
console.log(`torch ${installed.torch}, transformers ${installed.transformers}; GiB traced, GiB estimated`)
const { hasBitsandbytes, hasTimm } = installed
const traceable = [...cells, ...(hasBitsandbytes ? quantizedCells : []), ...(hasTimm ? timmCells : [])]
const others = Array.from({ length: Math.min(availableParallelism(), MOST_WORKERS) - 1 }, startWorker)
const comparisons = await againstTrace([worker, ...others], traceable)
const errors = comparisons.map(({ percent }) => percent).toSorted((a, b) => a - b)
const tracedNow = comparisons.filter(({ isTraced }) => isTraced).length
if (!hasBitsandbytes) console.log(`left out for want of bitsandbytes: ${quantizedCells.length} cells`)
if (!hasTimm) console.log(`left out for want of timm: ${timmCells.length} cells`)
const matchesPublished = againstPublished()
const median = errors[Math.floor(errors.length / 2)] ?? Number.POSITIVE_INFINITY
const p95 = errors[Math.floor(errors.length * 0.95)] ?? Number.POSITIVE_INFINITY
const worst = errors.at(-1) ?? Number.POSITIVE_INFINITY
const holds =
  matchesPublished &&
  errors.length >= LIMITS.cells &&
  median <= LIMITS.medianPercent &&
  p95 <= LIMITS.p95Percent &&
  worst <= Math.min(LIMITS.worstPercent, TRACED_BAND_PERCENT)
process.exitCode = holds ? 0 : 1
console.log(
  `${errors.length} cells${tracedNow < errors.length ? `, of which ${tracedNow} were traced now` : ''}: median ${median.toFixed(2)} %, p95 ${p95.toFixed(2)} %, worst ${worst.toFixed(2)} %; ` +
    `published readings ${matchesPublished ? 'within' : 'outside'} ${LIMITS.publishedPercent} %: ${holds ? 'holds' : 'falls short'}`,
)
