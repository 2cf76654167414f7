/**
 * Builds dist/ from the sources: `build.ts` writes it, `build.ts --check` compares it with what a build would write.
 * Whoever uses the action runs dist/ as it is committed, so it must be exactly what these sources give.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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

/** What is committed and differs from `files`, is missing, or lies in dist/ though no source builds it, as of an older build. */
async function outdated(files: readonly BuiltFile[]): Promise<string[]> {
  const built = new Map(files.map(({ name, contents }) => [name, contents]))
  const entries = await readdir(path.join(root, 'dist'), { recursive: true, withFileTypes: true }).catch(() => [])
  const lying = entries
    .filter(entry => entry.isFile())
    .map(entry => path.relative(root, path.join(entry.parentPath, entry.name)))
  const isStale = async (name: string) => {
    const contents = built.get(name)
    return contents === undefined || !(await readFile(path.join(root, name))).equals(contents)
  }
  const stale = await Promise.all(lying.map(isStale))
  const missing = [...built.keys()].filter(name => !lying.includes(name))
  return withoutIgnored([...lying.filter((_, index) => stale[index]), ...missing])
}

/** What `npm ci` builds is in nobody's commit, and older than the sources wherever they were pulled since. */
function withoutIgnored(names: readonly string[]): string[] {
  const { stdout } = spawnSync('git', ['check-ignore', '--stdin'], {
    cwd: root,
    input: names.join('\n'),
    encoding: 'utf8',
  })
  const ignored = new Set(stdout?.split('\n'))
  return names.filter(name => !ignored.has(name))
}

const files = (await Promise.all(bundles.map(buildBundle))).flat()
if (process.argv.includes('--check')) {
  const names = await outdated(files)
  for (const name of names) console.error(`${name} is not what the sources build. Run npm run build and commit it.`)
  process.exitCode = names.length === 0 ? 0 : 1
} else {
  await write(files)
}
