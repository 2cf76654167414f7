/** Attributes that a script sets on what it parsed of the command line, asked for where that was passed on. */
import type { Evaluator } from './evaluator.ts'
import { siteOf } from './sites.ts'
import type { LibraryCall, Value } from './values.ts'

/** `args = parser.parse_args()`, then `args.model_name_or_path = PATHS[args.model_type]`; undefined for what is set nowhere beside it. */
export function setOnParsed(
  { name, from, site }: LibraryCall,
  attribute: string,
  evaluator: Evaluator,
): Value | undefined {
  if (!/\.parse_(?:known_)?args$/.test(name)) return undefined
  const { scope } = site
  for (const [target, bindings] of scope.bindings) {
    const set = scope.members.get(`${target}.${attribute}`)
    const isIt = bindings.some(({ value }) => value.kind === 'expression' && value.expression.from === from)
    if (set !== undefined && isIt) return evaluator.names.reaching(set, siteOf(scope))
  }
  return undefined
}
