/** Runs the real command line, as npm installs it, in a child process, in a directory of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { python } from '../probes/python.ts'
import { sharedCommand } from '../shared-builds.ts'

export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

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

  async run(...args: string[]): Promise<Run> {
    const script = await sharedCommand('memorymark')
    return new Promise(resolve => {
      const child = execFile(
        process.execPath,
        [script, ...args],
        {
          cwd: this.folder,
          env: {
            ...process.env,
            NODE_OPTIONS: '',
            NO_COLOR: '1',
            HF_HUB_OFFLINE: '1',
            MEMORYMARK_PYTHON: python,
            // Sizes of real models are only counted here, not computed on the CPU.
            MEMORYMARK_TFJS_NATIVE: this.folder,
          },
          maxBuffer: 2 ** 26,
        },
        (_, stdout, stderr) => resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
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
