/** Qwen 2, 2.5 and 3, dense, and MiMo. transformers: models/{qwen2,qwen3}; XiaomiMiMo/MiMo-7B-RL: modeling_mimo.py. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { gatedAnd, llamaLinears } from '../linears.ts'
import { dividedHeads } from '../tensor-parallel.ts'
import { attentionOf, headNorms } from './attention.ts'
import {
  type Blueprint,
  type DecoderFields,
  decoderFields,
  headSizeOf,
  llamaBlueprint,
  normalised,
  type Part,
} from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

export const qwen2Config = decoderFields.extend({
  model_type: z.literal('qwen2'),
  use_sliding_window: z.boolean().default(false),
})
const mimoConfig = decoderFields.extend({
  model_type: z.literal('mimo'),
  use_sliding_window: z.boolean().default(false),
  num_nextn_predict_layers: z.number().int().min(0).max(16).default(0),
})
export const qwen3Config = decoderFields.extend({
  model_type: z.literal('qwen3'),
  attention_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
})
type Qwen3 = z.infer<typeof qwen3Config>

export function qwen2(config: Omit<z.infer<typeof qwen2Config>, 'model_type'>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: true, slides: () => config.use_sliding_window }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

/** Qwen 2, and beside it layers that predict the token after next, which a training step does not run. */
export function mimo(config: Omit<z.infer<typeof mimoConfig>, 'model_type'>): Blueprint {
  return {
    ...qwen2(config),
    idle: ops => {
      for (let index = 0; index < config.num_nextn_predict_layers; index++) {
        predictingLayer(ops, config, `model.mtp_layers.${index}`)
      }
    },
  }
}

function predictingLayer(ops: Builder, config: DecoderFields, name: string): void {
  const { hidden_size: hidden, intermediate_size: inner, num_attention_heads: heads } = config
  const [querySize, keySize] = [heads, config.num_key_value_heads ?? heads].map(
    count => count * headSizeOf(config),
  ) as [number, number]
  const linear = (part: string, inputs: number, outputs: number, bias = false) =>
    ops.idle(inputs, x => ops.linear(`${name}.${part}`, x, outputs, { bias }))
  for (const norm of ['input', 'post_attention', 'token', 'hidden', 'final']) {
    ops.idle(hidden, x => normalised(ops, 'rms', `${name}.${norm}_layernorm`, hidden, x))
  }
  linear('input_proj', 2 * hidden, hidden)
  linear('self_attn.q_proj', hidden, querySize, true)
  for (const part of ['k_proj', 'v_proj']) linear(`self_attn.${part}`, hidden, keySize, true)
  linear('self_attn.o_proj', querySize, hidden)
  for (const part of ['gate_proj', 'up_proj']) linear(`mlp.${part}`, hidden, inner)
  linear('mlp.down_proj', inner, hidden)
}

/** Query and key of every head are normalised. */
export function qwen3Attention(config: DecoderFields & Pick<Qwen3, 'attention_bias' | 'use_sliding_window'>): Part {
  return attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: 'rms', ...headNorms },
    slides: () => config.use_sliding_window,
  })
}

export function qwen3(config: Omit<Qwen3, 'model_type'>): Blueprint {
  return llamaBlueprint(config, {
    mixer: qwen3Attention(config),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

export const qwen2Family = decoder(qwen2Config, qwen2, { linears: () => llamaLinears, divided: dividedHeads })
export const qwen3Family = decoder(qwen3Config, qwen3, { linears: () => llamaLinears, divided: dividedHeads })
export const mimoFamily = decoder(mimoConfig, mimo, { linears: () => gatedAnd('input_proj'), codeFrom: 'checkpoint' })
