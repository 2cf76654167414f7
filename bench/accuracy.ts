/**
 * How far the tape is from PyTorch: its peak against the trace of the same step, over cells that span families, batch sizes,
 * sequence lengths, step profiles, optimizers and precisions; and against the published GPU readings.
 * Needs Python with torch and transformers: MEMORYMARK_PYTHON names the interpreter (default python3).
 */
import { availableParallelism } from 'node:os'
import { GIB } from '../engine/base/units.ts'
import { TRACED_BAND_PERCENT } from '../engine/estimate/error-band.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import { pythonVersions, trace } from '../engine/probes/trace.ts'
import { PythonWorker } from '../engine/probes/worker.ts'
import { Grid } from '../engine/search/grid.ts'
import { largestBatch } from '../engine/search/largest.ts'
import { footprintOf, knownModel, specOf } from '../test/estimate/specs.ts'
import type { Cell } from './accuracy/cell.ts'
import { cells } from './accuracy/cells.ts'
import { timmCells } from './accuracy/gemma-cells.ts'
import { quantizedCells } from './accuracy/quantized-cells.ts'

const LIMITS = { medianPercent: 2, p95Percent: 5, worstPercent: 6, publishedPercent: 3, cells: 150 }

/** Each holds about 1 GB of PyTorch. */
const MOST_WORKERS = 4

/** The product page's readings of BERT on an A10 (22.1 GiB), step profile forward-backward: GiB by batch size. */
const published = { gibByBatch: { 8: 1.04, 16: 1.62, 288: 21.33 }, largest: 288 }

/** Each worker takes the next cell as soon as it is free; the lines keep the order of the cells. */
async function againstTrace(workers: readonly PythonWorker[], cells: readonly Cell[]): Promise<readonly number[]> {
  const comparisons = cells.map(cell => ({ cell, ...Promise.withResolvers<Comparison>() }))
  const next = comparisons.values()
  for (const worker of workers) {
    void (async () => {
      for (const { cell, resolve, reject } of next) await compare(worker, cell).then(resolve, reject)
    })()
  }
  const percents: number[] = []
  for (const { promise } of comparisons) {
    const { line, percent } = await promise
    console.log(line)
    percents.push(percent)
  }
  return percents
}

interface Comparison {
  readonly line: string
  /** Without its sign. */
  readonly percent: number
}

async function compare(worker: PythonWorker, [name, changes]: Cell): Promise<Comparison> {
  const model = knownModel(name)
  const spec = specOf(name, { microBatch: 8, ...changes })
  const answer = await trace(worker, spec, model.config)
  if (answer.kind !== 'done') throw new Error(`${name} ${JSON.stringify(changes)}: ${JSON.stringify(answer)}`)
  // The meta device has no cuBLAS, so its workspace is left out on our side too.
  const estimated = new Footprint(spec, model.config).peak(spec.microBatch, 0).bytes
  const percent = 100 * (estimated / answer.result.peakBytes - 1)
  const figures = [answer.result.peakBytes, estimated].map(bytes => (bytes / GIB).toFixed(3).padStart(7))
  return {
    line: `${figures.join(' ')} ${signed(percent)}  ${name} ${JSON.stringify(changes)}`,
    percent: Math.abs(percent),
  }
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

await using stack = new AsyncDisposableStack()
const startWorker = () => stack.use(new PythonWorker(process.env.MEMORYMARK_PYTHON ?? 'python3'))
const worker = startWorker()
const versions = await pythonVersions(worker)
if (versions.kind !== 'done') throw new Error(`no trace without torch and transformers: ${JSON.stringify(versions)}`)
console.log(`torch ${versions.result.torch}, transformers ${versions.result.transformers}; GiB traced, GiB estimated`)
const { hasBitsandbytes, hasTimm } = versions.result
const traceable = [...cells, ...(hasBitsandbytes ? quantizedCells : []), ...(hasTimm ? timmCells : [])]
const others = Array.from({ length: Math.min(availableParallelism(), MOST_WORKERS) - 1 }, startWorker)
const errors = (await againstTrace([worker, ...others], traceable)).toSorted((a, b) => a - b)
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
  `${errors.length} cells: median ${median.toFixed(2)} %, p95 ${p95.toFixed(2)} %, worst ${worst.toFixed(2)} %; ` +
    `published readings ${matchesPublished ? 'within' : 'outside'} ${LIMITS.publishedPercent} %: ${holds ? 'holds' : 'falls short'}`,
)
