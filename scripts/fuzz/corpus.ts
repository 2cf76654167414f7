/** The configs that mutations start from: those that `bench:configs` reads, and the files that are none. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { SourceFile } from '../../engine/index.ts'
import { root } from '../bundles.ts'

export const corpus: readonly SourceFile[] = ['training', 'other'].flatMap(folder => filesIn(`bench/configs/${folder}`))

function filesIn(folder: string): SourceFile[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map(file => ({ path: path.relative(path.join(root, folder), file), text: readFileSync(file, 'utf8') }))
}
