/** Voxtral: Whisper's encoder in front of a Llama, trained on text. transformers: models/voxtral. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { gatedAnd } from '../linears.ts'
import { layerCount, size } from '../schema.ts'
import { idleLinear, patches, table, tower } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, llamaConfig } from './llama.ts'

/** Frames that a convolution over time sees. */
const KERNEL = 3

const speechEncoderConfig = z.object({
  hidden_size: size.default(1_280),
  intermediate_size: size.default(5_120),
  num_hidden_layers: layerCount.default(32),
  num_mel_bins: size.default(128),
  max_source_positions: size.default(1_500),
})

const voxtralConfig = z.object({
  model_type: z.literal('voxtral'),
  text_config: llamaConfig.extend({
    model_type: z.literal('llama').default('llama'),
    vocab_size: size.default(131_072),
    hidden_size: size.default(3_072),
    intermediate_size: size.default(8_192),
    num_hidden_layers: layerCount.default(30),
    num_key_value_heads: size.nullish().default(8),
    head_dim: size.nullish().default(128),
    max_position_embeddings: size.default(131_072),
  }),
  audio_config: speechEncoderConfig,
})

export function voxtral({ text_config: text, audio_config: audio }: z.infer<typeof voxtralConfig>): Blueprint {
  return {
    ...llama(text),
    root: 'model.language_model',
    idle: ops => {
      const projector = 'model.multi_modal_projector'
      speechEncoder(ops, 'model.audio_tower', audio)
      idleLinear(ops, `${projector}.linear_1`, audio.intermediate_size, text.hidden_size, false)
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, false)
    },
  }
}

function speechEncoder(ops: Builder, root: string, config: z.infer<typeof speechEncoderConfig>): void {
  const { hidden_size: hidden, intermediate_size: inner } = config
  patches(ops, `${root}.conv1`, hidden, config.num_mel_bins * KERNEL, { bias: true })
  patches(ops, `${root}.conv2`, hidden, hidden * KERNEL, { bias: true })
  table(ops, `${root}.embed_positions`, config.max_source_positions, hidden)
  tower(ops, `${root}.layers`, config.num_hidden_layers, hidden, {
    norms: ['self_attn_layer_norm', 'final_layer_norm'],
    normKind: 'layer',
    linears: [
      ['self_attn.k_proj', hidden, hidden, false],
      ['self_attn.v_proj', hidden, hidden],
      ['self_attn.q_proj', hidden, hidden],
      ['self_attn.out_proj', hidden, hidden],
      ['fc1', hidden, inner],
      ['fc2', inner, hidden],
    ],
    bias: true,
  })
  ops.idle(hidden, x => ops.layerNorm(`${root}.layer_norm`, x))
}

export const voxtralFamily = decoder(voxtralConfig, voxtral, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'),
})
