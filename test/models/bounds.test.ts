import { describe, expect, it } from 'vitest'
import { readConfigJson } from '../../engine/models/config-json.ts'

const llama = {
  model_type: 'llama',
  vocab_size: 32_000,
  hidden_size: 64,
  intermediate_size: 256,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  max_position_embeddings: 512,
}

const llava = {
  model_type: 'llava',
  text_config: llama,
  vision_config: { model_type: 'clip_vision_model', num_hidden_layers: 3 },
}

function whyNot(config: object): string | undefined {
  const read = readConfigJson(JSON.stringify(config))
  return read.kind === 'invalid' ? read.why : undefined
}

describe('the figures of a config.json', () => {
  it.each([
    [
      { ...llama, num_hidden_layers: 10_000_000 },
      'num_hidden_layers: 10000000 is more than 256, the largest that is read',
    ],
    [{ ...llama, hidden_size: 1e12 }, 'hidden_size: 1000000000000 is more than 16,777,216'],
    [{ ...llama, vocab_size: 0 }, 'vocab_size: 0 is less than 1'],
    [{ model_type: 'resnet', depths: Array(20).fill(1_000) }, 'depths.0: 1000 is more than 256'],
    [{ model_type: 'resnet', depths: Array(20).fill(250) }, 'depths: more than 256 layers together'],
    [{ model_type: 't5', num_layers: 1_000 }, 'num_layers: 1000 is more than 256'],
    [
      { model_type: 'gpt_neo', attention_types: [[['global'], 1e9]] },
      'attention_types.0.1: 1000000000 is more than 256',
    ],
    [{ ...llama, model_type: 'mixtral', num_local_experts: 1e6 }, 'num_local_experts: 1000000 is more than 4,096'],
    [
      { ...llava, vision_feature_layer: 1_000_000 },
      'vision_feature_layer: names a layer that the vision_config does not have',
    ],
    [
      { ...llava, vision_feature_layer: [-2, -5] },
      'vision_feature_layer: names a layer that the vision_config does not have',
    ],
    [
      { ...llava, model_type: 'llava_next', vision_feature_layer: 4 },
      'vision_feature_layer: names a layer that the vision_config does not have',
    ],
  ])('%j is refused with field, figure and bound', (config, why) => {
    expect(whyNot(config)).toContain(why)
  })

  it('may be larger than those of any published model', () => {
    expect(whyNot({ ...llama, num_hidden_layers: 256, max_position_embeddings: 10_485_760 })).toBeUndefined()
    expect(whyNot({ ...llava, vision_feature_layer: 3 })).toBeUndefined()
    expect(whyNot({ ...llava, vision_feature_layer: -4 })).toBeUndefined()
  })
})
