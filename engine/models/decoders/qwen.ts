/** Qwen 2, 2.5 and 3, dense. transformers: models/{qwen2,qwen3}. */
import * as z from 'zod'
import { attentionOf, headNorms } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { gatedFeedForward } from './feed-forward.ts'

export const qwen2Config = decoderFields.extend({
  model_type: z.literal('qwen2'),
  use_sliding_window: z.boolean().default(false),
})
export const qwen3Config = decoderFields.extend({
  model_type: z.literal('qwen3'),
  attention_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
})

export function qwen2(config: Omit<z.infer<typeof qwen2Config>, 'model_type'>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: true, slides: () => config.use_sliding_window }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

export function qwen3(config: Omit<z.infer<typeof qwen3Config>, 'model_type'>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: 'rms', ...headNorms },
      slides: () => config.use_sliding_window,
    }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}
