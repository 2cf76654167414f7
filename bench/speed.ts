/**
 * What an answer costs in time: one assessment (footprint, largest and recommended batch, lever, cheaper GPU) once the
 * process is warm, and `memorymark check` over a tree of 1,000 configs as a whole process.
 * Where Python has torch and transformers (MEMORYMARK_PYTHON, default python3), also a whole `memorymark sweep --engine trace
 * bert`, Python's start included; elsewhere it says that this was left out.
 * Fails when the slowest model's median is above 20 ms or the tree takes above 5 s, or the sweep above 15 s.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnalyzeOptions, analyze } from '../engine/index.ts'
import { describeMachine } from '../engine/probes/device.ts'

const MAX_ESTIMATE_MILLIS = 20
const MAX_TREE_SECONDS = 5
const MAX_TRACED_SWEEP_SECONDS = 15
const WARM_UP = 30
const RUNS = 101
const CONFIGS = 1_000

const models = ['bert', 'gpt2', 'gpt2-xl', 'resnet-152']
const cli = fileURLToPath(new URL('../engine/cli/main.ts', import.meta.url))

const medians: number[] = []
for (const model of models) medians.push(await medianMillis(model))
const slowest = Math.max(...medians)
const treeSeconds = await checkTreeSeconds()
const sweepSeconds = await tracedSweepSeconds()

const passed =
  slowest <= MAX_ESTIMATE_MILLIS &&
  treeSeconds <= MAX_TREE_SECONDS &&
  (sweepSeconds === undefined || sweepSeconds <= MAX_TRACED_SWEEP_SECONDS)
const sweepWords =
  sweepSeconds === undefined
    ? 'traced sweep left out for want of PyTorch'
    : `traced sweep ${sweepSeconds.toFixed(1)} s (limit ${MAX_TRACED_SWEEP_SECONDS})`
console.log(
  `${passed ? 'ok' : 'FAILED'}: one estimate ${slowest.toFixed(1)} ms at most (limit ${MAX_ESTIMATE_MILLIS}), ` +
    `${CONFIGS.toLocaleString('en-US')} configs ${treeSeconds.toFixed(1)} s (limit ${MAX_TREE_SECONDS}), ${sweepWords}`,
)
process.exitCode = passed ? 0 : 1

async function medianMillis(model: string): Promise<number> {
  const options: AnalyzeOptions = { now: new Date() }
  const times: number[] = []
  for (let run = 0; run < WARM_UP + RUNS; run++) {
    const files = [{ path: 'train.yaml', text: config(model, 16) }]
    const before = performance.now()
    await analyze(files, options)
    if (run >= WARM_UP) times.push(performance.now() - before)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(RUNS / 2)] ?? Number.POSITIVE_INFINITY
  console.log(`${model}: median ${median.toFixed(1)} ms, ${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)}`)
  return median
}

/** Undefined without PyTorch. */
async function tracedSweepSeconds(): Promise<number | undefined> {
  const machine = await describeMachine(process.env.MEMORYMARK_PYTHON ?? 'python3')
  if (machine.kind === 'no-python') return undefined
  const before = performance.now()
  const child = spawn(process.execPath, [cli, 'sweep', 'bert', '--engine', 'trace', '--json'], { stdio: 'ignore' })
  const [exitCode] = await once(child, 'exit')
  // 1: the default batch wastes the default card, and the sweep says so.
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`memorymark sweep ended with ${exitCode}`)
  return (performance.now() - before) / 1_000
}

async function checkTreeSeconds(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-bench-'))
  try {
    await writeTree(folder)
    const before = performance.now()
    const child = spawn(process.execPath, [cli, 'check', '--fail-on', 'never', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.resume()
    const [exitCode] = await once(child, 'exit')
    const seconds = (performance.now() - before) / 1_000
    if (exitCode !== 0 && exitCode !== 1) throw new Error(`check ended with ${exitCode}`)
    console.log(`check over ${CONFIGS.toLocaleString('en-US')} configs: ${seconds.toFixed(2)} s`)
    return seconds
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** No two configs are alike, but as in a real repository their batch sizes differ more often than their models. */
async function writeTree(folder: string): Promise<void> {
  for (let index = 0; index < CONFIGS; index++) {
    const team = path.join(folder, `team-${index % 20}`)
    await mkdir(team, { recursive: true })
    const model = models[index % models.length] ?? 'bert'
    await writeFile(path.join(team, `train-${index}.yaml`), config(model, 1 + Math.floor(index / models.length)))
  }
}

function config(model: string, batchSize: number): string {
  const size = model.startsWith('resnet') ? 'image_size: 224' : 'sequence_length: 128'
  return `memorymark:\n  model: ${model}\n  batch_size: ${batchSize}\n  ${size}\n`
}
