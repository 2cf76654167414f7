/**
 * The commands as npm installs them: their bundles, built now from the sources, with the packages and the Python worker beside them.
 * They start in less than half the time that Node takes for the sources.
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { actionBundle, type Bundle, botBundle, buildBundle, bundles, cliBundle, root } from './bundles.ts'

/** `folder`: there already, and empty. */
export function buildCommands(folder: string): Promise<void> {
  return buildInstalled(
    folder,
    bundles.filter(bundle => bundle !== actionBundle),
  )
}

/** Some of the bundles, where npm would install them. */
export async function buildInstalled(folder: string, installed: readonly Bundle[]): Promise<void> {
  await mkdir(path.join(folder, 'dist/dashboard'), { recursive: true })
  const files = await Promise.all(installed.map(buildBundle))
  for (const { name, contents } of files.flat()) await writeFile(path.join(folder, name), contents)
  for (const name of ['engine', 'node_modules']) await symlink(path.join(root, name), path.join(folder, name))
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
}

/** What Node starts of a folder that `buildCommands` has filled. */
export function scriptIn(folder: string, command: 'memorymark' | 'memorymark-bot'): string {
  return path.join(folder, command === 'memorymark' ? cliBundle.outfile : botBundle.outfile)
}

export class InstalledCommands implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async build(): Promise<InstalledCommands> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-installed-'))
    await buildCommands(folder)
    return new InstalledCommands(folder)
  }

  /** The command line. */
  get cli(): string {
    return scriptIn(this.#folder, 'memorymark')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}
