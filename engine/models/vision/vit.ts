/** ViT, and DeiT with its distillation token: encoders over patches of an image. transformers: models/{vit,deit}. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import type { Linears } from '../linears.ts'
import { layerCount, probability, size } from '../schema.ts'

const visionEncoder = z.object({
  hidden_size: size.default(768),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3_072),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(16),
  qkv_bias: z.boolean().default(true),
})

const vitConfig = visionEncoder.extend({ model_type: z.literal('vit') })
const deitConfig = visionEncoder.extend({ model_type: z.literal('deit') })
type VitConfig = z.infer<typeof vitConfig> | z.infer<typeof deitConfig>

/** ViTModel.forward holds the embeddings as `embedding_output`. */
function vit(ops: Builder, config: VitConfig, { labels }: ProgramTerms): Value {
  const { hidden_size: hidden, patch_size: patch } = config
  const convolution = { kernel: patch, stride: patch, padding: 0, bias: true }
  const pixels = ops.conv2d('embeddings.patch_embeddings.projection', ops.input(), hidden, convolution)
  const patches = ops.withInputGradients(ops.flattenPixels(pixels))
  const special = config.model_type === 'deit' ? ['cls_token', 'distillation_token'] : ['cls_token']
  const tokens = ops.prependTokens(
    special.map(name => `embeddings.${name}`),
    patches,
  )
  const positions = special.length + Math.floor(config.image_size / patch) ** 2
  const embedded = ops.addPositions('embeddings.position_embeddings', tokens, positions)
  const normalised = ops.frame(ops.dropout(embedded, config.hidden_dropout_prob), embeddings => {
    const x = ops.layers(embeddings, 'layers', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, input => layer(ops, config, name, input)),
    )
    return ops.layerNorm('layernorm', x)
  })
  return ops.linear('classifier', ops.firstToken(normalised), labels)
}

function layer(ops: Builder, config: VitConfig, name: string, x: Value): Value {
  const normalised = ops.layerNorm(`${name}.layernorm_before`, x)
  const context = ops.frame(normalised, input => attention(ops, config, `${name}.attention`, input))
  const attended = ops.add(ops.dropout(context, config.hidden_dropout_prob), x)
  const normed = ops.layerNorm(`${name}.layernorm_after`, attended)
  const fed = ops.frame(normed, input => feedForward(ops, config, `${name}.mlp`, input))
  return ops.residual(ops.dropout(fed, config.hidden_dropout_prob), attended)
}

type AttentionSizes = Pick<
  VitConfig,
  'hidden_size' | 'num_attention_heads' | 'attention_probs_dropout_prob' | 'qkv_bias'
>

/** [b, s, h] → [b, s, h]. `castsSoftmax`: as in `ops.attention`. */
export function attention(ops: Builder, config: AttentionSizes, name: string, x: Value, castsSoftmax = true): Value {
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map(part =>
    ops.linear(`${name}.${part}`, x, config.hidden_size, { bias: config.qkv_bias }),
  ) as [Value, Value, Value]
  const context = ops.attention(query, key, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob,
    castsSoftmax,
  })
  return ops.linear(`${name}.o_proj`, context, config.hidden_size)
}

function feedForward(ops: Builder, config: VitConfig, name: string, x: Value): Value {
  const widened = ops.gelu(ops.linear(`${name}.fc1`, x, config.intermediate_size))
  return ops.linear(`${name}.fc2`, widened, config.hidden_size)
}

const vitLinears: Linears = {
  all: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'fc1', 'fc2'],
  // transformers 4
  alsoCalled: { query: ['q_proj'], key: ['k_proj'], value: ['v_proj'], dense: ['o_proj', 'fc1', 'fc2'] },
  head: ['classifier'],
}

export const vitFamily = family('image', vitConfig, vit, { linears: () => vitLinears })
export const deitFamily = family('image', deitConfig, vit, { linears: () => vitLinears })
