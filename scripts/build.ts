/**
 * Builds dist/ from the sources: `build.ts` writes it, `build.ts --check` compares it with what a build would write.
 * Whoever uses the action runs dist/ as it is committed, so it must be exactly what these sources give.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuiltFile, buildBundle, bundles, root } from './bundles.ts'

async function write(files: readonly BuiltFile[]): Promise<void> {
  await rm(path.join(root, 'dist'), { recursive: true, force: true })
  for (const { name, contents } of files) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    // npm makes the entries of `bin` executable when it links them; committed so, an install leaves the tree clean.
    const mode = contents.subarray(0, 2).toString() === '#!' ? 0o755 : 0o644
    await writeFile(path.join(root, name), contents, { mode })
    console.log(`${name}  ${(contents.byteLength / 1e6).toFixed(2)} MB`)
  }
}

async function outdated(files: readonly BuiltFile[]): Promise<string[]> {
  const names: string[] = []
  for (const { name, contents } of files) {
    const committed = await readFile(path.join(root, name)).catch(() => undefined)
    if (committed === undefined || !committed.equals(contents)) names.push(name)
  }
  return names
}

const files = (await Promise.all(bundles.map(buildBundle))).flat()
if (process.argv.includes('--check')) {
  const names = await outdated(files)
  for (const name of names) console.error(`${name} is not what the sources build. Run npm run build and commit it.`)
  process.exitCode = names.length === 0 ? 0 : 1
} else {
  await write(files)
}
