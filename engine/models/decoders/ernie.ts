/** ERNIE 4.5, dense: positions are turned in float32. transformers: models/ernie4_5. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const ernieConfig = decoderFields.extend({
  model_type: z.literal('ernie4_5'),
  tie_word_embeddings: z.boolean().default(true),
  use_bias: z.boolean().default(false),
})

export function ernie(config: z.infer<typeof ernieConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = config
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true } }),
    feedForward: gatedFeedForward({ hidden, inner, bias }),
  })
}

export const ernieFamily = decoder(ernieConfig, ernie, { linears: () => gatedAnd() })
