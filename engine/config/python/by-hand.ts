/** What a script does to its model besides a trainer's arguments: it turns on checkpointing or freezes weights. */
import type { Field } from '../section.ts'
import type { Evaluator } from './evaluator.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'
import type { Loaded } from './model-loading.ts'
import { callExpression, classAround, type Module, type Scope } from './module.ts'
import type { LibraryCall, Located, Site } from './values.ts'

/** What the arguments say, unless the model was prepared for it otherwise. */
export function checkpointing(
  fields: readonly Field[],
  chain: ModelChain,
  loaded: Loaded,
  file: Module,
  evaluator: Evaluator,
): readonly Field[] {
  const key = 'gradient_checkpointing'
  const said = fields.find(field => field.key === key)
  if (said?.value.kind === 'flag' && said.value.flag) return []
  const on = (located: Located, name: string) => [saidBy(located, key, { kind: 'flag', flag: true }, file, name)]
  const { prepared } = chain
  if (prepared?.call !== undefined) {
    const { values } = evaluator.argumentsOf(prepared.call, prepared.site, ['model', 'use_gradient_checkpointing'])
    const asked = values.get('use_gradient_checkpointing')
    if (asked === undefined) return on(prepared, 'prepare_model_for_kbit_training')
    const field = fieldOf(key, asked, file)
    if (asked.kind !== 'flag' || asked.flag) return [field]
  }
  const modules = new Set([file, ...(loaded.module ? [loaded.module] : [])])
  for (const module of modules) {
    for (const call of module.calls.get('gradient_checkpointing_enable') ?? []) {
      const { isReached, why } = evaluator.isReached(call, {
        module,
        scope: call.scope,
        at: call.at,
        branches: call.branches,
      })
      const located = { module, from: call.at, to: call.node.to, remarks: [] }
      if (isReached === true) return on(located, 'gradient_checkpointing_enable')
      if (isReached === undefined) return [openField(located, key, `it depends on ${why}`, file)]
    }
  }
  return []
}

/** Weights that a script freezes by hand, and what loads the model for it in another file. */
export function frozenFields(
  files: readonly Module[],
  loaded: LibraryCall | undefined,
  evaluator: Evaluator,
): readonly Field[] {
  const [file] = files
  if (file === undefined) return []
  const elsewhere = loaded === undefined || files.includes(loaded.module) ? undefined : loaded
  const places = [
    ...files.flatMap(each => frozenIn(each, evaluator)),
    ...(elsewhere === undefined ? [] : frozenIn(elsewhere.module, evaluator).filter(isBeside(elsewhere.site))),
  ]
  const [first] = places
  if (first === undefined) return []
  const { module, at } = first
  const from = Math.max(0, module.text.lastIndexOf('\n', at - 1) + 1)
  const start = from + (/^\s*/.exec(module.text.slice(from, at))?.[0].length ?? 0)
  const located = { module, from: start, to: at, remarks: [] }
  return [saidBy(located, 'requires_grad', { kind: 'flag', flag: false }, file)]
}

interface FrozenPlace {
  readonly module: Module
  readonly scope: Scope
  readonly at: number
}

function frozenIn(module: Module, evaluator: Evaluator): readonly FrozenPlace[] {
  const byCall = [...module.calls]
    .filter(([name]) => /^(?:requires_grad_|freeze\w*)$/.test(name))
    .flatMap(([, calls]) => calls)
  const calls = byCall.filter(call => {
    const first = callExpression(call)?.arguments[0]
    return !(first?.kind === 'positional' && first.value.kind === 'flag' && first.value.flag)
  })
  const frozen = module.frozen.filter(place => evaluator.mayRun(place))
  return [...frozen, ...calls].map(({ scope, at }) => ({ module, scope, at }))
}

/** In the same function, or the same class. */
function isBeside(site: Site): (place: FrozenPlace) => boolean {
  const around = classAround(site.scope)
  return ({ scope }) => scope === site.scope || (around !== undefined && classAround(scope) === around)
}
