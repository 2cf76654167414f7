/** The config.json of a Llama that no catalogue has, small enough to be estimated at once. */
export const tinyLlama = JSON.stringify({
  model_type: 'llama',
  vocab_size: 32_000,
  hidden_size: 512,
  intermediate_size: 1_024,
  num_hidden_layers: 4,
  num_attention_heads: 8,
  max_position_embeddings: 1_024,
})
