/**
 * Llama and those that differ from it in a trait or two. transformers: models/{llama,mistral,ministral3,smollm3,seed_oss,arcee,
 * granite}.
 */
import * as z from 'zod'
import { attentionAnd, gatedAnd, llamaLinears } from '../linears.ts'
import { layerList, probability, size } from '../schema.ts'
import { dividedHeads } from '../tensor-parallel.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward, plainFeedForward } from './feed-forward.ts'

const biases = { attention_bias: z.boolean().default(false), mlp_bias: z.boolean().default(false) }

export const llamaConfig = decoderFields.extend({ model_type: z.literal('llama'), ...biases })
export const mistralConfig = decoderFields.extend({ model_type: z.literal('mistral') })
export const ministral3Config = decoderFields.extend({ model_type: z.literal('ministral3') })
const smollm3Config = decoderFields.extend({
  model_type: z.literal('smollm3'),
  ...biases,
  tie_word_embeddings: z.boolean().default(true),
  use_sliding_window: z.boolean().default(false),
  no_rope_layer_interval: size.default(4),
  /** A zero for every layer without positions. */
  no_rope_layers: layerList(z.number()).nullish(),
})
const seedOssConfig = decoderFields.extend({
  model_type: z.literal('seed_oss'),
  attention_bias: z.boolean().default(true),
  attention_out_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  attention_dropout: probability.default(0.1),
  residual_dropout: probability.default(0.1),
})
const arceeConfig = decoderFields.extend({ model_type: z.literal('arcee'), ...biases })
const graniteConfig = decoderFields.extend({ model_type: z.literal('granite'), ...biases })

type Biased = z.infer<typeof llamaConfig | typeof smollm3Config | typeof arceeConfig | typeof graniteConfig>

const attentionWith = (config: Biased) =>
  attentionOf(config, { queryBias: config.attention_bias, outputBias: config.attention_bias })

const gated = (config: Biased) =>
  gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, bias: config.mlp_bias })

export function llama(config: Biased): Blueprint {
  return llamaBlueprint(config, { mixer: attentionWith(config), feedForward: gated(config) })
}

export function mistral(config: z.infer<typeof mistralConfig>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

/** Queries are scaled by Llama 4's factor of their position. */
export function ministral3(config: z.infer<typeof ministral3Config>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true, scalesQuery: true }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

/** Every fourth layer, or as the config lists them, goes without positions. */
export function smollm3(config: z.infer<typeof smollm3Config>): Blueprint {
  const { no_rope_layers: listed, no_rope_layer_interval: interval } = config
  const turns = (index: number) => (listed ? listed[index] !== 0 : (index + 1) % interval !== 0)
  return { ...llama(config), rotaryOf: index => (turns(index) ? 0 : undefined) }
}

function seedOss(config: z.infer<typeof seedOssConfig>): Blueprint {
  const { residual_dropout: dropout, attention_bias: queryBias, attention_out_bias: outputBias } = config
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias, outputBias, outputDropout: dropout }),
    feedForward: gatedFeedForward({
      hidden: config.hidden_size,
      inner: config.intermediate_size,
      bias: config.mlp_bias,
      dropout,
    }),
  })
}

export function arcee(config: z.infer<typeof arceeConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, mlp_bias: bias } = config
  const feedForward = plainFeedForward({ hidden, inner, bias, activation: 'relu-squared' })
  return llamaBlueprint(config, { mixer: attentionWith(config), feedForward })
}

/** Embeddings, results and logits each times a constant. */
export function granite(config: z.infer<typeof graniteConfig>): Blueprint {
  return { ...llama(config), scalesEmbedded: true, scalesResults: true, logits: 'scaled' }
}

export const llamaFamily = decoder(llamaConfig, llama, { linears: () => llamaLinears, divided: dividedHeads })
export const mistralFamily = decoder(mistralConfig, mistral, { linears: () => llamaLinears, divided: dividedHeads })
export const ministral3Family = decoder(ministral3Config, ministral3, {
  linears: () => gatedAnd(),
  divided: dividedHeads,
})
export const smollm3Family = decoder(smollm3Config, smollm3, { linears: () => gatedAnd() })
export const seedOssFamily = decoder(seedOssConfig, seedOss, { linears: () => gatedAnd() })
export const arceeFamily = decoder(arceeConfig, arcee, { linears: () => attentionAnd('up_proj', 'down_proj') })
export const graniteFamily = decoder(graniteConfig, granite, { linears: () => gatedAnd(), divided: dividedHeads })
