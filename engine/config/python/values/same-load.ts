/** Whether two calls load the same model in the same way: branches often differ in where it comes from, or on which device it goes. */
import type { Evaluator } from './evaluator.ts'
import { areEqual, type Value } from './values.ts'

/** Arguments without bearing on what is in memory. */
const withoutBearing =
  /^(?:trust_remote_code|local_files_only|token|use_auth_token|revision|cache_dir|force_download|subfolder|proxies|low_cpu_mem_usage|use_safetensors|device_map)$/

/** Calls inside calls. */
const MAX_LEVELS = 3

/** Rows for the tokens of a chat beside some tens of thousands: what comes out of them is the model that went in. */
const addsTokens = /^trl\.(?:[\w.]+\.)?(?:setup_chat_format|clone_chat_template)$/

/** A model before a script gives it the tokens of a chat; any other value as it is. */
export function withoutChatTokens(value: Value, evaluator: Evaluator): Value {
  if (value.kind !== 'call' || value.call === undefined || !addsTokens.test(value.name)) return value
  return evaluator.argumentsOf(value.call, value.site, ['model']).values.get('model') ?? value
}

export function isSameLoad(left: Value, right: Value, evaluator: Evaluator, level = 0): boolean {
  if (left.kind !== 'call' || right.kind !== 'call' || left.name !== right.name || level > MAX_LEVELS) return false
  if (left.call === undefined || right.call === undefined) return false
  if (left.call === right.call && left.site.frame === right.site.frame) return true
  const [ours, theirs] = [left.call, right.call].map((call, index) => {
    const { values, unknown } = evaluator.argumentsOf(call, (index === 0 ? left : right).site)
    return unknown === undefined ? [...values].filter(([key]) => !withoutBearing.test(key)) : undefined
  })
  if (ours === undefined || theirs === undefined || ours.length !== theirs.length) return false
  const others = new Map(theirs)
  return ours.every(([key, value]) => {
    const other = others.get(key)
    return other !== undefined && isSameValue(value, other, evaluator, level + 1)
  })
}

function isSameValue(left: Value, right: Value, evaluator: Evaluator, level: number): boolean {
  if (areEqual(left, right) === true || isSameLoad(left, right, evaluator, level)) return true
  if (left.kind === 'symbol' && right.kind === 'symbol') return left.name === right.name
  // Unknown values are equal if they are written the same, at the same place of the file.
  return left.kind === 'open' && right.kind === 'open' && left.why === right.why && left.from === right.from
}
