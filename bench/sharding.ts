/**
 * How far the estimate of one of several GPUs is from what DistributedDataParallel, FSDP2 and DeepSpeed do: the peak of a step
 * against the same step run by the libraries themselves, over CPU tensors and with the other GPUs played by PyTorch's fake process
 * group (bench/sharding.py). The model is small, since DeepSpeed computes with real weights.
 * Needs Python with torch and transformers (MEMORYMARK_PYTHON names the interpreter, default python3), and deepspeed for its cells,
 * which are left out by name where it is missing. Fails when a cell lies further away than the limit.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { parseJson } from '../engine/base/json.ts'
import { MIB } from '../engine/base/units.ts'
import { evaluationOf } from '../engine/estimate/evaluation.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { resumingOf } from '../engine/estimate/sharding/resuming.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { specOf } from '../test/estimate/specs.ts'
import {
  deepSpeedResumingCells,
  deepSpeedSavingCells,
  evaluationCells,
  miniature,
  nemoRlCells,
  type ResumingCell,
  resumingCells,
  type SavingCell,
  type ShardingCell,
  savingCells,
  step,
  torchCells,
  verlCells,
  zero3Cells,
  zero3EvaluationCells,
  zeroCells,
} from './sharding/cells.ts'

const LIMIT_PERCENT = 3

const versions = z.object({ torch: z.string(), deepspeed: z.string().optional() })
const reading = z.object({ peakBytes: z.number().int().positive() })

/** Whether a checkpoint is saved or loaded. */
type Checkpoint = Partial<Pick<SavingCell, 'saves'> & Pick<ResumingCell, 'loads'>>

/** One process for each simulated rank: the first has the embeddings, the last the output layer. */
class Oracle {
  readonly rank: number
  readonly #child: ReturnType<typeof start>
  readonly #lines: AsyncIterator<string>

  constructor(rank: number) {
    this.rank = rank
    this.#child = start()
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async read<T>(schema: z.ZodType<T>): Promise<T> {
    const { value } = await this.#lines.next()
    const answer = schema.safeParse(parseJson(String(value)))
    if (!answer.success) throw new Error('bench/sharding.py broke off; its last words are above')
    return answer.data
  }

  async peak(spec: TrainingSpec, checkpoint: Checkpoint): Promise<number> {
    this.#child.stdin.write(`${JSON.stringify({ spec, config: miniature, rank: this.rank, ...checkpoint })}\n`)
    return (await this.read(reading)).peakBytes
  }

  end(): void {
    this.#child.stdin.end()
  }
}

function start() {
  const script = fileURLToPath(new URL('sharding.py', import.meta.url))
  return spawn(process.env.MEMORYMARK_PYTHON ?? 'python3', ['-u', '-W', 'ignore', script], {
    stdio: ['pipe', 'pipe', process.env.SHOW_STDERR ? 'inherit' : 'ignore'],
  })
}

async function errorsOf(oracles: readonly Oracle[], cells: readonly (ShardingCell & Checkpoint)[]): Promise<number[]> {
  const errors: number[] = []
  for (const cell of cells) {
    const { saves, loads, ...changes } = cell
    const spec = specOf('meta-llama/Llama-3.1-8B', { ...step, ...changes })
    const peaks = await Promise.all(
      oracles.map(oracle => oracle.peak(spec, { ...(saves && { saves }), ...(loads && { loads }) })),
    )
    const truth = Math.max(...peaks)
    const estimated = loads ? resumingBytes(spec) : saves ? savingBytes(spec) : estimatedBytes(spec)
    const percent = 100 * (estimated / truth - 1)
    errors.push(Math.abs(percent))
    const figures = [truth, estimated].map(bytes => (bytes / MIB).toFixed(1).padStart(7))
    console.log(`${figures.join(' ')} ${percent < 0 ? '' : '+'}${percent.toFixed(2)} %  ${JSON.stringify(cell)}`)
  }
  return errors
}

/** Of a step, or of an evaluation where the cell has one. */
function estimatedBytes(spec: TrainingSpec): number {
  const footprint = new Footprint(spec, miniature)
  if (spec.evaluation === undefined) return footprint.peak(spec.microBatch, 0).bytes
  const { bytesAt } = evaluationOf(spec, miniature, { hasFlash: true })
  return footprint.resting(0).bytes + bytesAt(spec.evaluation.microBatch)
}

/** What stays between steps, where nothing is gathered to save it. */
function savingBytes(spec: TrainingSpec): number {
  const footprint = new Footprint(spec, miniature)
  return footprint.savingBytes(0) ?? footprint.resting(0).bytes
}

function resumingBytes(spec: TrainingSpec): number {
  const resuming = resumingOf(spec)
  if (resuming === undefined) throw new Error('nothing is known of how this is loaded')
  return new Footprint(spec, miniature).resumingBytes(resuming, 0)
}

// ZeRO-1 and 2 give each GPU other parameters; with the other strategies all GPUs do the same.
const [first, last] = [new Oracle(0), new Oracle(step.gpus - 1)]
const [found] = await Promise.all([first.read(versions), last.read(versions)])
console.log(`torch ${found.torch}, deepspeed ${found.deepspeed ?? 'not installed'}; MiB run, MiB estimated`)
const ofDeepSpeed = [...zero3Cells, ...zero3EvaluationCells, ...deepSpeedSavingCells, ...deepSpeedResumingCells]
const hasDeepSpeed = found.deepspeed !== undefined
const errors = [
  ...(await errorsOf(
    [first],
    [...torchCells, ...verlCells, ...nemoRlCells, ...evaluationCells, ...savingCells, ...resumingCells],
  )),
  ...(hasDeepSpeed ? await errorsOf([first, last], zeroCells) : []),
  ...(hasDeepSpeed ? await errorsOf([first], ofDeepSpeed) : []),
].toSorted((a, b) => a - b)
for (const oracle of [first, last]) oracle.end()
if (!hasDeepSpeed) console.log(`left out for want of deepspeed: ${zeroCells.length + ofDeepSpeed.length} cells`)
const worst = errors.at(-1) ?? Number.POSITIVE_INFINITY
const median = errors[Math.floor(errors.length / 2)] ?? Number.POSITIVE_INFINITY
process.exitCode = worst <= LIMIT_PERCENT ? 0 : 1
console.log(
  `${errors.length} cells: median ${median.toFixed(2)} %, worst ${worst.toFixed(2)} % (at most ${LIMIT_PERCENT}): ${worst <= LIMIT_PERCENT ? 'holds' : 'falls short'}`,
)
