import type { ModelRow } from './model-row.ts'

type Sizes = readonly [model: number, feedForward: number, layers: number, heads: number]

function row(ids: readonly string[], sizes: Sizes, differences: Record<string, unknown> = {}): ModelRow {
  const [d_model, d_ff, num_layers, num_heads] = sizes
  return { ids, config: { model_type: 't5', d_model, d_ff, num_layers, num_heads, ...differences } }
}

/** What T5 1.1 changed and FLAN-T5 is made from. */
const gated = { feed_forward_proj: 'gated-gelu', tie_word_embeddings: false }

/** T5 and FLAN-T5: the facts of their config.json. */
export const seq2seqRows: readonly ModelRow[] = [
  row(['google-t5/t5-small'], [512, 2_048, 6, 8]),
  row(['google-t5/t5-base'], [768, 3_072, 12, 12]),
  row(['google-t5/t5-large'], [1_024, 4_096, 24, 16]),
  row(['google-t5/t5-3b'], [1_024, 16_384, 24, 32], { d_kv: 128 }),
  row(['google-t5/t5-11b'], [1_024, 65_536, 24, 128], { d_kv: 128 }),
  row(['google/flan-t5-small', 'google/t5-v1_1-small'], [512, 1_024, 8, 6], gated),
  row(['google/flan-t5-base', 'google/t5-v1_1-base'], [768, 2_048, 12, 12], gated),
  row(['google/flan-t5-large', 'google/t5-v1_1-large'], [1_024, 2_816, 24, 16], gated),
  row(['google/flan-t5-xl', 'google/t5-v1_1-xl'], [2_048, 5_120, 24, 32], gated),
  row(['google/flan-t5-xxl', 'google/t5-v1_1-xxl'], [4_096, 10_240, 24, 64], gated),
]
