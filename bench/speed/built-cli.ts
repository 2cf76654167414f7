/** The command line as npm installs it: its bundles, built now from the sources, with the packages beside them. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { analysisBundle, buildBundle, cliBundle, root } from '../../scripts/bundles.ts'

export class BuiltCli implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async build(): Promise<BuiltCli> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-cli-'))
    await mkdir(path.join(folder, 'dist'))
    const files = await Promise.all([cliBundle, analysisBundle].map(buildBundle))
    for (const { name, contents } of files.flat()) await writeFile(path.join(folder, name), contents)
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
    return new BuiltCli(folder)
  }

  /** What Node starts. */
  get script(): string {
    return path.join(this.#folder, cliBundle.outfile)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}
