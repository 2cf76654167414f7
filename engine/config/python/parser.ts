/** Python text → syntax tree, by Lezer's grammar. Its package is read when the first file asks for it, since few runs have one. */
import { createRequire } from 'node:module'
import type { Tree } from '@lezer/common'

const load = createRequire(import.meta.url)
const lezer = (): typeof import('@lezer/python') => load('@lezer/python')

/** Takes time linear in the text, and never throws: what is not Python becomes error nodes. */
export function parsePython(text: string): Tree {
  return lezer().parser.parse(text)
}
