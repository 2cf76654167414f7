/**
 * A Python that has imported PyTorch and transformers already, for the run of Vitest: importing them takes seconds of every
 * test that starts it. Its command runs client.py, and server.py answers. Only on Linux, which tells when a fork ends.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { pythonEnvironment } from '../../engine/probes/python-environment.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where there is none. */
    warmPython: string | undefined
  }
}

export default async function startWarmPython({ config, provide }: TestProject): Promise<(() => Promise<void>) | void> {
  const interpreter = process.platform === 'linux' ? interpreterOf(process.env.MEMORYMARK_PYTHON) : undefined
  if (interpreter === undefined) return provide('warmPython', undefined)
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-warm-python-'))
  const command = path.join(folder, 'python')
  const client = await readFile(path.join(import.meta.dirname, 'client.py'), 'utf8')
  await writeFile(command, `#!${interpreter} -IS\n${client}`, { mode: 0o755 })
  const server = spawn(interpreter, ['-u', path.join(import.meta.dirname, 'server.py'), path.join(folder, 'socket')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: pythonEnvironment({ ...process.env, ...config.env }, process.cwd()),
  })
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  provide('warmPython', command)
  return async () => {
    const ended = once(server, 'exit')
    server.stdin.end()
    await ended
    await rm(folder, { recursive: true })
  }
}

/** Of a command that may be a link or a name: the path by which Python itself knows it. */
function interpreterOf(command: string | undefined): string | undefined {
  if (command === undefined) return
  try {
    return execFileSync(command, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  } catch {
    return
  }
}
