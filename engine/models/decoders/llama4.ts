/** Llama 4: chunked attention with every fourth layer unturned, and experts that every token goes through. transformers: models/llama4. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { expertCount, layerCount, layerList, size, someLayers } from '../schema.ts'
import { llama4Vision, llama4VisionConfig } from '../vision/llama4-vision.ts'
import { idleLinear } from '../vision/towers.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gateBy } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const layers = layerList(someLayers)

/** What transformers' Llama4TextConfig says where a config.json says nothing: Scout's decoder. */
const llama4TextConfig = decoderFields.extend({
  vocab_size: size.default(202_048),
  hidden_size: size.default(5_120),
  /** Of an expert, and of the one that all tokens share. */
  intermediate_size: size.default(8_192),
  /** Of the layers between. */
  intermediate_size_mlp: size.default(16_384),
  num_hidden_layers: layerCount.default(48),
  num_attention_heads: size.default(40),
  num_key_value_heads: size.default(8),
  head_dim: size.nullish().default(128),
  /** Scout's are more than ten million. */
  max_position_embeddings: z.number().int().min(1).max(1_000_000_000).default(131_072),
  num_experts_per_tok: expertCount.default(1),
  num_local_experts: expertCount.default(16),
  moe_layers: layers.nullish(),
  /** Every how many layers there are experts. */
  interleave_moe_layer_step: size.default(1),
  use_qk_norm: z.boolean().default(true),
  /** 1 where a layer turns, 0 where it does not. */
  no_rope_layers: layers.nullish(),
  no_rope_layer_interval: size.default(4),
  attention_chunk_size: size.nullish().default(8_192),
  attn_temperature_tuning: z.coerce.boolean().default(true),
  attention_bias: z.boolean().default(false),
})

const llama4Config = z.object({
  model_type: z.literal('llama4'),
  text_config: llama4TextConfig,
  vision_config: llama4VisionConfig,
})
type TextConfig = z.infer<typeof llama4TextConfig>
type Llama4 = z.infer<typeof llama4Config>

export function llama4({ text_config: text, vision_config: vision }: Llama4): Blueprint {
  const turns = (index: number) =>
    text.no_rope_layers?.length ? text.no_rope_layers[index] === 1 : (index + 1) % text.no_rope_layer_interval !== 0
  return {
    ...llamaBlueprint(text, { mixer: mixerOf(text, turns), feedForward: feedForwardOf(text) }),
    root: 'language_model.model',
    positions: text.max_position_embeddings,
    feedForwardName: 'feed_forward',
    rotaryOf: index => (turns(index) ? 0 : undefined),
    idle: ops => {
      llama4Vision(ops, 'vision_model', vision)
      idleLinear(ops, 'multi_modal_projector.linear_1', vision.vision_output_dim, text.hidden_size, false)
    },
  }
}

/** Layers that turn see a chunk and norm each head; the others scale their queries by the position. */
function mixerOf(text: TextConfig, turns: (index: number) => boolean): Part {
  const bias = { queryBias: text.attention_bias, outputBias: text.attention_bias, softmaxType: 'own' } as const
  const fields = { ...text, sliding_window: text.attention_chunk_size }
  const turning = attentionOf(fields, {
    ...bias,
    slides: () => true,
    rotary: { isComplex: true },
    ...(text.use_qk_norm && { headLengths: true }),
  })
  const resting = attentionOf(fields, { ...bias, scalesQuery: text.attn_temperature_tuning })
  return either(turns, turning, resting)
}

function feedForwardOf(text: TextConfig): Part {
  const { hidden_size: hidden, intermediate_size: inner } = text
  const { num_local_experts: count, num_experts_per_tok: perToken, interleave_moe_layer_step: step } = text
  const isSparse = (index: number) => text.moe_layers?.includes(index) ?? (index + 1) % step === 0
  const dense = gatedFeedForward({ hidden, inner: text.intermediate_size_mlp })
  const common = gatedFeedForward({ hidden, inner })
  const gate = gateBy('silu')
  const sparse: Part = (ops, place, x) => {
    const within = { ...place, name: `${place.name}.shared_expert` }
    return ops.everyExpert(
      place.name,
      x,
      { count, perToken, inner },
      joined => gate(ops, joined, inner),
      () => ops.frame(x, input => common(ops, within, input)),
    )
  }
  return either(isSparse, sparse, dense)
}

/** torchtune's plan of the decoder divides the heads and the inner features, and leaves norms and residuals whole, as the tower. */
function divided(config: Llama4, gpus: number): Llama4 | undefined {
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

export const llama4Family = decoder(llama4Config, llama4, {
  linears: () => gatedAnd('linear', 'fc1', 'fc2', 'linear_1'),
  fusedExpertsBefore5: true,
  refusesFlash: true,
  divided,
})
