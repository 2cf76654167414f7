/** `memorymark check` on a folder, each time in a new process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../bundles.ts'
import { filesOf } from './files.ts'
import { ProcessTree } from './process-tree.ts'
import { GIVE_UP_MILLIS, type Surface } from './surface.ts'

export const commandLine: Surface = {
  name: 'command line',
  async answer(inputs) {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-attack-'))
    for (const [name, contents] of Object.entries(filesOf(inputs))) {
      const file = path.join(folder.path, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, contents)
    }
    const begun = performance.now()
    const child = spawn(process.execPath, [path.join(root, 'dist/cli.js'), 'check', '.'], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await using tree = new ProcessTree(child.pid ?? 0)
    const giveUp = setTimeout(() => tree.kill(), GIVE_UP_MILLIS)
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    clearTimeout(giveUp)
    const millis = performance.now() - begun
    const peakMib = tree.takePeakMib()
    const survivors = await tree.survivors()
    const isAnswer = child.exitCode !== null && child.exitCode <= 2
    const fault = !isAnswer
      ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`
      : survivors > 0
        ? `left ${survivors} processes behind`
        : stackIn(out + errors)
    return { millis, peakMib, ...(fault !== undefined && { fault }) }
  },
  [Symbol.asyncDispose]: async () => {},
}

/** A stack is for bugs of ours. */
export function stackIn(log: string): string | undefined {
  return /^ +at .+:\d+:\d+\)?$/m.test(log) ? 'wrote a stack' : undefined
}
