/** Python text → syntax tree, by Lezer's grammar. */
import type { PartialParse, Tree } from '@lezer/common'
import { parser } from '@lezer/python'

/** Steps around mistakes, each of which takes as long as hundreds of others; a mistake takes some ten. */
const MAX_RECOVERING_STEPS = 20_000

/**
 * Takes time linear in the text, and never throws: what is not Python becomes error nodes. Of a text of thousands of mistakes, which
 * nobody can run, only what stands before most of them is read.
 */
export function parsePython(text: string): Tree {
  const parse: Parse = parser.startParse(text)
  rememberActions(parse)
  let recovering = 0
  for (;;) {
    const tree = parse.advance()
    if (tree !== null) return tree
    if (parse.recovering && ++recovering === MAX_RECOVERING_STEPS) parse.stopAt(parse.parsedPos)
  }
}

/** As @lezer/lr 1.4 parses: `recovering` is above 0 for some tokens after a mistake. */
type Parse = PartialParse & { readonly tokens?: Tokens; readonly recovering?: number }

/** What @lezer/lr 1.4 keeps of the tokens ahead (TokenCache), as far as it is used here. */
interface Tokens {
  /** Triples of an action, its token and where that ends. */
  readonly actions: number[]
  /** Adds what `token` does in the stack's state from `index` on, and says where the list ends. */
  addActions(stack: { readonly state: number }, token: number, end: number, index: number): number
}

const TOKENS = 2 ** 16
/** By state and token, of the grammar's tables. */
const remembered = new Map<number, readonly number[]>()

/**
 * Lezer scans all actions of a state for each token, which takes a third of its time. They depend on the grammar alone, so that
 * each scan is made once. Without the method, the parse is only slower.
 */
function rememberActions(parse: Parse): void {
  const { tokens } = parse
  if (typeof tokens?.addActions !== 'function') return
  const scan = tokens.addActions.bind(tokens)
  const { actions } = tokens
  tokens.addActions = (stack, token, end, index) => {
    if (index > 0) return scan(stack, token, end, index)
    const key = stack.state * TOKENS + token
    const known = remembered.get(key)
    if (known === undefined) {
      const count = scan(stack, token, end, 0)
      remembered.set(
        key,
        actions.slice(0, count).filter((_, place) => place % 3 === 0),
      )
      return count
    }
    let next = 0
    for (const action of known) {
      actions[next] = action
      actions[next + 1] = token
      actions[next + 2] = end
      next += 3
    }
    return next
  }
}
