/** Values that count where nothing fails: `try: import flash_attn; attention = 'flash_attention_2'`, and another one after `except`. */
import { plainSentence } from '../../text/quote.ts'
import type { Place } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { writtenAs } from './sites.ts'
import { areEqual, placeIn, type Value } from './values.ts'

/** With a sentence that keeps the training from blocking, where one of the `places` handles an error and says otherwise. */
export function unlessItFails<P extends Place>(
  value: Value,
  places: readonly P[],
  read: (place: P) => Value | undefined,
  evaluator: Evaluator,
): Value {
  const handlers = places.filter(({ branches }) => branches.at(-1)?.isHandler === true)
  const other = handlers.map(read).find(found => found !== undefined && differs(value, found))
  if (other === undefined) return value
  const remark = `${writtenAs(value)} counts, as where nothing fails: otherwise ${writtenAs(other)} does (${placeIn(other.module, other.from)}), so that nothing blocks.`
  evaluator.unsureRemarks.add(plainSentence(remark))
  return { ...value, remarks: [...value.remarks, remark] }
}

function differs(value: Value, other: Value): boolean {
  if (value.kind !== 'call' || other.kind !== 'call') return areEqual(value, other) === false
  // Which attention, quantisation or checkpoint it asks for instead may be in what it unpacks.
  return /\.from_pretrained$/.test(value.name) && /\.from_pretrained$/.test(other.name) && value.from !== other.from
}
