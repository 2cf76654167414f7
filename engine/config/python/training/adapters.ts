/** peft's adapters, as the keys that TRL's recipes have for them. */
import type { Field } from '../../text/section.ts'
import { harmless, libraryName } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type LibraryCall, placeIn, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'
import { modelConfigFields } from './trl-model-config.ts'
import { unslothCheckpoints, unslothSwitches, unslothTargets } from './unsloth-adapters.ts'

export interface AdapterFields {
  readonly fields: readonly Field[]
  readonly unread: readonly Field[]
}

const none: AdapterFields = { fields: [], unread: [] }

/** LoraConfig's parameters, by the key that recipes have for each. */
const keys: ReadonlyMap<string, string> = new Map([
  ['r', 'lora_r'],
  ['lora_dropout', 'lora_dropout'],
  ['target_modules', 'lora_target_modules'],
  ['modules_to_save', 'lora_modules_to_save'],
  ['use_dora', 'use_dora'],
  ['task_type', 'lora_task_type'],
])

export function adapterFields(
  config: Value | undefined,
  chain: ModelChain,
  file: Module,
  evaluator: Evaluator,
): AdapterFields {
  if (chain.trainedAdapter !== undefined) {
    const why = `the adapters are those of an earlier run, loaded at ${placeIn(chain.trainedAdapter.module, chain.trainedAdapter.from)}`
    return { fields: [openField(chain.trainedAdapter, 'use_peft', why, file)], unread: [] }
  }
  if (chain.unslothAdapter !== undefined) return ofUnsloth(chain.unslothAdapter, chain, file, evaluator)
  if (config === undefined || config.kind === 'none') return none
  if (config.kind !== 'call' || config.call === undefined) {
    const why = config.kind === 'open' ? config.why : `the adapters are ${shownAt(config.module, config)}`
    return { fields: [openField(config, 'use_peft', why, file)], unread: [] }
  }
  const byTrl = modelConfigFields(config, file, evaluator)
  if (byTrl !== undefined) return { fields: byTrl, unread: [] }
  const { name } = libraryName(config.name)
  if (name !== 'LoraConfig') {
    const method = name.replace(/Config$/, '')
    return { fields: [saidBy(config, 'peft_type', { kind: 'text', text: method }, file, name)], unread: [] }
  }
  return ofLora(config, 'LoraConfig', ['task_type', 'peft_type'], file, evaluator)
}

function ofLora(
  call: LibraryCall,
  name: string,
  positional: readonly string[],
  file: Module,
  evaluator: Evaluator,
): AdapterFields {
  if (call.call === undefined) return none
  const { values, unknown } = evaluator.argumentsOfMade(call, positional)
  if (unknown !== undefined)
    return { fields: [openField(call, 'use_peft', `${name} is given ${unknown}`, file)], unread: [] }
  const fields = [...values].flatMap(([parameter, value]) => {
    const key = keys.get(parameter)
    if (key === undefined || value.kind === 'none') return []
    return [fieldOf(key, value, file)]
  })
  const others = [...values].filter(([parameter, value]) => !harmless.lora.has(parameter) && !isUnset(value))
  const biased = [...values].filter(
    ([parameter, value]) => parameter === 'bias' && !(value.kind === 'text' && value.text === 'none'),
  )
  const unread = [...others, ...biased].map(([parameter, value]) => fieldOf(parameter, value, file))
  return { fields: [saidBy(call, 'use_peft', { kind: 'flag', flag: true }, file, name), ...fields], unread }
}

function ofUnsloth(call: LibraryCall, chain: ModelChain, file: Module, evaluator: Evaluator): AdapterFields {
  const found = ofLora(call, 'get_peft_model', ['model'], file, evaluator)
  const given = (call.call && evaluator.argumentsOf(call.call, call.site, ['model']).values) ?? new Map<string, Value>()
  const hasTargets = found.fields.some(({ key }) => key === 'lora_target_modules')
  const { targets, notFollowed } = unslothTargets(given, hasTargets)
  return {
    fields: [
      ...found.fields,
      ...(hasTargets
        ? []
        : [saidBy(call, 'lora_target_modules', { kind: 'text', text: targets.join(',') }, file, 'get_peft_model')]),
      unslothCheckpoints(call, given, chain, file, evaluator),
    ],
    unread: [
      ...found.unread.filter(({ key }) => !unslothSwitches.has(key)),
      ...notFollowed.map(([parameter, value]) => fieldOf(parameter, value, file)),
    ],
  }
}

function isUnset(value: Value): boolean {
  return (
    value.kind === 'none' ||
    (value.kind === 'flag' && !value.flag) ||
    (value.kind === 'list' && value.items.length === 0)
  )
}
