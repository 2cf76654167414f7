/** Checkpointing that a script turns on besides a trainer's arguments. */
import { type Field, Section } from '../../text/section.ts'
import { callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Located, Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'
import type { Loaded } from './model-loading.ts'

/** Whether checkpoints are reentrant. */
const KWARGS = 'gradient_checkpointing_kwargs'
const KEY = 'gradient_checkpointing'
const PREPARE = 'prepare_model_for_kbit_training'
const ENABLE = 'gradient_checkpointing_enable'

interface Checkpointed {
  readonly chain: ModelChain
  readonly loaded: Loaded
  /** The trainer turns it on again by the default of its arguments. */
  readonly isEnabledAgain: boolean
}

/** What the arguments say, unless the model was prepared for it otherwise. */
export function checkpointing(
  fields: readonly Field[],
  { chain, loaded, isEnabledAgain }: Checkpointed,
  file: Module,
  evaluator: Evaluator,
): readonly Field[] {
  const said = fields.find(field => field.key === KEY)
  if (said?.value.kind === 'flag' && said.value.flag) return []
  const enabled = enabling(chain.prepared, loaded, file, evaluator)
  if (enabled?.isAfterPreparing) return enabled.fields
  const { prepared } = chain
  if (prepared?.call !== undefined) {
    const { values } = evaluator.argumentsOf(prepared.call, prepared.site, ['model', 'use_gradient_checkpointing'])
    const asked = values.get('use_gradient_checkpointing')
    const given = form(values, file)
    const isLast = said === undefined ? !isEnabledAgain : said.value.kind === 'flag'
    const formed = given.length === 0 && isLast ? [reentrant(prepared, file)] : given
    if (asked === undefined) return [on(prepared, PREPARE, file), ...formed]
    if (asked.kind !== 'flag' || asked.flag) return [fieldOf(KEY, asked, file), ...formed]
  }
  return enabled?.fields ?? []
}

interface Enabled {
  readonly fields: readonly Field[]
  readonly isAfterPreparing: boolean
}

/** `model.gradient_checkpointing_enable()`, where it runs. */
function enabling(
  prepared: Located | undefined,
  loaded: Loaded,
  file: Module,
  evaluator: Evaluator,
): Enabled | undefined {
  const modules = new Set([file, ...(loaded.module ? [loaded.module] : [])])
  for (const module of modules) {
    for (const call of module.calls.get(ENABLE) ?? []) {
      const { scope, at, branches } = call
      const { isReached, why } = evaluator.isReached(call, { module, scope, at, branches })
      const located = { module, from: at, to: call.node.to, remarks: [] }
      if (isReached === undefined) {
        return { fields: [openField(located, KEY, `it depends on ${why}`, file)], isAfterPreparing: false }
      }
      if (!isReached) continue
      const enabled = callExpression(call)
      const given = enabled && evaluator.argumentsOf(enabled, siteAt(call), [KWARGS]).values
      return {
        fields: [on(located, ENABLE, file), ...(given ? form(given, file) : [])],
        isAfterPreparing: prepared?.module === module && at > prepared.from,
      }
    }
  }
  return undefined
}

function on(located: Located, name: string, file: Module): Field {
  return saidBy(located, KEY, { kind: 'flag', flag: true }, file, name)
}

function form(values: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const given = values.get(KWARGS)
  return given === undefined || given.kind === 'none' ? [] : [fieldOf(KWARGS, given, file)]
}

/**
 * peft utils/other.py passes an empty mapping on, which does not say `use_reentrant`: torch.utils.checkpoint then takes the reentrant
 * form, whatever transformers' own default is.
 */
function reentrant(prepared: Located, file: Module): Field {
  const flag = saidBy(prepared, 'use_reentrant', { kind: 'flag', flag: true }, file, PREPARE)
  return saidBy(prepared, KWARGS, { kind: 'mapping', section: Section.of([flag]) }, file, PREPARE)
}
