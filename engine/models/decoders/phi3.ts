/** Phi 3 to 4: projections joined, dropout on results. transformers: models/phi3. */
import * as z from 'zod'
import { probability } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { joinedFeedForward } from './feed-forward.ts'

const phi3Config = decoderFields.extend({
  model_type: z.literal('phi3'),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z.number().min(0).max(1).default(1),
})

export function phi3(config: z.infer<typeof phi3Config>): Blueprint {
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { joinsProjections: true, rotary: { alwaysJoins: true }, slides: () => true }),
      feedForward: joinedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
    }),
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
    resultDropout: config.resid_pdrop,
  }
}

export const phi3Family = decoder(phi3Config, phi3, {
  linears: () => ({ all: ['qkv_proj', 'o_proj', 'gate_up_proj', 'down_proj'], usual: ['qkv_proj'] }),
})
