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

const paddleocr = {
  model_type: 'paddleocr_vl',
  vocab_size: 103_424,
  hidden_size: 1_024,
  intermediate_size: 3_072,
  num_hidden_layers: 18,
  num_attention_heads: 16,
  num_key_value_heads: 2,
  head_dim: 128,
  max_position_embeddings: 131_072,
  tie_word_embeddings: false,
  vision_config: {
    hidden_size: 1_152,
    num_hidden_layers: 27,
    intermediate_size: 4_304,
    patch_size: 14,
    image_size: 384,
  },
}

test("PaddleOCR-VL's decoder is read where its files write it, beside what sees images", () => {
  expect(readConfigJson(JSON.stringify(paddleocr))).toMatchObject({
    kind: 'config',
    config: { tie_word_embeddings: false, text_config: { num_hidden_layers: 18, num_key_value_heads: 2 } },
  })
})

test('a text part of another architecture than the ones known is named', () => {
  const glm46v = { model_type: 'glm46v', text_config: { ...pythia, model_type: 'glm4v_moe_text' }, vision_config: {} }
  expect(readConfigJson(JSON.stringify(glm46v))).toMatchObject({
    kind: 'invalid',
    why: expect.stringContaining('text_config.model_type'),
  })
})

test("InternVL's sides are one number or two", () => {
  const internvl = (image_size: unknown) => ({
    model_type: 'internvl',
    text_config: { ...paddleocr, model_type: 'qwen3' },
    vision_config: { image_size },
  })
  const square = { kind: 'config', config: { vision_config: { image_size: [448, 448], patch_size: [14, 14] } } }
  expect(readConfigJson(JSON.stringify(internvl(448)))).toMatchObject(square)
  expect(readConfigJson(JSON.stringify(internvl([448, 448])))).toMatchObject(square)
})

test("Kimi Linear's own names are read as transformers reads them, and which of its layers see all tokens", () => {
  const kimi = {
    ...paddleocr,
    model_type: 'kimi_linear',
    vision_config: undefined,
    max_position_embeddings: undefined,
    model_max_length: 1_048_576,
    num_experts: 256,
    num_experts_per_token: 8,
    num_shared_experts: 1,
    moe_intermediate_size: 1_024,
    kv_lora_rank: 512,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    v_head_dim: 128,
    linear_attn_config: {
      full_attn_layers: [4],
      kda_layers: [1, 2, 3],
      head_dim: 128,
      num_heads: 32,
      short_conv_kernel_size: 4,
    },
  }
  expect(readConfigJson(JSON.stringify(kimi))).toMatchObject({
    kind: 'config',
    config: {
      max_position_embeddings: 1_048_576,
      num_local_experts: 256,
      num_experts_per_tok: 8,
      linear_attn_config: { full_attn_layers: [4] },
    },
  })
})

test("what LLaVA's files leave out is what transformers says of the decoder and of the tower that they name", () => {
  const text_config = { model_type: 'mistral', intermediate_size: 14_336, num_hidden_layers: 40, vocab_size: 131_072 }
  const pixtral = { ...text_config, hidden_size: 5_120, max_position_embeddings: 1_024_000 }
  const llava = { model_type: 'llava', text_config: pixtral, vision_config: { model_type: 'pixtral', patch_size: 16 } }
  expect(readConfigJson(JSON.stringify(llava))).toMatchObject({
    kind: 'config',
    config: {
      text_config: { num_attention_heads: 32, num_key_value_heads: 8 },
      vision_config: { hidden_size: 1_024, num_hidden_layers: 24 },
      multimodal_projector_bias: true,
    },
  })
})

test("Llama 4's sizes are Scout's where its config.json says nothing, and its positions more than ten million", () => {
  const text_config = { model_type: 'llama4_text', max_position_embeddings: 10_485_760, attn_temperature_tuning: 4 }
  const text = JSON.stringify({ model_type: 'llama4', text_config, vision_config: { no_such_field: 1 } })
  expect(readConfigJson(text)).toMatchObject({
    kind: 'config',
    config: { text_config: { num_local_experts: 16, num_hidden_layers: 48, max_position_embeddings: 10_485_760 } },
  })
})

test('a pointer of Git LFS is named as such', () => {
  const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4'.repeat(64)}\nsize 1234\n`
  expect(readConfigJson(text)).toMatchObject({ kind: 'invalid', why: expect.stringContaining('Git LFS') })
})
