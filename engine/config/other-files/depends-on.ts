/** Whether a config, when read, depends on one of the files that a change touches. */
import { posix } from 'node:path'
import type { SuppliedFields } from '../fields/supplied.ts'
import { readConfigAsync } from '../read.ts'
import type { SourceFile } from '../reading.ts'
import type { Sources } from '../sources.ts'

/**
 * `known`: texts of files that were already read, including changed ones. A file in `named` without a text counts if
 * the config asks for it.
 */
export async function dependsOn(
  file: SourceFile,
  named: ReadonlySet<string>,
  known: Sources,
  supplied: SuppliedFields,
): Promise<boolean> {
  const asked = new Set<string>()
  const unknown = new Set<string>()
  const readFile = async (path: string) => {
    const text = await known.readFile?.(path)
    if (named.has(path)) (text === undefined ? unknown : asked).add(path)
    return text
  }
  const listFolder = async (folder: string) => {
    const here = [...named].filter(path => posix.dirname(path) === folder).map(path => posix.basename(path))
    return [...new Set([...here, ...((await known.listFolder?.(folder)) ?? [])])]
  }
  const reading = await readConfigAsync(file, { readFile, listFolder }, supplied)
  if (unknown.size > 0) return true
  if (reading.kind === 'several-trainings') return asked.size > 0
  if (reading.kind === 'not-a-training-config') return false
  return (reading.otherFiles ?? []).some(({ path }) => named.has(path))
}

/** Files that were read, as a config asks for them. */
export function knownFiles(files: readonly SourceFile[]): Sources {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return {
    readFile: async path => texts.get(path),
    listFolder: async folder =>
      [...texts.keys()].filter(path => posix.dirname(path) === folder).map(path => posix.basename(path)),
  }
}
