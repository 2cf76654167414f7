/**
 * EXAONE 4: norms after each part instead of before it, and of each head of query and key. Where layers slide, those that see
 * everything have no positions. transformers: models/exaone4.
 */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { layerList, size } from '../schema.ts'
import { attentionOf, headNorms } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const config = decoderFields.extend({
  model_type: z.literal('exaone4'),
  sliding_window: size.nullish().default(4_096),
  /** Without it, three layers of four slide. */
  layer_types: layerList(z.string()).nullish(),
})

function blueprint(exaone: z.infer<typeof config>): Blueprint {
  const { layer_types: types, sliding_window: window } = exaone
  const isHybrid = window !== null && window !== undefined
  const slides = (index: number) => isHybrid && (types ? types[index] === 'sliding_attention' : (index + 1) % 4 !== 0)
  return {
    ...llamaBlueprint(exaone, {
      mixer: attentionOf(exaone, { queryNorm: { norm: 'rms', ...headNorms }, slides }),
      feedForward: gatedFeedForward({ hidden: exaone.hidden_size, inner: exaone.intermediate_size }),
    }),
    blockNorms: { afterMixer: 'post_attention_layernorm', afterFeeding: 'post_feedforward_layernorm' },
    rotaryOf: index => (!isHybrid || slides(index) ? 0 : undefined),
  }
}

export const exaone4Family = decoder(config, blueprint, { linears: () => gatedAnd() })
