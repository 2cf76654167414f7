/**
 * Names for the parts of a split bundle that stay the same from build to build, so that a commit shows what changed in a file
 * instead of one file that went and another that came. esbuild tells parts apart only by a hash of what they contain.
 */
import path from 'node:path'
import type { Metafile, OutputFile } from 'esbuild'

/** What esbuild's `[hash]` looks like in a name made by `PREFIX-[name]-[hash]`. */
const HASHED = /^(?<name>.+)-[0-9A-Z]{8}(?<extension>\..+)$/

interface Part {
  readonly hashed: string
  /** Without the hash. */
  readonly name: string
  readonly extension: string
  /** The sources in it, which tell parts of one name apart. */
  readonly inputs: string
}

/** The same files, renamed, and naming each other by their new names. Paths of `metafile` are relative to `root`. */
export function withStableNames(files: readonly OutputFile[], metafile: Metafile, root: string): readonly OutputFile[] {
  const names = stableNames(files.map(file => partOf(file.path, metafile, root)).filter(part => part !== undefined))
  const renamed = (text: string) => names.reduce((result, [hashed, stable]) => result.replaceAll(hashed, stable), text)
  return files.map(file => {
    const text = renamed(file.text)
    const contents = Buffer.from(text)
    return { ...file, path: path.join(path.dirname(file.path), renamed(path.basename(file.path))), text, contents }
  })
}

function partOf(file: string, metafile: Metafile, root: string): Part | undefined {
  const { name, extension } = HASHED.exec(path.basename(file))?.groups ?? {}
  // A licence text follows the script that it belongs to.
  if (name === undefined || extension !== '.js') return undefined
  const inputs = Object.keys(metafile.outputs[path.relative(root, file)]?.inputs ?? {})
  return { hashed: path.basename(file, extension), name, extension, inputs: inputs.toSorted().join('\n') }
}

/** Parts that share a name are numbered in the order of their sources. */
function stableNames(parts: readonly Part[]): (readonly [hashed: string, stable: string])[] {
  return [...Map.groupBy(parts, ({ name }) => name)].flatMap(([name, sharing]) =>
    sharing
      .toSorted((a, b) => (a.inputs < b.inputs ? -1 : 1))
      .map(({ hashed }, index) => [hashed, sharing.length === 1 ? name : `${name}-${index + 1}`] as const),
  )
}
