/** Falcon H1: Mamba 2 and attention side by side in every block. transformers: models/falcon_h1. */
import * as z from 'zod'
import { gatedAnd, refusedByMamba } from '../linears.ts'
import { size } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, beside, decoderFields, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { mamba2Fields, mamba2Of, mamba2ShapeOf } from './mamba2.ts'

const falconH1Config = decoderFields.extend({
  model_type: z.literal('falcon_h1'),
  ...mamba2Fields,
  /** Features of all heads of Mamba; null for `mamba_expand` times the width. */
  mamba_d_ssm: size.nullable().default(1_024),
  mamba_rms_norm: z.boolean().default(false),
  projectors_bias: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
})
type FalconH1 = z.infer<typeof falconH1Config>

export function falconH1(config: FalconH1): Blueprint {
  return {
    ...llamaBlueprint(config, {
      mixer: sideBySide(mamba(config), attention(config)),
      feedForward: scaledFeedForward(config),
    }),
    blockNorms: { beforeMixer: 'input_layernorm', beforeFeeding: 'pre_ff_layernorm' },
    feedForwardName: 'feed_forward',
    lastNormName: 'final_layernorm',
    scalesEmbedded: true,
    logits: 'scaled',
    // Axolotl loaders/model.py: what is named to be left alone, Mamba's output projections, stands for what otherwise is.
    quantizesLogits: true,
  }
}

function mamba(config: FalconH1): Part {
  const shape = {
    ...mamba2ShapeOf(config, config.mamba_d_ssm ?? config.mamba_expand * config.hidden_size),
    ...(config.mamba_rms_norm && { norm: 'weighted-in-float32' as const }),
    outputBias: config.projectors_bias,
  }
  return mamba2Of(shape, { inputBias: config.mamba_proj_bias, isScaled: true })
}

function attention(config: FalconH1): Part {
  const bias = config.attention_bias
  return attentionOf(config, { queryBias: bias, outputBias: bias, scalesKey: true })
}

/** Each result times a constant, and so what attention reads. */
function sideBySide(mamba: Part, attention: Part): Part {
  return (ops, place, x) => {
    const scanned = ops.scale(ops.frame(x, input => mamba(ops, beside(place, 'mamba'), input)))
    const attended = ops.scale(ops.frame(ops.scale(x), input => attention(ops, place, input)))
    return ops.residual(scanned, attended)
  }
}

function scaledFeedForward({ hidden_size: hidden, intermediate_size: inner, mlp_bias: bias }: FalconH1): Part {
  return (ops, { name }, x) => {
    const up = ops.linear(`${name}.up_proj`, x, inner, { bias })
    const gate = ops.silu(ops.scale(ops.linear(`${name}.gate_proj`, x, inner, { bias })))
    return ops.scale(ops.linear(`${name}.down_proj`, ops.multiply(up, gate), hidden, { bias }))
  }
}

export const falconH1Family = decoder(falconH1Config, falconH1, {
  linears: () => ({ ...gatedAnd('in_proj'), refused: refusedByMamba }),
  recurrence: () => 'mamba2',
})
