/** Python text → syntax tree, by Lezer's grammar. */
import type { Tree } from '@lezer/common'
import { parser } from '@lezer/python'

/** Takes time linear in the text, and never throws: what is not Python becomes error nodes. */
export function parsePython(text: string): Tree {
  return parser.parse(text)
}
