/** Apertus: an activation that learns its slopes, without a gate. transformers: models/apertus. */
import * as z from 'zod'
import { attentionAnd } from '../linears.ts'
import { attentionOf, headNorms } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'

const apertusConfig = decoderFields.extend({
  model_type: z.literal('apertus'),
  attention_bias: z.boolean().default(false),
})

function blueprint(config: z.infer<typeof apertusConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias: bias } = config
  const queryNorm = { norm: 'rms', ...headNorms } as const
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, queryNorm }),
      feedForward: feedForward(hidden, inner),
    }),
    blockNorms: { beforeMixer: 'attention_layernorm', beforeFeeding: 'feedforward_layernorm' },
  }
}

function feedForward(hidden: number, inner: number): Part {
  return (ops, { name }, x) => {
    const widened = ops.xielu(`${name}.act_fn`, ops.linear(`${name}.up_proj`, x, inner, { bias: false }))
    return ops.linear(`${name}.down_proj`, widened, hidden, { bias: false })
  }
}

export const apertusFamily = decoder(apertusConfig, blueprint, {
  linears: () => attentionAnd('up_proj', 'down_proj'),
})
