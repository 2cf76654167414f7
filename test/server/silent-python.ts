/** An interpreter that starts and never says anything, so that a sweep goes on until it is ended. It writes its process id. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

export class SilentPython implements AsyncDisposable {
  readonly command: string
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
    this.command = path.join(folder, 'python')
  }

  static async create(): Promise<SilentPython> {
    const python = new SilentPython(await mkdtemp(path.join(tmpdir(), 'memorymark-python-')))
    await writeFile(python.command, `#!/bin/sh\necho $$ >> "${python.#pids}"\nexec sleep 600\n`)
    await chmod(python.command, 0o755)
    return python
  }

  /** Of every process that was started. */
  async pids(): Promise<number[]> {
    const lines = await readFile(this.#pids, 'utf8').catch(() => '')
    return lines.split('\n').filter(Boolean).map(Number)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }

  get #pids(): string {
    return path.join(this.#folder, 'pids')
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
