/** Command R and its successors: attention and feed-forward read the same norm. transformers: models/{cohere,cohere2}. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { layerList, size } from '../schema.ts'
import { type AttentionTraits, attentionOf } from './attention.ts'
import { type Blueprint, type DecoderFields, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const shared = { tie_word_embeddings: z.boolean().default(true), attention_bias: z.boolean().default(false) }

const cohereConfig = decoderFields.extend({
  model_type: z.literal('cohere'),
  ...shared,
  use_qk_norm: z.literal(false, { error: 'Cohere with norms of query and key is not supported' }).default(false),
})
const cohere2Config = decoderFields.extend({
  model_type: z.literal('cohere2'),
  ...shared,
  sliding_window: size.nullish().default(4_096),
  layer_types: layerList(z.string()).nullish(),
})

type Fields = DecoderFields & { readonly attention_bias: boolean }

export function cohere(config: Fields, traits: AttentionTraits = {}): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias: bias } = config
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true }, ...traits }),
      feedForward: gatedFeedForward({ hidden, inner }),
    }),
    norm: 'layer-composed',
    blockNorms: { beforeMixer: 'input_layernorm' },
    isParallel: true,
    logits: 'scaled',
  }
}

/** Every fourth layer, or as the config lists them, sees all tokens, without positions. */
export function cohere2(config: z.infer<typeof cohere2Config>): Blueprint {
  const { layer_types: types } = config
  const slides = (index: number) => (types ? types[index] === 'sliding_attention' : (index + 1) % 4 !== 0)
  return { ...cohere(config, { slides }), rotaryOf: index => (slides(index) ? 0 : undefined) }
}

export const cohereFamily = decoder(cohereConfig, config => cohere(config), { linears: () => gatedAnd() })
export const cohere2Family = decoder(cohere2Config, config => cohere2(config), { linears: () => gatedAnd() })
