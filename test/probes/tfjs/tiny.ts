/** Models of each family small enough to be trained in JavaScript, and specs to train them by. */
import type { ModelConfig } from '../../../engine/models/architecture.ts'
import { modelConfig } from '../../../engine/models/model-config.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'

export interface Tiny {
  readonly name: string
  readonly config: ModelConfig
  readonly spec: TrainingSpec
}

const baseSpec: TrainingSpec = {
  model: 'tiny',
  task: 'sequence-classification',
  framework: 'tensorflow.js',
  step: 'training',
  microBatch: 2,
  gradientAccumulation: 1,
  gpus: 1,
  sequenceLength: 6,
  labels: 3,
  precision: 'fp32',
  optimizer: 'adamw',
  attention: 'eager',
  gradientCheckpointing: false,
  paddedBatches: false,
  loop: 'plain',
}

const decoder = {
  vocab_size: 40,
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 16,
}

function tiny(config: Record<string, unknown>, spec: Partial<TrainingSpec> = {}): Tiny {
  const name = [config.model_type, spec.task].filter(part => part !== undefined).join(' for ')
  return { name, config: modelConfig.parse(config), spec: { ...baseSpec, ...spec } }
}

const encoder = {
  vocab_size: 50,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 16,
  max_position_embeddings: 16,
}

const patches = {
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 12,
  image_size: 16,
  patch_size: 4,
}

export const tinyBert = tiny({ model_type: 'bert', ...encoder })
export const tinyGpt2 = tiny(
  { model_type: 'gpt2', vocab_size: 50, n_positions: 16, n_embd: 8, n_layer: 2, n_head: 2 },
  { task: 'causal-lm' },
)
export const tinyResnet = tiny(
  { model_type: 'resnet', embedding_size: 4, hidden_sizes: [8, 16], depths: [1, 2] },
  { task: 'image-classification', imageSize: 16 },
)

export const everyFamily: readonly Tiny[] = [
  tinyBert,
  tinyGpt2,
  tinyResnet,
  tiny({ model_type: 'bert', ...encoder }, { task: 'masked-lm', paddedBatches: true }),
  tiny({ model_type: 'roberta', ...encoder, type_vocab_size: 1 }),
  tiny({ model_type: 'distilbert', vocab_size: 50, dim: 8, n_layers: 2, n_heads: 2, hidden_dim: 16 }),
  tiny(
    { model_type: 'resnet', embedding_size: 4, hidden_sizes: [4, 8], depths: [1, 1], layer_type: 'basic' },
    {
      task: 'image-classification',
      imageSize: 16,
    },
  ),
  tiny({ model_type: 'llama', ...decoder }, { task: 'causal-lm' }),
  tiny({ model_type: 'qwen3', ...decoder, head_dim: 4 }, { task: 'causal-lm' }),
  tiny({ model_type: 'gemma2', ...decoder, head_dim: 4, sliding_window: 4 }, { task: 'causal-lm' }),
  tiny({ model_type: 'phi3', ...decoder, partial_rotary_factor: 0.5, head_dim: 4 }, { task: 'causal-lm' }),
  tiny({ model_type: 'opt', ...decoder, ffn_dim: 12 }, { task: 'causal-lm' }),
  tiny({ model_type: 'gpt_neox', ...decoder, hidden_size: 32 }, { task: 'causal-lm' }),
  tiny({ model_type: 'vit', ...patches }, { task: 'image-classification', imageSize: 16 }),
  tiny({ model_type: 'deit', ...patches }, { task: 'image-classification', imageSize: 24 }),
  tiny(
    { model_type: 'convnext', hidden_sizes: [4, 8], depths: [1, 2], drop_path_rate: 0.2 },
    { task: 'image-classification', imageSize: 16 },
  ),
]

/** Without dropout, so that the loss is a function of the weights. */
export function withoutDropout({ name, config, spec }: Tiny): Tiny {
  const quiet = Object.entries(config).map(([key, value]) => [key, /drop/.test(key) ? 0 : value])
  return { name, config: modelConfig.parse(Object.fromEntries(quiet)), spec }
}
