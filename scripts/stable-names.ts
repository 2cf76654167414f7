/**
 * Gives the chunks of a split bundle names that stay the same between builds, so that a commit shows changes within a
 * file instead of renamed files. esbuild names chunks only by a hash of their content.
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
  /** The chunk's sources, by which chunks of one name are told apart. */
  readonly inputs: string
}

/** The files renamed, with references to the new names. Paths of `metafile` are relative to `root`. */
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
  // A licence text is named after its script.
  if (name === undefined || extension !== '.js') return undefined
  const inputs = Object.keys(metafile.outputs[path.relative(root, file)]?.inputs ?? {})
  return { hashed: path.basename(file, extension), name, extension, inputs: inputs.toSorted().join('\n') }
}

/** Chunks with the same name are numbered in the order of their sources. */
function stableNames(parts: readonly Part[]): (readonly [hashed: string, stable: string])[] {
  return [...Map.groupBy(parts, ({ name }) => name)].flatMap(([name, sharing]) =>
    sharing
      .toSorted((a, b) => (a.inputs < b.inputs ? -1 : 1))
      .map(({ hashed }, index) => [hashed, sharing.length === 1 ? name : `${name}-${index + 1}`] as const),
  )
}
