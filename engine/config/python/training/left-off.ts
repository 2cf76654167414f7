/** Adapters and quantisation that a script has, and leaves off by a default of its command line. */
import { plainSentence } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import type { Call, Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { isOfOption, truthOf, type Value } from '../values/values.ts'

const parts = [
  { what: 'Adapters', calls: ['get_peft_model', 'LoraConfig'], keys: /^(?:use_peft|lora_r|peft_type)$/ },
  { what: 'Quantised weights', calls: ['BitsAndBytesConfig'], keys: /^(?:load_in_[48]bit|quantization)$/ },
]

/** A sentence for each. With them the training takes other memory, so that nothing blocks without. */
export function leftOff(
  fields: readonly Field[],
  peftConfig: Value | undefined,
  files: readonly Module[],
  evaluator: Evaluator,
): readonly string[] {
  // A launcher that is read says what it leaves off.
  if ([...evaluator.passed.names].length > 0) return []
  return parts.flatMap(({ what, calls, keys }) => {
    if (fields.some(({ key, value }) => keys.test(key) && !(value.kind === 'flag' && !value.flag))) return []
    const given = what === 'Adapters' && peftConfig?.kind === 'none' ? peftConfig.remarks.find(isOfOption) : undefined
    const places = files.flatMap(({ calls: all }) => calls.flatMap(name => all.get(name) ?? []))
    const why = given ?? places.map(call => closedBy(call, evaluator)).find(found => found !== undefined)
    if (why === undefined) return []
    const sentence = plainSentence(`${what} of the script are left off, so that nothing blocks: ${why}`)
    evaluator.unsureRemarks.add(sentence)
    return [sentence]
  })
}

/** The option whose default keeps a call from being made. */
function closedBy(call: Call, evaluator: Evaluator): string | undefined {
  for (const { tests, statement } of call.branches) {
    for (const { condition, expected } of tests) {
      const value = evaluator.evaluate(condition, { ...siteAt(call), at: statement, branches: [] })
      const truth = truthOf(value)
      if (truth !== undefined && truth !== expected) return value.remarks.find(isOfOption)
    }
  }
  return undefined
}
