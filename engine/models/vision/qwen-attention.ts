/** What Qwen's vision towers share: rotary attention over patches, and merging squares of patches into tokens. */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { attendingWithin } from './patches.ts'

export interface Attending {
  readonly heads: number
  readonly hidden: number
  readonly table: readonly [Value, Value]
  readonly patches: number
  /** The number of images or windows within which patches attend. */
  readonly parts: number
}

export function qwenAttention(
  ops: Builder,
  name: string,
  x: Value,
  { heads, hidden, table, patches, parts }: Attending,
): Value {
  const joined = ops.linear(`${name}.qkv`, x, 3 * hidden)
  const [query, key, value] = ops.split(joined, [hidden, hidden, hidden]) as [Value, Value, Value]
  const [turnedQuery, turnedKey] = [query, key].map(part => ops.rotary(part, table, heads, { inFloat32: true })) as [
    Value,
    Value,
  ]
  // One call a part: torch.split before them, torch.cat after.
  const [q, k, v] = [turnedQuery, turnedKey, value].map(part => ops.split(part, [hidden])[0]) as [Value, Value, Value]
  return ops.linear(
    `${name}.proj`,
    ops.concatenate([attendingWithin(ops, [q, k, v], patches, { heads, parts })]),
    hidden,
  )
}

export interface Merging {
  readonly words: number
  readonly inside: number
  readonly outside: number
}

/** Two linear layers from a square of patches to a token. */
export function merged(
  ops: Builder,
  [first, second]: readonly [string, string],
  x: Value,
  { words, inside, outside }: Merging,
): Value {
  const squares = ops.inRows(x, words)
  return ops.linear(second, ops.gelu(ops.linear(first, squares, inside)), outside)
}
