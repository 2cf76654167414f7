/** OLMo 2 and 3: norms after each part instead of before it, and over all heads of query and key. transformers: models/{olmo2,olmo3}. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { layerList, size } from '../schema.ts'
import { allHeadsNorms, attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const olmo2Config = decoderFields.extend({
  model_type: z.literal('olmo2'),
  attention_bias: z.boolean().default(false),
})
const olmo3Config = decoderFields.extend({
  model_type: z.literal('olmo3'),
  attention_bias: z.boolean().default(false),
  sliding_window: size.nullish().default(4_096),
  layer_types: layerList(z.string()).nullish(),
})

export function olmo2(
  config: z.infer<typeof olmo2Config | typeof olmo3Config>,
  slides: (index: number) => boolean = () => false,
): Blueprint {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: 'rms-float32', ...allHeadsNorms },
    rotary: { castsBack: true },
    slides,
  })
  const feedForward = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  return {
    ...llamaBlueprint(config, { mixer, feedForward }),
    norm: 'rms-float32',
    blockNorms: { afterMixer: 'post_attention_layernorm', afterFeeding: 'post_feedforward_layernorm' },
  }
}

/** Three layers of four slide, or those that the config lists; both kinds have a table of positions. */
export function olmo3(config: z.infer<typeof olmo3Config>): Blueprint {
  const { layer_types: types } = config
  const slides = (index: number) => (types ? types[index] === 'sliding_attention' : (index + 1) % 4 !== 0)
  return { ...olmo2(config, slides), rotaryOf: index => (slides(index) ? 1 : 0) }
}

export const olmo2Family = decoder(olmo2Config, config => olmo2(config), {
  linears: () => gatedAnd(),
  isStoredIn32Bits: true,
})
export const olmo3Family = decoder(olmo3Config, olmo3, { linears: () => gatedAnd() })
