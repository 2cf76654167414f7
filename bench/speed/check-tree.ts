/** Runs `memorymark check` on a folder and measures all its processes together. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import type { SourceFile } from '../../engine/config/reading.ts'
import { read } from '../../scripts/attack/proc.ts'

const statuses = z.object({ configs: z.array(z.object({ status: z.string() })) })

export interface TreeRun {
  readonly seconds: number
  /** Of all processes. */
  readonly cpuSeconds: number
  /** The most that they hold together, as PSS: a page that several share counts once. Linux only, like the CPU time. */
  readonly peakMib: number
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
    const cpuMillis = new Map<number, number>()
    let peakMib = 0
    const watch = setInterval(() => {
      const ids = child.pid === undefined ? [] : withChildren(child.pid)
      for (const id of ids) cpuMillis.set(id, cpuMillisOf(id) ?? cpuMillis.get(id) ?? 0)
      peakMib = Math.max(peakMib, sum(ids.map(heldMib)))
    }, LOOK_MILLIS)
    const [report, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    clearInterval(watch)
    const seconds = (performance.now() - before) / 1_000
    // 1: some configs do not fit; 2: some cannot be analysed.
    if (![0, 1, 2].includes(exitCode)) throw new Error(`check ended with ${exitCode}`)
    const { configs } = statuses.parse(JSON.parse(report))
    const analysed = configs.filter(({ status }) => status === 'analysed').length
    const cpuSeconds = sum([...cpuMillis.values()]) / 1_000
    return { seconds, cpuSeconds, peakMib, found: configs.length, analysed }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function withChildren(id: number): readonly number[] {
  const children = read(`/proc/${id}/task/${id}/children`).split(' ').filter(Boolean).map(Number)
  return [id, ...children.flatMap(withChildren)]
}

function heldMib(id: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${id}/smaps_rollup`))?.[1]
  return Number(kib ?? 0) / KIB_PER_MIB
}

/** USER_HZ, which is 100 on every architecture that Node runs on. */
const MILLIS_PER_TICK = 10

/** CPU time since its start, of all its threads. */
function cpuMillisOf(id: number): number | undefined {
  // The name of the command, in parentheses, may hold spaces; utime and stime are the fields 14 and 15.
  const [user, system] = read(`/proc/${id}/stat`)
    .replace(/^.*\)\s/s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user === undefined || system === undefined ? undefined : (user + system) * MILLIS_PER_TICK
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

async function writeFiles(folder: string, files: readonly SourceFile[]): Promise<void> {
  const folders = new Set(files.map(file => path.join(folder, path.dirname(file.path))))
  for (const one of folders) await mkdir(one, { recursive: true })
  for (const file of files) await writeFile(path.join(folder, file.path), file.text)
}
