/**
 * What an answer costs in time and memory: one assessment of a well-known model once the process is warm; each of 1,000 configs that
 * differ as those of many teams do (bench/speed/configs.ts); and `memorymark check` as a whole process, as npm would install it, over
 * these 1,000 and over 33,000 files of which these are a part.
 * Where Python has torch and transformers (MEMORYMARK_PYTHON, default python3), also a whole `memorymark sweep --engine trace
 * bert`, Python's start included; elsewhere it says that this was left out.
 * Fails when a limit below is exceeded, or when too few of the configs get a verdict.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from '../engine/config/reading.ts'
import { type AnalyzeOptions, analyze, noSettings, readSettings } from '../engine/index.ts'
import { describeMachine } from '../engine/probes/device.ts'
import { InstalledCommands } from '../scripts/installed-commands.ts'
import { checkTree, type TreeRun } from './speed/check-tree.ts'
import { otherFiles, settings, trainingConfigs } from './speed/configs.ts'

const LIMITS = {
  estimateMillis: 20,
  tracedSweepSeconds: 15,
  configsSeconds: 10,
  filesSeconds: 20,
  peakMib: 300,
  verdicts: 900,
}
const WARM_UP = 30
const RUNS = 101
const CONFIGS = 1_000
const FILES = 33_000

const models = ['bert', 'gpt2', 'gpt2-xl', 'resnet-152']

const medians: number[] = []
for (const model of models) medians.push(await medianMillis(model))
const slowest = Math.max(...medians)
const configs = trainingConfigs(CONFIGS)
const verdicts = await timeEach(configs)
await using installed = await InstalledCommands.build()
const alone = await timeTree(`${count(CONFIGS)} configs`, [settings, ...configs])
const among = await timeTree(`${count(FILES)} files`, [settings, ...configs, ...otherFiles(FILES - CONFIGS)])
const sweepSeconds = await tracedSweepSeconds()

const passed =
  slowest <= LIMITS.estimateMillis &&
  verdicts >= LIMITS.verdicts &&
  alone.seconds <= LIMITS.configsSeconds &&
  among.seconds <= LIMITS.filesSeconds &&
  Math.max(alone.peakMib, among.peakMib) <= LIMITS.peakMib &&
  (sweepSeconds === undefined || sweepSeconds <= LIMITS.tracedSweepSeconds)
const sweepWords =
  sweepSeconds === undefined
    ? 'traced sweep left out for want of PyTorch'
    : `traced sweep ${sweepSeconds.toFixed(1)} s (limit ${LIMITS.tracedSweepSeconds})`
console.log(
  `${passed ? 'ok' : 'FAILED'}: one estimate ${slowest.toFixed(1)} ms at most (limit ${LIMITS.estimateMillis}), ` +
    `${verdicts} verdicts (at least ${LIMITS.verdicts}), ` +
    `${count(CONFIGS)} configs ${told(alone, LIMITS.configsSeconds)}, ` +
    `${count(FILES)} files ${told(among, LIMITS.filesSeconds)}, ${sweepWords}`,
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
  const median = quantile(sorted, 0.5)
  console.log(`${model}: median ${median.toFixed(1)} ms, ${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)}`)
  return median
}

/** Returns how many got a verdict. */
async function timeEach(files: readonly SourceFile[]): Promise<number> {
  const reading = readSettings(settings)
  const options: AnalyzeOptions = {
    now: new Date(),
    settings: reading.kind === 'settings' ? reading.settings : noSettings,
  }
  let verdicts = 0
  const times: number[] = []
  for (const file of files) {
    const before = performance.now()
    const report = await analyze([file], options)
    if (report.configs[0]?.status !== 'analysed') continue
    times.push(performance.now() - before)
    verdicts++
  }
  const sorted = times.toSorted((a, b) => a - b)
  const [median, p95, most] = [0.5, 0.95, 1].map(share => quantile(sorted, share).toFixed(1))
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  console.log(
    `each of ${count(files.length)} configs that differ: ${verdicts} verdicts, mean ${mean.toFixed(1)} ms, ` +
      `median ${median}, 95 % within ${p95}, slowest ${most}`,
  )
  return verdicts
}

async function timeTree(name: string, files: readonly SourceFile[]): Promise<TreeRun> {
  const run = await checkTree(installed.cli, files)
  const { seconds, cpuSeconds, peakMib, found, analysed } = run
  console.log(
    `check over ${name}: ${seconds.toFixed(2)} s, of CPU ${cpuSeconds.toFixed(2)} s, ${peakMib.toFixed(0)} MiB at most; ` +
      `${analysed} of ${found} configs analysed`,
  )
  return run
}

function told({ seconds, peakMib }: TreeRun, limitSeconds: number): string {
  return `${seconds.toFixed(1)} s (limit ${limitSeconds}) and ` + `${peakMib.toFixed(0)} MiB (limit ${LIMITS.peakMib})`
}

/** Undefined without PyTorch. */
async function tracedSweepSeconds(): Promise<number | undefined> {
  const machine = await describeMachine(process.env.MEMORYMARK_PYTHON ?? 'python3')
  if (machine.kind === 'no-python') return undefined
  const before = performance.now()
  const cli = fileURLToPath(new URL('../cli/main.ts', import.meta.url))
  const child = spawn(process.execPath, [cli, 'sweep', 'bert', '--engine', 'trace', '--json'], { stdio: 'ignore' })
  const [exitCode] = await once(child, 'exit')
  // 1: the default batch wastes the default card, and the sweep says so.
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`memorymark sweep ended with ${exitCode}`)
  return (performance.now() - before) / 1_000
}

function config(model: string, batchSize: number): string {
  const size = model.startsWith('resnet') ? 'image_size: 224' : 'sequence_length: 128'
  return `memorymark:\n  model: ${model}\n  batch_size: ${batchSize}\n  ${size}\n`
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
