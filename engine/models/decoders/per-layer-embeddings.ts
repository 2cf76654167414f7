/**
 * Per-layer embeddings: beside its hidden states, every layer of Gemma 3n and of the small Gemma 4 is given a narrow vector a
 * token of its own. transformers: project_per_layer_inputs of Gemma3nTextModel and Gemma4TextModel, and their decoder layers.
 */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'

export interface LayerInputSizes {
  readonly layers: number
  readonly vocabulary: number
  /** Of one layer's vector. */
  readonly size: number
}

/** The vectors of all layers side by side: [b, s, layers·size]. `words`: the embedded tokens. */
export function layerInputs(
  ops: Builder,
  root: string,
  words: Value,
  { layers, vocabulary, size }: LayerInputSizes,
): Value {
  const looked = ops.scale(ops.embedding(`${root}.embed_tokens_per_layer`, ops.input(), vocabulary, layers * size))
  const projected = ops.linear(`${root}.per_layer_model_projection`, words, layers * size, { bias: false })
  const normalised = ops.rmsNorm(`${root}.per_layer_projection_norm`, ops.scale(projected), {
    size,
    scalesInFloat32: true,
  })
  return ops.scale(ops.add(normalised, looked))
}

/** What a layer makes of its vector: [b, s, hidden] and [b, s, size] → [b, s, hidden]. */
export function gatedByInput(
  ops: Builder,
  name: string,
  x: Value,
  vector: Value,
  { hidden, size }: { hidden: number; size: number },
): Value {
  const gate = ops.gelu(ops.linear(`${name}.per_layer_input_gate`, x, size, { bias: false }))
  const widened = ops.linear(`${name}.per_layer_projection`, ops.multiply(gate, vector), hidden, { bias: false })
  return ops.rmsNorm(`${name}.post_per_layer_input_norm`, widened, { size: hidden, scalesInFloat32: true })
}

export const perLayerLinears = ['per_layer_input_gate', 'per_layer_projection', 'per_layer_model_projection'] as const
