/** Patches of images that a vision tower reads, and attention among those of an image or of a part of it. */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images } from '../decoders/blueprint.ts'

/** Of every sample: how many in all, and in how many rows and columns of each image. `side`: the tower's, where it has but one. */
export function patchesOf({ tiles, height, width }: Images, patch: number, side = patch) {
  const rows = Math.floor((height ?? side) / patch)
  const columns = Math.floor((width ?? side) / patch)
  return { count: tiles * rows * columns, rows, columns }
}

/** Attention of patches [b, s, h] within so many parts of them, as if each part had heads of its own. */
export function attendingWithin(
  ops: Builder,
  states: readonly [query: Value, key: Value, value: Value],
  patches: number,
  {
    heads,
    parts,
    castsSoftmax = true,
  }: { readonly heads: number; readonly parts: number; readonly castsSoftmax?: boolean },
): Value {
  const [query, key, value] = states.map(x => ops.inRows(x, patches / parts)) as [Value, Value, Value]
  const shape = { heads: heads * parts, causal: false, dropout: 0, castsSoftmax, isUnpadded: true }
  return ops.inRows(ops.attention(query, key, value, shape), patches)
}
