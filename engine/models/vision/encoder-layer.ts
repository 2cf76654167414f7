/** A layer of the encoders of CLIP and SigLIP: patches of every image attend to their own image. transformers: models/{clip,siglip}. */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { attendingWithin } from './patches.ts'

export interface EncoderShape {
  readonly hidden_size: number
  readonly intermediate_size: number
  readonly num_attention_heads: number
}

/** The images of a sample, or tiles of them. */
export interface Sequences {
  readonly tiles: number
  /** Summed over all of them. */
  readonly tokens: number
}

/** [b, s, h] → [b, s, h]. `activation`: between the two linear layers of the feed-forward. */
export function encoderLayer(
  ops: Builder,
  { hidden_size: hidden, intermediate_size: inner, num_attention_heads: heads }: EncoderShape,
  activation: (x: Value) => Value,
  { tiles, tokens }: Sequences,
  name: string,
  x: Value,
): Value {
  const attended = ops.frame(ops.layerNorm(`${name}.layer_norm1`, x), normed => {
    const project = (part: string) => ops.linear(`${name}.self_attn.${part}`, normed, hidden)
    const [query, key, value] = [project('q_proj'), project('k_proj'), project('v_proj')]
    const context = attendingWithin(ops, [query, key, value], tokens, { heads, parts: tiles })
    return ops.linear(`${name}.self_attn.out_proj`, context, hidden)
  })
  const between = ops.residual(attended, x)
  const fed = ops.frame(ops.layerNorm(`${name}.layer_norm2`, between), normed =>
    ops.linear(`${name}.mlp.fc2`, activation(ops.linear(`${name}.mlp.fc1`, normed, inner)), hidden),
  )
  return ops.residual(fed, between)
}
