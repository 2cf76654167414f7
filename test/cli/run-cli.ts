/** Runs the real command line, as npm installs it, in a directory of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { python } from '../probes/python.ts'
import { sharedCommand } from '../shared-builds.ts'
import { runWarm } from './run-warm.ts'
import type { Run } from './warm-commands.ts'

export class Workspace implements AsyncDisposable {
  readonly folder: string
  private constructor(folder: string) {
    this.folder = folder
  }

  /** `files`: their text by path. */
  static async with(files: Readonly<Record<string, string>>): Promise<Workspace> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-cli-'))
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), text)
    }
    return new Workspace(folder)
  }

  /** In a process that has run commands before. */
  run(...args: string[]): Promise<Run> {
    return runIn(this.folder, args)
  }

  /** In a process of its own, as a shell starts it. */
  async runAlone(...args: string[]): Promise<Run> {
    const script = await sharedCommand('memorymark')
    return new Promise(resolve => {
      const options = { cwd: this.folder, env: environment(), maxBuffer: 2 ** 26 }
      const child = execFile(process.execPath, [script, ...args], options, (_, stdout, stderr) =>
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true })
  }
}

/** Where no file matters. */
export async function run(...args: string[]): Promise<Run> {
  await using workspace = await Workspace.with({})
  return await workspace.run(...args)
}

/** As `Workspace.run`, in any folder. */
export function runIn(folder: string, args: readonly string[]): Promise<Run> {
  return runWarm({ args, folder, environment: environment() })
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_OPTIONS: '',
    NO_COLOR: '1',
    HF_HUB_OFFLINE: '1',
    MEMORYMARK_PYTHON: python,
    // No native TensorFlow.js: sizes of real models are only counted here, not computed on the CPU.
    MEMORYMARK_TFJS_NATIVE: import.meta.dirname,
  }
}
