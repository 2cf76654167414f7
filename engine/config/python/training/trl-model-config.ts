/** What TRL's functions make of a ModelConfig (TRL 1.10 trainer/model_config.py, trainer/utils.py): adapters and quantised weights. */
import { wordList } from '../../../base/word-list.ts'
import type { Field } from '../../text/section.ts'
import { isModelConfig, libraryName } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type LibraryCall, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField } from './fields.ts'

/** The fields that each of them reads; the first says whether it does anything. */
const read: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'get_peft_config',
    wordList('use_peft lora_r lora_dropout lora_target_modules lora_modules_to_save lora_task_type use_dora'),
  ],
  ['get_quantization_config', wordList('load_in_4bit load_in_8bit use_bnb_nested_quant')],
])

/** Undefined for a call of anything else. What the command line passes is among the trainer's arguments already. */
export function modelConfigFields(call: LibraryCall, file: Module, evaluator: Evaluator): readonly Field[] | undefined {
  const { library, name } = libraryName(call.name)
  const keys = library === 'trl' ? read.get(name) : undefined
  const [first] = keys ?? []
  if (keys === undefined || first === undefined || call.call === undefined) return undefined
  const config = evaluator.argumentsOf(call.call, call.site, ['model_args']).values.get('model_args')
  if (config?.kind === 'call' && config.call === undefined) return []
  const given = config && valuesOf(config, keys, call, evaluator)
  if (given !== undefined) return [...given].map(([key, value]) => fieldOf(key, value, file))
  const why = config?.kind === 'open' ? config.why : `${name} is given ${shownAt(call.module, call)}`
  return [openField(call, first, why, file)]
}

/** Those that are set, of an object that the script makes; undefined for any other. */
function valuesOf(
  config: Value,
  keys: readonly string[],
  call: LibraryCall,
  evaluator: Evaluator,
): ReadonlyMap<string, Value> | undefined {
  const isSet = ({ kind }: Value) => kind !== 'open' && kind !== 'none'
  if (config.kind === 'instance') {
    const all = keys.map(key => [key, evaluator.attribute(config, key, call, call.site)] as const)
    return new Map(all.filter(([, value]) => isSet(value)))
  }
  if (config.kind !== 'call' || config.call === undefined || !isModelConfig(config.name)) return undefined
  const { values, unknown } = evaluator.argumentsOf(config.call, config.site, ['model_name_or_path'])
  return unknown === undefined
    ? new Map([...values].filter(([key, value]) => keys.includes(key) && value.kind !== 'none'))
    : undefined
}
