/** `memorymark check` over a folder of files, as a whole process: its time and its peak memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { SourceFile } from '../../engine/config/reading.ts'

export const cli = fileURLToPath(new URL('../../engine/cli/main.ts', import.meta.url))

const usage = z.object({ cpuSeconds: z.number().positive(), peakRssMib: z.number().positive() })
const statuses = z.object({ configs: z.array(z.object({ status: z.string() })) })

export interface TreeRun extends z.infer<typeof usage> {
  readonly seconds: number
  readonly found: number
  readonly analysed: number
}

/** Run in the process before the command line, which then says at its exit what it has used. */
const meter = `
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
    const used = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakRssMib: maxRSS / 1024 }
    writeSync(3, JSON.stringify(used))
  })`

export async function checkTree(files: readonly SourceFile[]): Promise<TreeRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-bench-'))
  try {
    await writeFiles(folder, files)
    const before = performance.now()
    const preloaded = `data:text/javascript,${encodeURIComponent(meter)}`
    const child = spawn(process.execPath, ['--import', preloaded, cli, 'check', '--fail-on', 'never', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    })
    const metered = child.stdio[3]
    if (child.stdout === null || !(metered instanceof Readable)) throw new Error('what check has used is not piped')
    const [report, used, [exitCode]] = await Promise.all([text(child.stdout), text(metered), once(child, 'exit')])
    const seconds = (performance.now() - before) / 1_000
    // 1: some configs do not fit; 2: some cannot be analysed, which leaves the answer incomplete.
    if (![0, 1, 2].includes(exitCode)) throw new Error(`check ended with ${exitCode}`)
    const { configs } = statuses.parse(JSON.parse(report))
    const analysed = configs.filter(({ status }) => status === 'analysed').length
    return { seconds, ...usage.parse(JSON.parse(used)), found: configs.length, analysed }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeFiles(folder: string, files: readonly SourceFile[]): Promise<void> {
  const folders = new Set(files.map(file => path.join(folder, path.dirname(file.path))))
  for (const one of folders) await mkdir(one, { recursive: true })
  for (const file of files) await writeFile(path.join(folder, file.path), file.text)
}
