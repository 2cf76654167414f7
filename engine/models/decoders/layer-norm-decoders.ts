/** Decoders with rotary positions and layer norms: StarCoder 2, StableLM and Nemotron. transformers: models/{starcoder2,stablelm,nemotron}. */
import * as z from 'zod'
import { attentionAnd, llamaLinears } from '../linears.ts'
import { probability } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward, plainFeedForward } from './feed-forward.ts'

const starcoder2Config = decoderFields.extend({
  model_type: z.literal('starcoder2'),
  tie_word_embeddings: z.boolean().default(true),
  use_bias: z.boolean().default(true),
  residual_dropout: probability.default(0),
  embedding_dropout: probability.default(0),
})

const stablelmConfig = decoderFields.extend({
  model_type: z.literal('stablelm'),
  use_qkv_bias: z.boolean().default(false),
  hidden_dropout: probability.default(0),
  partial_rotary_factor: z.number().min(0).max(1).default(0.25),
  qk_layernorm: z.literal(false, { error: 'StableLM with norms of query and key is not supported' }).default(false),
  use_parallel_residual: z
    .literal(false, { error: 'StableLM with parallel residuals is not supported' })
    .default(false),
})

const nemotronConfig = decoderFields.extend({
  model_type: z.literal('nemotron'),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
})

export function starcoder2(config: z.infer<typeof starcoder2Config>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias, residual_dropout: dropout } = config
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, outputDropout: dropout, slides: () => true }),
      feedForward: plainFeedForward({ hidden, inner, bias, dropout }, ['c_fc', 'c_proj']),
    }),
    norm: 'layer',
    wordDropout: config.embedding_dropout,
  }
}

export function stablelm(config: z.infer<typeof stablelmConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, hidden_dropout: dropout } = config
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: config.use_qkv_bias }),
      feedForward: gatedFeedForward({ hidden, inner, dropout }),
    }),
    norm: 'layer',
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
  }
}

/** Norms weighted by 1 + weight, in the type of what surrounds them. */
export function nemotron(config: z.infer<typeof nemotronConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias, mlp_bias: bias } = config
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, {
        queryBias: attention_bias,
        outputBias: attention_bias,
        rotary: { alwaysJoins: true },
      }),
      feedForward: plainFeedForward({ hidden, inner, bias, activation: 'relu-squared' }),
    }),
    norm: 'layer-lowered',
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
  }
}

export const starcoder2Family = decoder(starcoder2Config, starcoder2, {
  linears: () => attentionAnd('c_fc', 'c_proj'),
  isStoredIn32Bits: true,
})
export const stablelmFamily = decoder(stablelmConfig, stablelm, { linears: () => llamaLinears })
export const nemotronFamily = decoder(nemotronConfig, nemotron, { linears: () => attentionAnd('up_proj', 'down_proj') })
