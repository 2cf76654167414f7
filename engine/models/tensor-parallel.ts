/**
 * What one GPU computes under tensor parallelism: transformers' `base_model_tp_plan` (llama, mistral, ministral3, qwen2, qwen3,
 * gemma2, granite), torchtune's base_llama_tp_plan and its plan of Llama 4's decoder divide the heads and the inner features, and leave norms and residuals whole.
 */
import type { ModelConfig } from './architecture.ts'

type Divisible = Extract<
  ModelConfig,
  { model_type: 'llama' | 'mistral' | 'ministral3' | 'qwen2' | 'qwen3' | 'gemma2' | 'granite' }
>

const divisible: ReadonlySet<string> = new Set<Divisible['model_type']>([
  ...(['llama', 'mistral', 'ministral3', 'qwen2', 'qwen3', 'gemma2', 'granite'] as const),
])

function isDivisible(config: ModelConfig): config is Divisible {
  return divisible.has(config.model_type)
}

/** The config of one GPU's part; undefined where no plan divides the family, or heads or features are not a multiple of `gpus`. */
export function dividedConfig(config: ModelConfig, gpus: number): ModelConfig | undefined {
  if (config.model_type === 'llama4') return dividedLlama4(config, gpus)
  if (!isDivisible(config)) return undefined
  const { num_attention_heads: heads, hidden_size: hidden, intermediate_size: inner } = config
  const keyValueHeads = config.num_key_value_heads ?? heads
  if ([heads, keyValueHeads, inner].some(count => count % gpus !== 0)) return undefined
  return {
    ...config,
    num_attention_heads: heads / gpus,
    num_key_value_heads: keyValueHeads / gpus,
    head_dim: config.head_dim ?? hidden / heads,
    intermediate_size: inner / gpus,
  }
}

/** The tower stays whole. */
function dividedLlama4(config: Extract<ModelConfig, { model_type: 'llama4' }>, gpus: number): ModelConfig | undefined {
  const { text_config: text } = config
  const divide = (count: number) => count / gpus
  const sizes = {
    num_attention_heads: divide(text.num_attention_heads),
    num_key_value_heads: divide(text.num_key_value_heads),
    intermediate_size: divide(text.intermediate_size),
    intermediate_size_mlp: divide(text.intermediate_size_mlp),
  }
  if (!Object.values(sizes).every(Number.isInteger)) return undefined
  const head_dim = text.head_dim ?? text.hidden_size / text.num_attention_heads
  return { ...config, text_config: { ...text, ...sizes, head_dim } }
}
