/** Models that the script puts on the GPU before it trains another one, and still holds by a name while it trains. */
import type { Field } from '../../text/section.ts'
import type { Binding, Call } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { isOff, type LibraryCall, type Value } from '../values/values.ts'
import { saidBy } from './fields.ts'
import { modelChain } from './model-chain.ts'
import { isLoadedApart } from './models-beside.ts'

/** Names that are looked into. */
const MAX_NAMES = 20

/** `given`: what the trainer is given, whose models are counted or named elsewhere. */
export function modelsKept(
  trainer: Call,
  trained: LibraryCall | undefined,
  given: ReadonlyMap<string, Value>,
  evaluator: Evaluator,
): readonly Field[] {
  const { module, scope } = trainer
  if (trained === undefined) return []
  const handed = [...given.values()].map(value => modelChain(value, evaluator).loaded?.from)
  const names = [...new Set([scope, module.top])].flatMap(each =>
    [...each.bindings].filter(([, all]) => all.some(isLoad)).map(([name, all]) => ({ scope: each, name, all })),
  )
  return names.slice(0, MAX_NAMES).flatMap(({ scope: of, name, all }) => {
    const site = of === scope ? siteAt(trainer) : { module, scope: of, at: startOf(trainer), branches: [] }
    const value = evaluator.names.reaching(all, site)
    const { loaded } = modelChain(value, evaluator)
    if (value === undefined || loaded?.kind !== 'call' || handed.includes(loaded.from)) return []
    const isKept = isLoadedApart(loaded, trained) && !isDeleted(name, trainer)
    return isKept && isOnGpu(loaded, name, evaluator)
      ? [saidBy(loaded, name, { kind: 'text', text: name }, module, `the model that ${name} holds`)]
      : []
  })
}

function isLoad({ value, scope }: Binding): boolean {
  const made = value.kind === 'expression' ? value.expression : value.kind === 'element' ? value.of : undefined
  return made?.kind === 'call' && scope.module.text.slice(made.from, made.to).includes('from_pretrained(')
}

/** Where the module's own lines start the function that trains; its end where it is not told. */
function startOf({ module, scope, at }: Call): number {
  const starts = (module.calls.get(scope.name) ?? []).filter(call => call.scope === module.top).map(call => call.at)
  return starts.length > 0 ? Math.max(...starts) : at
}

function isDeleted(name: string, { module, at }: Call): boolean {
  const before = module.text.slice(0, at).split('\n')
  return before.some(line => /^\s*del\b/.test(line) && line.split(/\W+/).includes(name))
}

/** Unsloth loads onto the GPU, and so do device_map and quantised weights; any other model goes there by `to` or `cuda`. */
function isOnGpu({ name, call, site, module }: LibraryCall, bound: string, evaluator: Evaluator): boolean {
  if (name.startsWith('unsloth.')) return true
  const { values } = call === undefined ? { values: new Map<string, Value>() } : evaluator.argumentsOf(call, site)
  const isSet = (value: Value | undefined) => value !== undefined && !isOff(value) && !isOnCpu(value)
  if (['device_map', 'quantization_config', 'load_in_4bit', 'load_in_8bit'].some(key => isSet(values.get(key))))
    return true
  return [...(module.calls.get('to') ?? []), ...(module.calls.get('cuda') ?? [])].some(({ node }) => {
    const written = module.text.slice(node.from, node.to)
    return written.startsWith(`${bound}.`) && !written.includes('cpu')
  })
}

function isOnCpu(value: Value): boolean {
  return value.kind === 'text' && value.text === 'cpu'
}
