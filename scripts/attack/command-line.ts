/** The command line on a folder of files, each time in a new process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { SETTINGS_PATH } from '../../engine/index.ts'
import { root } from '../bundles.ts'
import { filesOf } from './files.ts'
import type { Files, HostileInput } from './input.ts'
import { ProcessTree } from './process-tree.ts'
import { GIVE_UP_MILLIS, type Surface } from './surface.ts'

/** Arguments, once the config is known. */
type Arguments = (config: string) => readonly string[]

/** `check` on everything; the others take one config. */
export const checking: Surface = surfaceOf('command line', () => ['check', '.'])

/** After reading, each would run trials, which here end at once: by our own model, or because there is no Python. */
export const onOneConfig: readonly Surface[] = [
  surfaceOf('estimate', config => ['estimate', config]),
  surfaceOf('sweep', config => ['sweep', config, '--engine', 'estimate']),
  surfaceOf('validate-backward', config => ['validate-backward', config, '--engine', 'trace']),
  surfaceOf('validate-compile', config => ['validate-compile', config]),
]

function surfaceOf(name: string, argumentsFor: Arguments): Surface {
  return {
    name,
    answer: inputs => answerTo(inputs, argumentsFor),
    [Symbol.asyncDispose]: async () => {},
  }
}

async function answerTo(inputs: readonly HostileInput[], argumentsFor: Arguments) {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-attack-'))
  const files = filesOf(inputs)
  for (const [name, entry] of Object.entries(files)) await write(path.join(folder.path, name), entry)
  const config = Object.keys(files).find(name => name !== SETTINGS_PATH) ?? ''
  const begun = performance.now()
  const child = spawn(process.execPath, [path.join(root, 'dist/cli.js'), ...argumentsFor(config)], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HF_HUB_OFFLINE: '1', MEMORYMARK_PYTHON: path.join(folder.path, 'no-python') },
  })
  await using tree = new ProcessTree(child.pid ?? 0)
  const giveUp = setTimeout(() => tree.kill(), GIVE_UP_MILLIS)
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(giveUp)
  const millis = performance.now() - begun
  const cpuMillis = tree.takeCpuMillis()
  const peakMib = tree.takePeakMib()
  const survivors = await tree.survivors()
  const isAnswer = child.exitCode !== null && child.exitCode <= 2
  const fault = !isAnswer
    ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`
    : survivors > 0
      ? `left ${survivors} processes behind`
      : stackIn(out + errors)
  return { millis, cpuMillis, peakMib, ...(fault !== undefined && { fault }) }
}

/** As git checks it out; a submodule that is not fetched is an empty folder. */
async function write(file: string, entry: Files[string] = ''): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  if (typeof entry === 'string') await writeFile(file, entry)
  else if (entry.kind === 'submodule') await mkdir(file, { recursive: true })
  else if (entry.kind === 'link') await symlink(entry.text, file)
  else await writeFile(file, entry.text)
}

/** A stack is for bugs of ours. */
export function stackIn(log: string): string | undefined {
  return /^ +at .+:\d+:\d+\)?$/m.test(log) ? 'wrote a stack' : undefined
}
