/** What TRL's functions make of a ModelConfig (TRL 1.10 trainer/model_config.py, trainer/utils.py): adapters and quantised weights. */
import { wordList } from '../../../base/word-list.ts'
import type { Field } from '../../text/section.ts'
import { isModelConfig, libraryName } from '../library.ts'
import type { Binding, Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { parsedClass } from '../values/parsed-classes.ts'
import { type Instance, type LibraryCall, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField } from './fields.ts'

/** The fields that each of them reads; the first says whether it does anything. */
const read: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'get_peft_config',
    wordList('use_peft lora_r lora_dropout lora_target_modules lora_modules_to_save lora_task_type use_dora'),
  ],
  ['get_quantization_config', wordList('load_in_4bit load_in_8bit use_bnb_nested_quant')],
])

/** Whether adapters are made of a ModelConfig, and so with its defaults. */
export function isOfModelConfig(call: string): boolean {
  const { library, name } = libraryName(call)
  return library === 'trl' && name === 'get_peft_config'
}

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

/** Its fields, by the function that reads them; none for those that only the script itself can use. */
const readBy: readonly (readonly [fields: RegExp, by: string | undefined])[] = [
  [/^(?:use_peft|lora_\w+|use_(?:rslora|dora))$/, 'get_peft_config'],
  [/^(?:load_in_[48]bit|bnb_4bit_\w+|use_bnb_nested_quant)$/, 'get_quantization_config'],
  [/^(?:attn_implementation|(?:torch_)?dtype)$/, undefined],
]

/**
 * Whether a field of the ModelConfig that is parsed beside the trainer's arguments changes nothing, since the script asks for it
 * nowhere. Where the script hands the object on, every field may count.
 */
export function unusedFields(args: LibraryCall | Instance, evaluator: Evaluator): (field: string) => boolean {
  const nothing = () => false
  const parsed = [...args.site.scope.bindings].find(([, all]) => all.some(each => isParsedModel(each, args, evaluator)))
  const uses = parsed && usesOf(parsed[0], args.site.module.text)
  if (uses === undefined) return nothing
  return field => {
    const found = readBy.find(([fields]) => fields.test(field))
    return found !== undefined && !uses.has(field) && !(found[1] !== undefined && uses.has(found[1]))
  }
}

/** `script_args, training_args, model_args = parser.parse_args_and_config()` */
function isParsedModel({ value }: Binding, { from, site }: LibraryCall | Instance, evaluator: Evaluator): boolean {
  if (value.kind !== 'element' || value.of.from !== from) return false
  const parsed = evaluator.evaluate(value.of, site)
  const object = parsed.kind === 'call' ? parsedClass(parsed, value.index, evaluator) : undefined
  return object?.kind === 'call' && object.call === undefined && isModelConfig(object.name)
}

/** The fields that are asked of an object, and the functions of TRL that are given it; undefined where it is handed on otherwise. */
function usesOf(name: string, text: string): ReadonlySet<string> | undefined {
  const uses = new Set<string>()
  for (const { 0: word, index } of text.matchAll(/\w+/g)) {
    if (word !== name) continue
    const [, field] = /^\.(\w+)/.exec(text.slice(index + word.length, index + word.length + 100)) ?? []
    const [, reader] =
      /\b(get_peft_config|get_quantization_config)\(\s*$/.exec(text.slice(Math.max(0, index - 60), index)) ?? []
    const isTarget = /^(?:[\w, \t)])*=/.test(text.slice(index + word.length, index + word.length + 100))
    if (field === undefined && reader === undefined && !isTarget) return undefined
    if (!isTarget) uses.add(field ?? reader ?? '')
  }
  return uses
}
