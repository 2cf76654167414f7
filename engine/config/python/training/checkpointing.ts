/** Checkpointing that a script turns on besides a trainer's arguments. */
import type { Field } from '../../text/section.ts'
import { callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Located, Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'
import type { Loaded } from './model-loading.ts'

/** Whether checkpoints are reentrant. */
const KWARGS = 'gradient_checkpointing_kwargs'

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
  const form = (values: ReadonlyMap<string, Value>) => {
    const given = values.get(KWARGS)
    return given === undefined || given.kind === 'none' ? [] : [fieldOf(KWARGS, given, file)]
  }
  const { prepared } = chain
  if (prepared?.call !== undefined) {
    const { values } = evaluator.argumentsOf(prepared.call, prepared.site, ['model', 'use_gradient_checkpointing'])
    const asked = values.get('use_gradient_checkpointing')
    if (asked === undefined) return [...on(prepared, 'prepare_model_for_kbit_training'), ...form(values)]
    const field = fieldOf(key, asked, file)
    if (asked.kind !== 'flag' || asked.flag) return [field, ...form(values)]
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
      const enabled = callExpression(call)
      const given = enabled && evaluator.argumentsOf(enabled, siteAt(call), [KWARGS]).values
      if (isReached === true) return [...on(located, 'gradient_checkpointing_enable'), ...(given ? form(given) : [])]
      if (isReached === undefined) return [openField(located, key, `it depends on ${why}`, file)]
    }
  }
  return []
}
