/** The vision tower of Llama 4, for its weights only. transformers: Llama4VisionModel. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { channels, idleLinear, table, tower } from './towers.ts'

export const llama4VisionConfig = z.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(5_632),
  num_hidden_layers: layerCount.default(34),
  num_channels: channels,
  vision_output_dim: size.default(7_680),
  image_size: size.default(448),
  patch_size: size.default(14),
  projector_input_dim: size.default(4_096),
  projector_output_dim: size.default(4_096),
})

export function llama4Vision(ops: Builder, root: string, config: z.infer<typeof llama4VisionConfig>): void {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config
  idleLinear(ops, `${root}.patch_embedding.linear`, config.num_channels * patch ** 2, hidden, false)
  table(ops, `${root}.class_embedding`, 1, hidden)
  table(ops, `${root}.positional_embedding_vlm`, Math.floor(config.image_size / patch) ** 2 + 1, hidden)
  for (const norm of ['pre', 'post']) ops.idle(hidden, x => ops.layerNorm(`${root}.layernorm_${norm}`, x))
  const projections = ['q_proj', 'k_proj', 'v_proj', 'o_proj'].map(
    part => [`self_attn.${part}`, hidden, hidden] as const,
  )
  tower(ops, `${root}.model.layers`, config.num_hidden_layers, hidden, {
    norms: ['input_layernorm', 'post_attention_layernorm'],
    normKind: 'layer',
    linears: [...projections, ['mlp.fc1', hidden, inner], ['mlp.fc2', inner, hidden]],
    bias: true,
  })
  idleLinear(ops, `${root}.vision_adapter.mlp.fc1`, inner, config.projector_input_dim, false)
  idleLinear(ops, `${root}.vision_adapter.mlp.fc2`, config.projector_output_dim, config.projector_output_dim, false)
}
