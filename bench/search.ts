/**
 * Trials, samples and out-of-memory failures to the answer, side by side on the same simulated devices: ours, the earlier
 * tool's linear sweep, and the finders of Lightning and accelerate, the real libraries (bench/finders.py).
 * Needs Python with lightning and accelerate: MEMORYMARK_PYTHON names the interpreter (default python3).
 * Fails when ours misses the linear sweep's answer, takes over 4 trials, or runs out of memory more than once.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { GIB } from '../engine/base/units.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { Grid } from '../engine/search/grid.ts'
import { search } from '../engine/search/search.ts'
import { type Prediction, type StrategyName, strategies } from '../engine/search/strategy.ts'

const MAX_TRIALS = 4
const MAX_OUT_OF_MEMORY = 1
/** The errors of predictions that our search starts from: the band to which `npm run bench:accuracy` holds the tape. */
const PREDICTION_FACTORS = [0.97, 1, 1.03]
/** As in the earlier tool. A sweep tries it in any case, because the report shows it. */
const CURRENT_BATCH = 16

const devices = [
  { name: 'BERT, 128 tokens, A10, published readings', fixedGib: 0.46, gibPerSample: 0.0725, usableGib: 21.75 },
  { name: 'GPT-2, 1024 tokens, A10', fixedGib: 1.9, gibPerSample: 1.95, usableGib: 21.75 },
  { name: 'ResNet-50, A10', fixedGib: 0.5, gibPerSample: 0.082, usableGib: 21.75 },
  { name: 'BERT, 128 tokens, A100 80 GB', fixedGib: 1.7, gibPerSample: 0.0725, usableGib: 78.8 },
]

interface Run {
  readonly finder: string
  readonly device: number
  readonly answer: number | null
  readonly sizes: readonly number[]
  readonly outOfMemory: number
}

const theirRuns = z.object({
  versions: z.record(z.string(), z.string()),
  runs: z.array(
    z.object({
      finder: z.string(),
      device: z.number(),
      answer: z.number().nullable(),
      sizes: z.array(z.number()),
      outOfMemory: z.number(),
    }),
  ),
})

const grid = new Grid()

async function ourRun(finder: string, strategy: StrategyName, device: number, factor: number): Promise<Run> {
  const { fixedGib, gibPerSample, usableGib } = devices[device] ?? devices[0]!
  const peakBytes = (batch: number) => (fixedGib + gibPerSample * batch) * GIB
  const sizes: number[] = []
  const trial = async (microBatch: number): Promise<Trial> => {
    sizes.push(microBatch)
    const peak = peakBytes(microBatch)
    return {
      microBatch,
      provenance: 'measured',
      outcome: peak <= usableGib * GIB ? { kind: 'fits', peakBytes: peak } : { kind: 'out-of-memory' },
    }
  }
  const known = strategy === 'predict-verify' ? [await trial(CURRENT_BATCH)] : []
  const prediction = predictionOf(batch => peakBytes(batch) * factor, usableGib * GIB)
  const result = await search(trial, { strategy: strategies[strategy], space: { grid, prediction }, known })
  const outOfMemory = sizes.filter(size => peakBytes(size) > usableGib * GIB).length
  return { finder, device, answer: result.kind === 'found' ? (result.largest ?? null) : null, sizes, outOfMemory }
}

function predictionOf(peakBytes: (batch: number) => number, usableBytes: number): Prediction {
  let largest = -1
  while (peakBytes(grid.at(largest + 1)) <= usableBytes) largest++
  return { largest, peakBytes, usableBytes }
}

function otherFinders() {
  const script = fileURLToPath(new URL('./finders.py', import.meta.url))
  const answer = execFileSync(process.env.MEMORYMARK_PYTHON ?? 'python3', [script], {
    input: JSON.stringify(devices),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  })
  return theirRuns.parse(JSON.parse(answer))
}

function print(runs: readonly Run[]): void {
  console.log(
    `${'finder'.padEnd(28)}${'answer'.padStart(8)}${'trials'.padStart(8)}${'samples'.padStart(9)}${'OOM'.padStart(5)}`,
  )
  for (const { finder, answer, sizes, outOfMemory } of runs) {
    const samples = sizes.reduce((sum, size) => sum + size, 0)
    console.log(
      `${finder.padEnd(28)}${String(answer ?? '–').padStart(8)}${String(sizes.length).padStart(8)}${String(samples).padStart(9)}${String(outOfMemory).padStart(5)}`,
    )
  }
}

const others = otherFinders()
console.log(
  Object.entries(others.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', '),
)
const ours: Run[] = []
let matches = true
for (const [device, { name }] of devices.entries()) {
  const linear = await ourRun('linear, the earlier tool', 'linear', device, 1)
  const own: Run[] = []
  for (const factor of PREDICTION_FACTORS) {
    own.push(await ourRun(`ours, predicted ${signed(factor)}`, 'predict-verify', device, factor))
  }
  console.log(`\n${name}`)
  print([
    ...own,
    linear,
    await ourRun('gallop and bisect', 'bisect', device, 1),
    ...others.runs.filter(run => run.device === device),
  ])
  matches &&= own.every(run => run.answer === linear.answer)
  ours.push(...own)
}

function signed(factor: number): string {
  const percent = Math.round((factor - 1) * 100)
  return percent === 0 ? 'exactly' : `${percent > 0 ? '+' : ''}${percent} %`
}

const mostTrials = Math.max(...ours.map(run => run.sizes.length))
const mostOutOfMemory = Math.max(...ours.map(run => run.outOfMemory))
const holds = matches && mostTrials <= MAX_TRIALS && mostOutOfMemory <= MAX_OUT_OF_MEMORY
process.exitCode = holds ? 0 : 1
console.log(
  `\nours: ${mostTrials} trials and ${mostOutOfMemory} out-of-memory at most, the linear sweep's answer ${matches ? 'always' : 'missed'}: ${holds ? 'holds' : 'falls short'}`,
)
