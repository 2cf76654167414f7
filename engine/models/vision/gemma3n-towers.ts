/**
 * The vision and audio towers of Gemma 3n, for their weights only: a step on text never runs them. transformers:
 * Gemma3nAudioEncoder, TimmWrapperModel.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { idleLinear, idleRmsNorm, table } from './towers.ts'

/** timm models/mobilenetv5.py mobilenetv5_300m_enc without its classifier, as transformers creates it: convolutions and norms. */
const MOBILENET_PARAMETERS = 294_126_912

const CONVOLUTION_KERNEL = 3 * 3

export const gemma3nVisionConfig = z
  .object({
    architecture: z.literal('mobilenetv5_300m_enc').default('mobilenetv5_300m_enc'),
    hidden_size: size.default(2_048),
    vocab_size: size.default(128),
  })
  .prefault({})
export const gemma3nAudioConfig = z
  .object({
    hidden_size: size.default(1_536),
    vocab_size: size.default(128),
    input_feat_size: size.default(128),
    conf_num_attention_heads: size.default(8),
    conf_num_hidden_layers: layerCount.default(12),
    conf_conv_kernel_size: size.default(5),
    sscp_conv_channel_size: z.tuple([size, size]).default([128, 32]),
  })
  .prefault({})

export function gemma3nVision(ops: Builder): void {
  table(ops, 'model.vision_tower', 1, MOBILENET_PARAMETERS)
}

export function gemma3nAudio(ops: Builder, config: z.infer<typeof gemma3nAudioConfig>): void {
  const root = 'model.audio_tower'
  const sampling = `${root}.subsample_conv_projection`
  const { hidden_size: hidden, input_feat_size: mel } = config
  const [first, second] = config.sscp_conv_channel_size
  table(ops, `${sampling}.conv_0`, first, CONVOLUTION_KERNEL + 1)
  table(ops, `${sampling}.conv_1`, second, first * CONVOLUTION_KERNEL + 1)
  // Two convolutions halve the frequencies each.
  idleLinear(ops, `${sampling}.input_proj_linear`, second * Math.ceil(mel / 4), hidden, false)
  for (let index = 0; index < config.conf_num_hidden_layers; index++)
    conformer(ops, `${root}.conformer.${index}`, config)
}

function conformer(ops: Builder, name: string, config: z.infer<typeof gemma3nAudioConfig>): void {
  const { hidden_size: hidden, conf_num_attention_heads: heads } = config
  const linears = (part: string, names: readonly string[], [from, to] = [hidden, hidden]) => {
    for (const each of names) idleLinear(ops, `${name}.${part}.${each}`, from, to, false)
  }
  const norms = (part: string, names: readonly string[]) => {
    for (const each of names) idleRmsNorm(ops, `${name}.${part}.${each}`, hidden)
  }
  for (const part of ['ffw_layer_start', 'ffw_layer_end']) {
    linears(part, ['ffw_layer_1'], [hidden, 4 * hidden])
    linears(part, ['ffw_layer_2'], [4 * hidden, hidden])
    norms(part, ['pre_layer_norm', 'post_layer_norm'])
  }
  linears('attention.attn', ['q_proj', 'k_proj', 'v_proj', 'relative_position_embedding.pos_proj'])
  linears('attention', ['post'])
  norms('attention', ['pre_attn_norm', 'post_norm'])
  table(ops, `${name}.attention.attn.per_dim_scale`, 1, hidden / heads)
  linears('lconv1d', ['linear_start'], [hidden, 2 * hidden])
  linears('lconv1d', ['linear_end'])
  norms('lconv1d', ['pre_layer_norm', 'conv_norm'])
  table(ops, `${name}.lconv1d.depthwise_conv1d`, hidden, config.conf_conv_kernel_size)
  idleRmsNorm(ops, `${name}.norm`, hidden)
}
