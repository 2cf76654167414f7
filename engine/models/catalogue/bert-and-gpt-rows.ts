import type { ModelRow } from './model-row.ts'

const bertLarge = { hidden_size: 1_024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4_096 }
const robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 }

function row(id: string, model_type: string, differences: Record<string, unknown> = {}): ModelRow {
  return { ids: [id], config: { model_type, ...differences } }
}

/** GPT-2's layers with GELU and without dropout; facts from the model zoo of their makers. */
function cerebras(size: string, n_embd: number, n_layer: number, n_head: number): ModelRow {
  const dropout = { resid_pdrop: 0, embd_pdrop: 0, attn_pdrop: 0 }
  const sizes = { n_embd, n_layer, n_head, n_positions: 2_048 }
  return row(`cerebras/Cerebras-GPT-${size}`, 'gpt2', { ...sizes, activation_function: 'gelu', ...dropout })
}

const gptNeo = (hidden_size: number, num_layers: number, num_heads: number) => ({
  ...{ hidden_size, num_layers, num_heads },
  attention_types: [[['global', 'local'], num_layers / 2]],
})

const starcoder = (n_embd: number, n_layer: number, n_head: number) => ({
  model_type: 'gpt_bigcode',
  ...{ vocab_size: 49_152, n_positions: 8_192, n_embd, n_layer, n_head },
})

/** BERT and its kin, and GPT-2: what differs from transformers' defaults, as each repository's config.json states it. */
export const bertAndGptRows: readonly ModelRow[] = [
  row('google-bert/bert-base-uncased', 'bert'),
  row('google-bert/bert-base-cased', 'bert', { vocab_size: 28_996 }),
  row('google-bert/bert-base-multilingual-cased', 'bert', { vocab_size: 119_547 }),
  row('google-bert/bert-base-multilingual-uncased', 'bert', { vocab_size: 105_879 }),
  row('google-bert/bert-base-chinese', 'bert', { vocab_size: 21_128 }),
  row('google-bert/bert-large-uncased', 'bert', bertLarge),
  row('google-bert/bert-large-cased', 'bert', { ...bertLarge, vocab_size: 28_996 }),
  row('google-bert/bert-large-uncased-whole-word-masking', 'bert', bertLarge),
  row('FacebookAI/roberta-base', 'roberta', robertaSizes),
  row('FacebookAI/roberta-large', 'roberta', { ...robertaSizes, ...bertLarge }),
  row('FacebookAI/xlm-roberta-base', 'xlm-roberta', { ...robertaSizes, vocab_size: 250_002 }),
  row('FacebookAI/xlm-roberta-large', 'xlm-roberta', { ...robertaSizes, ...bertLarge, vocab_size: 250_002 }),
  row('distilbert/distilroberta-base', 'roberta', { ...robertaSizes, num_hidden_layers: 6 }),
  row('distilbert/distilbert-base-uncased', 'distilbert'),
  row('distilbert/distilbert-base-cased', 'distilbert', { vocab_size: 28_996 }),
  row('distilbert/distilbert-base-multilingual-cased', 'distilbert', { vocab_size: 119_547 }),
  row('answerdotai/ModernBERT-base', 'modernbert', { classifier_pooling: 'mean' }),
  row('answerdotai/ModernBERT-large', 'modernbert', {
    ...bertLarge,
    num_hidden_layers: 28,
    intermediate_size: 2_624,
    classifier_pooling: 'mean',
  }),
  row('openai-community/gpt2', 'gpt2'),
  row('openai-community/gpt2-medium', 'gpt2', { n_embd: 1_024, n_layer: 24, n_head: 16 }),
  row('openai-community/gpt2-large', 'gpt2', { n_embd: 1_280, n_layer: 36, n_head: 20 }),
  row('openai-community/gpt2-xl', 'gpt2', { n_embd: 1_600, n_layer: 48, n_head: 25 }),
  row('distilbert/distilgpt2', 'gpt2', { n_layer: 6 }),
  { ids: ['bigcode/starcoder', 'bigcode/starcoderbase'], config: starcoder(6_144, 40, 48) },
  { ids: ['bigcode/starcoderbase-1b'], config: starcoder(2_048, 24, 16) },
  { ids: ['bigcode/starcoderbase-3b'], config: starcoder(2_816, 36, 22) },
  { ids: ['bigcode/starcoderbase-7b'], config: starcoder(4_096, 42, 32) },
  row('EleutherAI/gpt-j-6b', 'gptj'),
  row('EleutherAI/gpt-neo-125m', 'gpt_neo', gptNeo(768, 12, 12)),
  row('EleutherAI/gpt-neo-1.3B', 'gpt_neo', gptNeo(2_048, 24, 16)),
  row('EleutherAI/gpt-neo-2.7B', 'gpt_neo', gptNeo(2_560, 32, 20)),
  cerebras('111M', 768, 10, 12),
  cerebras('256M', 1_088, 14, 17),
  cerebras('590M', 1_536, 18, 12),
  cerebras('1.3B', 2_048, 24, 16),
  cerebras('2.7B', 2_560, 32, 32),
  cerebras('6.7B', 4_096, 32, 32),
  cerebras('13B', 5_120, 40, 40),
]
