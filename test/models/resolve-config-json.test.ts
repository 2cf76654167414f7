import { expect, test } from 'vitest'
import { readConfigJson } from '../../engine/models/config-json.ts'

const pythia = {
  model_type: 'gpt_neox',
  vocab_size: 50_304,
  hidden_size: 512,
  intermediate_size: 2_048,
  num_hidden_layers: 6,
  num_attention_heads: 8,
  max_position_embeddings: 2_048,
}

test('the rotated share is read where transformers 4 writes it', () => {
  const text = JSON.stringify({ ...pythia, rotary_pct: 0.5, rotary_emb_base: 10_000 })
  expect(readConfigJson(text)).toMatchObject({ kind: 'config', config: { rotary_pct: 0.5 } })
})

test('the rotated share is read where transformers 5 writes it', () => {
  const text = JSON.stringify({ ...pythia, rope_parameters: { partial_rotary_factor: 0.5, rope_type: 'default' } })
  expect(readConfigJson(text)).toMatchObject({ kind: 'config', config: { rotary_pct: 0.5 } })
})

test('what memory does not depend on is left behind', () => {
  const text = JSON.stringify({ ...pythia, auto_map: { AutoConfig: 'code.py' } })
  const read = readConfigJson(text)
  expect(read.kind).toBe('config')
  expect(read).not.toHaveProperty('config.auto_map')
})
