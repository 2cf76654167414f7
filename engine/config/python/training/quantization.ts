/** How a call quantises the weights that it loads: its own switches, or a config of bitsandbytes. */
import { quote } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import { harmless, libraryName } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { isOff, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { modelConfigFields } from './trl-model-config.ts'

export function quantizationFields(
  values: ReadonlyMap<string, Value>,
  file: Module,
  evaluator: Evaluator,
): readonly Field[] {
  const direct = ['load_in_4bit', 'load_in_8bit'].flatMap(key => {
    const value = values.get(key)
    return value === undefined ? [] : [fieldOf(key, value, file)]
  })
  const config = values.get('quantization_config')
  if (config === undefined || config.kind === 'none') return direct
  if (config.kind !== 'call' || config.call === undefined) {
    const why = config.kind === 'open' ? config.why : `the quantisation is ${shownAt(config.module, config)}`
    return [...direct, openField(config, 'load_in_4bit', why, file)]
  }
  const byTrl = modelConfigFields(config, file, evaluator)
  if (byTrl !== undefined) return [...direct, ...byTrl]
  const { name } = libraryName(config.name)
  if (name !== 'BitsAndBytesConfig')
    return [...direct, saidBy(config, 'quantization', { kind: 'text', text: name }, file, name)]
  const { values: given, unknown } = evaluator.argumentsOfMade(config)
  if (unknown !== undefined)
    return [...direct, openField(config, 'load_in_4bit', `what is unpacked from ${unknown} may set it`, file)]
  const unread = [...given].find(([key, value]) => unreadParameters.test(key) && !isOff(value))
  const unused = [...given].find(([key, value]) => !parameters.has(key) && !unreadParameters.test(key) && !isOff(value))
  const remarks = unused ? [`${quote(unused[0])} is no parameter of BitsAndBytesConfig, which leaves it out.`] : []
  return [
    ...direct,
    ...[...given]
      .filter(([key]) => /^load_in_|^(?:bnb_4bit_use_double_quant|llm_int8_skip_modules)$/.test(key))
      .map(([key, value]) => fieldOf(key, { ...value, remarks: [...value.remarks, ...remarks] }, file)),
    ...(unread === undefined
      ? []
      : [saidBy(unread[1], 'quantization', { kind: 'text', text: unread[0] }, file, unread[0])]),
  ]
}

/** transformers 5.18 utils/quantization_config.py BitsAndBytesConfig: any other argument is logged, and has no effect. */
const parameters: ReadonlySet<string> = new Set([...harmless.quantization, 'llm_int8_skip_modules'])
/** Its only other parameter, and arguments without a name. */
const unreadParameters = /^(?:llm_int8_has_fp16_weight|\d+)$/
