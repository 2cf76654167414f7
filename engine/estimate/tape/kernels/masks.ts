/**
 * Masks that transformers makes before a model's layers and passes to each of them, one of a kind (masking_utils.py): as long as the
 * layers run they are there, and a checkpointed block keeps them.
 */

import type { Node } from '../autograd.ts'
import type { Dtype, Storage, Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export interface MaskKind {
  readonly causal: boolean
  /** Of a sliding-window layer, whose mask is another one. */
  readonly window?: number | undefined
}

/** eager_mask: a number for every pair of tokens of every sample, [b, 1, s, t], in the type of the embeddings. */
export function eagerMask(tape: Tape, tokens: number, sourceTokens: number, kind: MaskKind): Tensor {
  return maskOf(tape, [tokens, sourceTokens], tape.weightDtype, kind, true)
}

/** sdpa_mask: the same as booleans, and only one for all samples, [1, 1, s, t], where none is padded. */
export function fusedMask(tape: Tape, tokens: number, sourceTokens: number, kind: MaskKind): Tensor {
  return maskOf(tape, [tokens, sourceTokens], 'bool', kind, tape.isPadded)
}

function maskOf(
  tape: Tape,
  shape: readonly number[],
  dtype: Dtype,
  { causal, window }: MaskKind,
  batched: boolean,
): Tensor {
  const { turn, stack } = tape
  const kind = [shape, causal, window].join()
  const known = stack?.masks.get(kind)
  if (known !== undefined) return known
  tape.turn = undefined
  const mask = tape.tensor(shape, dtype, [], { batched })
  const nodes = tape.beforehand(() => tape.record('mask', { reads: [], outputs: [mask] }))
  tape.turn = turn
  tape.passedToBlocks.add(mask.storage)
  stack?.masks.set(kind, mask)
  if (stack === undefined) tape.nodes.push(...nodes)
  else stack.nodes.splice(stack.at, 0, ...nodes)
  return mask
}

/** What a block of such nodes is passed beside its input: made outside of it, and read in it. */
export function passedTo(tape: Tape, nodes: readonly Node[]): readonly Storage[] {
  const read = new Set(nodes.flatMap(({ reads }) => reads))
  const made = new Set(nodes.flatMap(({ creates }) => creates))
  return [...tape.passedToBlocks].filter(storage => read.has(storage) && !made.has(storage))
}
