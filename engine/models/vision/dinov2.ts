/** DINOv2: an encoder over patches of an image, classified by its class token and the mean of its patches. transformers: models/dinov2. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import type { Linears } from '../linears.ts'
import { layerCount, probability, size } from '../schema.ts'
import { attention } from './vit.ts'

const dinov2Config = z.object({
  model_type: z.literal('dinov2'),
  hidden_size: size.default(768),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(12),
  mlp_ratio: size.default(4),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  drop_path_rate: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(14),
  qkv_bias: z.boolean().default(true),
  use_swiglu_ffn: z.boolean().default(false),
  use_mask_token: z.boolean().default(true),
})
type Dinov2Config = z.infer<typeof dinov2Config>

/** Dinov2Model.forward holds the embeddings as `embedding_output`. */
function dinov2(ops: Builder, config: Dinov2Config, { labels }: ProgramTerms): Value {
  const { hidden_size: hidden, patch_size: patch } = config
  const convolution = { kernel: patch, stride: patch, padding: 0, bias: true }
  const patches = ops.conv2d('embeddings.patch_embeddings.projection', ops.input(), hidden, convolution)
  const tokens = ops.prependTokens(['embeddings.cls_token'], ops.withInputGradients(ops.flattenPixels(patches)))
  const positions = 1 + Math.floor(config.image_size / patch) ** 2
  const embedded = ops.addPositions('embeddings.position_embeddings', tokens, positions)
  // Of pretraining alone.
  if (config.use_mask_token) ops.idle(hidden, x => ops.layerScale('embeddings.mask_token', x))
  const normed = ops.frame(ops.dropout(embedded, config.hidden_dropout_prob), embeddings => {
    const encoded = ops.layers(embeddings, 'encoder.layer', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, input => layer(ops, config, name, input)),
    )
    return ops.layerNorm('layernorm', encoded)
  })
  const pooled = ops.concatenate([ops.firstToken(normed), ops.meanAfterFirst(normed)])
  return ops.linear('classifier', pooled, labels)
}

function layer(ops: Builder, config: Dinov2Config, name: string, x: Value): Value {
  const scaled = (branch: Value, part: string) =>
    ops.dropPath(ops.layerScale(`${name}.${part}.lambda1`, branch), config.drop_path_rate)
  const context = ops.frame(ops.layerNorm(`${name}.norm1`, x), input =>
    attention(ops, config, `${name}.attention`, input, false),
  )
  const attended = ops.add(scaled(context, 'layer_scale1'), x)
  const fed = ops.frame(ops.layerNorm(`${name}.norm2`, attended), input =>
    feedForward(ops, config, `${name}.mlp`, input),
  )
  return ops.residual(scaled(fed, 'layer_scale2'), attended)
}

function feedForward(ops: Builder, config: Dinov2Config, name: string, x: Value): Value {
  const { hidden_size: hidden, mlp_ratio: ratio } = config
  if (!config.use_swiglu_ffn) {
    return ops.linear(`${name}.fc2`, ops.gelu(ops.linear(`${name}.fc1`, x, ratio * hidden)), hidden)
  }
  // Dinov2SwiGLUFFN: two thirds of the features, rounded up to a multiple of 8.
  const inner = Math.ceil(Math.floor((2 * ratio * hidden) / 3) / 8) * 8
  const gate = ops.silu(ops.linear(`${name}.gate_proj`, x, inner))
  return ops.linear(`${name}.down_proj`, ops.multiply(gate, ops.linear(`${name}.up_proj`, x, inner)), hidden)
}

function linearsOf({ use_swiglu_ffn: isGated }: Dinov2Config): Linears {
  const inner = isGated ? ['gate_proj', 'up_proj', 'down_proj'] : ['fc1', 'fc2']
  return {
    all: ['q_proj', 'k_proj', 'v_proj', 'o_proj', ...inner],
    // transformers 4
    alsoCalled: { query: ['q_proj'], key: ['k_proj'], value: ['v_proj'], dense: ['o_proj'] },
    head: ['classifier'],
  }
}

export const dinov2Family = family('image', dinov2Config, dinov2, { linears: linearsOf })
