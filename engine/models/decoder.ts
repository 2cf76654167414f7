/**
 * Llama and its kin: decoders with rotary positions, RMS norms and gated feed-forward layers. What tells them apart is in
 * `traits`. transformers: models/{llama,mistral,qwen2,qwen3,gemma,gemma2,gemma3,phi3}.
 */
import * as z from 'zod'
import type { Task } from '../config/spec.ts'
import type { Ops } from './ops.ts'
import { probability, size } from './schema.ts'

const decoder = z.object({
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  max_position_embeddings: size,
  tie_word_embeddings: z.boolean().default(false),
  attention_dropout: probability.default(0),
  /** Tokens that sliding-window layers look back. */
  sliding_window: size.nullish(),
})

export const llamaConfig = decoder.extend({
  model_type: z.literal('llama'),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
})
export const mistralConfig = decoder.extend({ model_type: z.literal('mistral') })
export const qwen2Config = decoder.extend({
  model_type: z.literal('qwen2'),
  use_sliding_window: z.boolean().default(false),
})
export const qwen3Config = decoder.extend({
  model_type: z.literal('qwen3'),
  attention_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
})
const gemmaTied = { tie_word_embeddings: z.boolean().default(true) }
export const gemmaConfig = decoder.extend({ model_type: z.literal('gemma'), ...gemmaTied })
export const gemma2Config = decoder.extend({
  model_type: z.literal('gemma2'),
  ...gemmaTied,
  final_logit_softcapping: z.number().nullish().default(30),
})
export const gemma3Config = decoder.extend({
  model_type: z.literal('gemma3_text'),
  ...gemmaTied,
  sliding_window_pattern: size.default(6),
})
export const phi3Config = decoder.extend({
  model_type: z.literal('phi3'),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z.number().min(0).max(1).default(1),
})

export type DecoderConfig =
  | z.infer<typeof llamaConfig>
  | z.infer<typeof mistralConfig>
  | z.infer<typeof qwen2Config>
  | z.infer<typeof qwen3Config>
  | z.infer<typeof gemmaConfig>
  | z.infer<typeof gemma2Config>
  | z.infer<typeof gemma3Config>
  | z.infer<typeof phi3Config>

interface Traits {
  readonly queryBias: boolean
  readonly outputBias: boolean
  readonly feedForwardBias: boolean
  /** A norm over each head's query and key. */
  readonly normsHeads: boolean
  /** Norms after attention and feed-forward, before their residual sums. */
  readonly normsResults: boolean
  /** Gemma: embeddings scaled by √hidden, norms weighted in float32, GELU gates. */
  readonly isGemma: boolean
  /** One projection for q, k and v, one for gate and up. */
  readonly fusesProjections: boolean
  /** Whether layer `index` sees `sliding_window` tokens only. */
  readonly slides: (index: number) => boolean
}

const plain: Traits = {
  queryBias: false,
  outputBias: false,
  feedForwardBias: false,
  normsHeads: false,
  normsResults: false,
  isGemma: false,
  fusesProjections: false,
  slides: () => true,
}

function traitsOf(config: DecoderConfig): Traits {
  switch (config.model_type) {
    case 'llama': {
      const bias = config.attention_bias
      return { ...plain, queryBias: bias, outputBias: bias, feedForwardBias: config.mlp_bias }
    }
    case 'mistral':
      return plain
    case 'qwen2':
      return { ...plain, queryBias: true, slides: () => config.use_sliding_window }
    case 'qwen3': {
      const bias = config.attention_bias
      return {
        ...plain,
        queryBias: bias,
        outputBias: bias,
        normsHeads: true,
        slides: () => config.use_sliding_window,
      }
    }
    case 'gemma':
      return { ...plain, isGemma: true }
    case 'gemma2':
      return { ...plain, isGemma: true, normsResults: true, slides: index => index % 2 === 0 }
    case 'gemma3_text': {
      const slides = (index: number) => (index + 1) % config.sliding_window_pattern !== 0
      return { ...plain, isGemma: true, normsResults: true, normsHeads: true, slides }
    }
    case 'phi3':
      return { ...plain, fusesProjections: true }
  }
}

interface Layer<T> {
  readonly config: DecoderConfig
  readonly traits: Traits
  readonly name: string
  readonly table: readonly [T, T]
  readonly window: number | undefined
}

export function decoderModel<T>(ops: Ops<T>, config: DecoderConfig, task: Task, labels: number): T {
  const traits = traitsOf(config)
  const words = ops.embedding('model.embed_tokens', ops.input, config.vocab_size, config.hidden_size)
  let x = traits.isGemma ? ops.scale(words) : words
  const rotated = config.model_type === 'phi3' ? config.partial_rotary_factor : 1
  const newTable = () => ops.rotaryTable(x, Math.floor(headSize(config) * rotated))
  const table = newTable()
  // Gemma 3's sliding layers turn by a frequency of their own.
  const slidingTable = config.model_type === 'gemma3_text' ? newTable() : table
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const window = traits.slides(index) ? (config.sliding_window ?? undefined) : undefined
    const shape = { config, traits, window, table: traits.slides(index) ? slidingTable : table }
    x = ops.block(x, input => layer(ops, { ...shape, name: `model.layers.${index}` }, input))
  }
  const hidden = norm(ops, config, traits, 'model.norm', x)
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', hidden, labels, { bias: false }))
  const tied = config.tie_word_embeddings ? { tiedTo: 'model.embed_tokens.weight' } : {}
  const logits = ops.linear('lm_head', hidden, config.vocab_size, { bias: false, ...tied })
  return config.model_type === 'gemma2' && config.final_logit_softcapping ? ops.softcap(logits) : logits
}

function layer<T>(ops: Ops<T>, { config, traits, name, table, window }: Layer<T>, x: T): T {
  const dropout = config.model_type === 'phi3' ? config.resid_pdrop : 0
  const after = (part: string, result: T) =>
    traits.normsResults ? norm(ops, config, traits, `${name}.${part}`, result) : result
  const normalised = norm(ops, config, traits, `${name}.input_layernorm`, x)
  const self = { config, traits, name: `${name}.self_attn`, table, window }
  const context = ops.frame(normalised, input => attention(ops, self, input))
  const attended = ops.residual(ops.dropout(after('post_attention_layernorm', context), dropout), x)
  const before = traits.normsResults ? 'pre_feedforward_layernorm' : 'post_attention_layernorm'
  const normed = norm(ops, config, traits, `${name}.${before}`, attended)
  const fed = ops.frame(normed, input => feedForward(ops, config, traits, `${name}.mlp`, input))
  return ops.residual(ops.dropout(after('post_feedforward_layernorm', fed), dropout), attended)
}

function attention<T>(ops: Ops<T>, { config, traits, name, table, window }: Layer<T>, x: T): T {
  const heads = config.num_attention_heads
  const keyValueHeads = config.num_key_value_heads ?? heads
  const [query, key, value] = projections(ops, config, traits, name, x)
  const headNorm = (part: string, states: T) =>
    traits.normsHeads
      ? ops.rmsNorm(`${name}.${part}`, states, { size: headSize(config), scalesInFloat32: traits.isGemma })
      : states
  const q = ops.rotary(headNorm('q_norm', query), table, heads)
  const k = ops.rotary(headNorm('k_norm', key), table, keyValueHeads)
  const context = ops.attention(q, ops.cached(k), ops.cached(value), {
    heads,
    keyValueHeads,
    causal: true,
    dropout: config.attention_dropout,
    window,
    castsSoftmax: true,
  })
  return ops.linear(`${name}.o_proj`, context, config.hidden_size, { bias: traits.outputBias })
}

function projections<T>(ops: Ops<T>, config: DecoderConfig, traits: Traits, name: string, x: T): [T, T, T] {
  const querySize = config.num_attention_heads * headSize(config)
  const keySize = (config.num_key_value_heads ?? config.num_attention_heads) * headSize(config)
  if (traits.fusesProjections) {
    const joined = ops.linear(`${name}.qkv_proj`, x, querySize + 2 * keySize, { bias: false })
    return ops.slices(joined, [querySize, keySize, keySize]) as [T, T, T]
  }
  const project = (part: string, features: number) =>
    ops.linear(`${name}.${part}`, x, features, { bias: traits.queryBias })
  return [project('q_proj', querySize), project('k_proj', keySize), project('v_proj', keySize)]
}

function feedForward<T>(ops: Ops<T>, config: DecoderConfig, traits: Traits, name: string, x: T): T {
  const { intermediate_size: inner, hidden_size: hidden } = config
  const bias = { bias: traits.feedForwardBias }
  if (traits.fusesProjections) {
    const joined = ops.linear(`${name}.gate_up_proj`, x, 2 * inner, bias)
    const [gate, up] = ops.split(joined, [inner, inner]) as [T, T]
    return ops.linear(`${name}.down_proj`, ops.multiply(up, ops.silu(gate)), hidden, bias)
  }
  const gate = ops.linear(`${name}.gate_proj`, x, inner, bias)
  const activated = traits.isGemma ? ops.gelu(gate) : ops.silu(gate)
  const product = ops.multiply(activated, ops.linear(`${name}.up_proj`, x, inner, bias))
  return ops.linear(`${name}.down_proj`, product, hidden, bias)
}

function norm<T>(ops: Ops<T>, config: DecoderConfig, traits: Traits, name: string, x: T): T {
  return ops.rmsNorm(name, x, { size: config.hidden_size, scalesInFloat32: traits.isGemma })
}

function headSize(config: DecoderConfig): number {
  return config.head_dim ?? config.hidden_size / config.num_attention_heads
}
