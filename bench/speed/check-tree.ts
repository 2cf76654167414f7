/** Runs `memorymark check` on a folder and measures all its processes together. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import type { SourceFile } from '../../engine/config/reading.ts'
import { cpuMillisOf } from '../../engine/isolation/usage.ts'

const statuses = z.object({ configs: z.array(z.object({ status: z.string() })) })

export interface TreeRun {
  readonly seconds: number
  /** Of all processes. */
  readonly cpuSeconds: number
  /** The sum of each process's peak. Linux only, like the CPU time. */
  readonly peakRssMib: number
  readonly found: number
  readonly analysed: number
}

const LOOK_MILLIS = 50
const KIB_PER_MIB = 1_024

/** `cli`: the script of the command line. */
export async function checkTree(cli: string, files: readonly SourceFile[]): Promise<TreeRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-bench-'))
  try {
    await writeFiles(folder, files)
    const before = performance.now()
    const child = spawn(process.execPath, [cli, 'check', '--fail-on', 'never', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const processes = new Map<number, Usage>()
    const watch = setInterval(() => child.pid !== undefined && look(child.pid, processes), LOOK_MILLIS)
    const [report, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    clearInterval(watch)
    const seconds = (performance.now() - before) / 1_000
    // 1: some configs do not fit; 2: some cannot be analysed.
    if (![0, 1, 2].includes(exitCode)) throw new Error(`check ended with ${exitCode}`)
    const { configs } = statuses.parse(JSON.parse(report))
    const analysed = configs.filter(({ status }) => status === 'analysed').length
    const used = [...processes.values()]
    const cpuSeconds = used.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0) / 1_000
    const peakRssMib = used.reduce((sum, { peakMib }) => sum + peakMib, 0)
    return { seconds, cpuSeconds, peakRssMib, found: configs.length, analysed }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Usage {
  readonly cpuMillis: number
  readonly peakMib: number
}

/** The system records each process's peak, so occasional sampling is enough. */
function look(pid: number, processes: Map<number, Usage>): void {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1]
  const cpuMillis = cpuMillisOf(pid)
  if (peak === undefined || cpuMillis === undefined) return
  processes.set(pid, { cpuMillis, peakMib: Number(peak) / KIB_PER_MIB })
  for (const child of read(`/proc/${pid}/task/${pid}/children`).split(' ')) {
    if (child !== '') look(Number(child), processes)
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function writeFiles(folder: string, files: readonly SourceFile[]): Promise<void> {
  const folders = new Set(files.map(file => path.join(folder, path.dirname(file.path))))
  for (const one of folders) await mkdir(one, { recursive: true })
  for (const file of files) await writeFile(path.join(folder, file.path), file.text)
}
