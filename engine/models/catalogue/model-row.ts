/** A row of the catalogue: the facts of a config.json, and the Hub ids that share them. */

export interface ModelRow {
  readonly ids: readonly string[]
  readonly config: { readonly model_type: string } & Readonly<Record<string, unknown>>
}

export type Sizes = readonly [
  vocab: number,
  hidden: number,
  feedForward: number,
  layers: number,
  heads: number,
  keyValueHeads: number,
  positions: number,
]

/** `sizes`: as the tables name them at their top. */
export function row(
  model_type: string,
  sizes: Sizes,
  ids: readonly string[],
  differences: Record<string, unknown> = {},
): ModelRow {
  return { ids, config: textConfig(model_type, sizes, differences) }
}

export function textConfig(model_type: string, sizes: Sizes, differences: Record<string, unknown> = {}) {
  const [vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads] = sizes
  const [, , , , , num_key_value_heads, max_position_embeddings] = sizes
  return {
    model_type,
    vocab_size,
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    max_position_embeddings,
    ...differences,
  }
}

export const tied = { tie_word_embeddings: true }
export const untied = { tie_word_embeddings: false }
