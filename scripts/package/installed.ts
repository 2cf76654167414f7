/** The package installed under one version of Node. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Finished, output, run } from './command.ts'
import { installGlobally, npmEnvironment } from './packed.ts'

export interface InstallOptions {
  readonly tarball: string
  /** In the form of the npm package `node`: `22.12`. */
  readonly node: string
  /** An empty folder for this installation only. */
  readonly folder: string
}

export class Installed {
  /** In Node's own form: `v22.12.0`. */
  readonly node: string
  readonly #folder: string
  readonly #env: NodeJS.ProcessEnv

  private constructor(node: string, folder: string, env: NodeJS.ProcessEnv) {
    this.node = node
    this.#folder = folder
    this.#env = env
  }

  static async under({ tarball, node, folder }: InstallOptions): Promise<Installed> {
    const home = path.join(folder, 'node')
    const prefix = path.join(folder, 'prefix')
    await mkdir(home, { recursive: true })
    await output('npm', ['install', '--prefix', home, `node@${node}`], { cwd: home, env: npmEnvironment })
    const search = [path.join(home, 'node_modules/node/bin'), path.join(prefix, 'bin'), process.env.PATH]
    const env = { ...npmEnvironment, PATH: search.join(path.delimiter) }
    await installGlobally(tarball, prefix, env)
    return new Installed((await output('node', ['--version'], { cwd: folder, env })).trim(), folder, env)
  }

  /** In an empty folder by default, without the bot's variables. */
  run(command: string, args: readonly string[], cwd = this.#folder): Promise<Finished> {
    return run(command, args, { cwd, env: this.#env })
  }
}
