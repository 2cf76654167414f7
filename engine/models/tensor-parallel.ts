/** One GPU's share of a model under tensor parallelism. */

interface Dividable {
  readonly num_attention_heads: number
  readonly num_key_value_heads?: number | null | undefined
  readonly hidden_size: number
  readonly intermediate_size: number
  readonly head_dim?: number | null | undefined
}

/**
 * The config of one GPU's part; undefined where heads or features are not a multiple of `gpus`. transformers'
 * `base_model_tp_plan` of Llama and its kin and torchtune's base_llama_tp_plan divide the heads and the inner features, and leave
 * norms and residuals whole.
 */
export function dividedHeads<Config extends Dividable>(config: Config, gpus: number): Config | undefined {
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
