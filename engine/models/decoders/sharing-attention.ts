/**
 * The attention of Gemma 3n and Gemma 4: queries, keys and values are normalised, layers are of two kinds, and late layers take
 * the keys and values of the last layer of their kind that makes its own. transformers: Gemma3nTextAttention, Gemma4TextAttention.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { layerList, size, someLayers } from '../schema.ts'

const layerKinds = ['sliding_attention', 'full_attention'] as const
export type LayerKind = (typeof layerKinds)[number]

export const sharingFields = {
  layer_types: layerList(z.enum(layerKinds)).nullish(),
  /** Layers at the end that take over what they attend to. */
  num_kv_shared_layers: someLayers.default(0),
  attention_bias: z.boolean().default(false),
  sliding_window: size.default(512),
}

export const mayBeUntied = { tie_word_embeddings: z.boolean().default(true) }

interface Layers {
  readonly num_hidden_layers: number
  readonly num_kv_shared_layers: number
}

export type KeysAndValues = 'own' | 'own-for-later-layers' | 'of-an-earlier-layer'

/** `kindOf`: of the layer at an index. */
function keysAndValuesOf(layers: Layers, index: number, kindOf: (index: number) => LayerKind): KeysAndValues {
  const first = layers.num_hidden_layers - layers.num_kv_shared_layers
  if (first > 0 && index >= first) return 'of-an-earlier-layer'
  for (let later = index + 1; later < first; later++) if (kindOf(later) === kindOf(index)) return 'own'
  return 'own-for-later-layers'
}

export interface SharingLayer {
  readonly kind: LayerKind
  readonly heads: number
  readonly keyValueHeads: number
  readonly headSize: number
  readonly hidden: number
  readonly bias: boolean
  readonly dropout: number
  readonly window: number | undefined
  readonly isAlwaysMasked: boolean
  /** The keys, before norm and positions, are the values too. */
  readonly keysAreValues: boolean
  readonly keysAndValues: KeysAndValues
}

interface SharingText extends Layers {
  readonly num_attention_heads: number
  readonly num_key_value_heads: number
  readonly head_dim: number
  readonly hidden_size: number
  readonly attention_bias: boolean
  readonly attention_dropout: number
  readonly sliding_window: number
}

/** The attention of the layer at an index, of which Gemma 4 changes some in its full layers. */
export function sharingLayer(text: SharingText, index: number, kindOf: (index: number) => LayerKind): SharingLayer {
  const kind = kindOf(index)
  return {
    kind,
    heads: text.num_attention_heads,
    keyValueHeads: text.num_key_value_heads,
    headSize: text.head_dim,
    hidden: text.hidden_size,
    bias: text.attention_bias,
    dropout: text.attention_dropout,
    window: kind === 'full_attention' ? undefined : text.sliding_window,
    isAlwaysMasked: false,
    keysAreValues: false,
    keysAndValues: keysAndValuesOf(text, index, kindOf),
  }
}

/** What tells layers apart: their attention, and what earlier ones have handed on by then. */
export function sharingKinds(layers: readonly SharingLayer[]): readonly string[] {
  const handedOn = new Set<LayerKind>()
  return layers.map(layer => {
    const kind = JSON.stringify([layer, ...handedOn])
    if (layer.keysAndValues === 'own-for-later-layers') handedOn.add(layer.kind)
    return kind
  })
}

/** Keys and values that layers hand on to later ones of their kind. */
export type SharedStates = Map<LayerKind, readonly [keys: Value, values: Value]>

export function sharingAttention(
  ops: Builder,
  name: string,
  x: Value,
  layer: SharingLayer,
  { table, shared }: { table: readonly [Value, Value]; shared: SharedStates },
): Value {
  const { heads, keyValueHeads, headSize, bias } = layer
  const projected = ops.linear(`${name}.q_proj`, x, heads * headSize, { bias })
  const query = ops.rotary(norm(ops, `${name}.q_norm`, projected, headSize), table, heads)
  const earlier = layer.keysAndValues === 'of-an-earlier-layer' ? shared.get(layer.kind) : undefined
  const [keys, values] = earlier ?? ownStates(ops, name, x, layer, table)
  if (layer.keysAndValues === 'own-for-later-layers') {
    shared.set(layer.kind, [keys, values])
    ops.handOn([keys, values])
  }
  const context = ops.attention(query, keys, values, {
    heads,
    keyValueHeads,
    causal: true,
    dropout: layer.dropout,
    window: layer.window,
    isAlwaysMasked: layer.isAlwaysMasked,
    castsSoftmax: true,
  })
  return ops.linear(`${name}.o_proj`, context, layer.hidden, { bias })
}

function ownStates(
  ops: Builder,
  name: string,
  x: Value,
  { keyValueHeads, headSize, bias, keysAreValues }: SharingLayer,
  table: readonly [Value, Value],
): readonly [Value, Value] {
  const features = keyValueHeads * headSize
  const key = ops.linear(`${name}.k_proj`, x, features, { bias })
  const value = keysAreValues ? key : ops.linear(`${name}.v_proj`, x, features, { bias })
  const keys = ops.rotary(norm(ops, `${name}.k_norm`, key, headSize), table, keyValueHeads)
  const values = ops.rmsNorm(`${name}.v_norm`, value, { size: headSize, scalesInFloat32: true, isUnweighted: true })
  return [ops.cached(keys), ops.cached(values, keys)]
}

/** Weighted in float32, as every norm of these models is. `size`: features that are normalised together. */
export function norm(ops: Builder, name: string, x: Value, size: number): Value {
  return ops.rmsNorm(name, x, { size, scalesInFloat32: true })
}

/** What the output layer is made from. */
export function sharingOutput(
  text: {
    readonly vocab_size: number
    readonly hidden_size: number
    readonly final_logit_softcapping?: number | null | undefined
  },
  root: string,
  isTied: boolean,
) {
  return {
    root,
    vocabulary: text.vocab_size,
    hidden: text.hidden_size,
    isTied,
    norm: 'rms-float32',
    logits: text.final_logit_softcapping ? 'capped' : 'plain',
  } as const
}
