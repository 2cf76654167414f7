/** Nemotron H and Nemotron 3: each block is one mixer, Mamba 2, attention without positions or a feed-forward. transformers: models/nemotron_h. */
import * as z from 'zod'
import { attentionLinears, type Linears, refusedByMamba } from '../linears.ts'
import { expertCount, layerList, MAX_LAYERS, size } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, differing, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { activate, plainFeedForward } from './feed-forward.ts'
import { mamba2Of } from './mamba2.ts'

const nemotronHConfig = decoderFields.omit({ num_hidden_layers: true }).extend({
  model_type: z.literal('nemotron_h'),
  /** A letter a block, where the list of their kinds is not there. */
  hybrid_override_pattern: z
    .string()
    .max(MAX_LAYERS)
    .regex(/^[M*E-]+$/)
    .optional(),
  layers_block_type: layerList(z.string()).min(1).nullish(),
  intermediate_size: size.default(21_504),
  head_dim: size.default(128),
  ssm_state_size: size.default(128),
  mamba_num_heads: size.default(128),
  mamba_head_dim: size.default(64),
  n_groups: size.default(8),
  conv_kernel: size.default(4),
  chunk_size: size.default(128),
  use_conv_bias: z.boolean().default(true),
  use_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  n_routed_experts: expertCount.default(8),
  num_experts_per_tok: expertCount.optional(),
  moe_intermediate_size: size.default(7_688),
  moe_shared_expert_intermediate_size: size.default(7_688),
  moe_latent_size: size.nullish(),
})
type NemotronH = z.infer<typeof nemotronHConfig>

const kindsByLetter = { M: 'linear_attention', E: 'moe', '*': 'full_attention', '-': 'mlp' } as const
type Kind = (typeof kindsByLetter)[keyof typeof kindsByLetter]

/** As transformers named them before. */
const earlierNames: Readonly<Record<string, Kind>> = { mamba: 'linear_attention', attention: 'full_attention' }

const PER_TOKEN_BY_DEFAULT = 2

export function nemotronH(config: NemotronH): Blueprint {
  const kinds = blockKindsOf(config)
  const fields = { ...config, num_hidden_layers: kinds.length }
  const parts: Readonly<Record<Kind, Part>> = {
    linear_attention: mamba(config),
    full_attention: attentionOf(fields),
    moe: mixture(config),
    mlp: feedForward(config, config.intermediate_size),
  }
  const kindOf = (index: number) => kinds[index] ?? 'mlp'
  const mixer = differing((ops, place, x) => parts[kindOf(place.index)](ops, place, x), kindOf)
  return {
    ...llamaBlueprint(fields, { mixer }),
    norm: 'rms-float32',
    blockNorms: { beforeMixer: 'norm' },
    mixerName: () => 'mixer',
    wordsName: 'embeddings',
    lastNormName: 'norm_f',
    rotaryOf: () => undefined,
    logits: 'float32',
  }
}

function blockKindsOf({ hybrid_override_pattern: pattern, layers_block_type: listed }: NemotronH): readonly Kind[] {
  if (listed)
    return listed.map(name => earlierNames[name] ?? Object.values(kindsByLetter).find(kind => kind === name) ?? 'mlp')
  const letters = [...(pattern ?? 'ME*-')] as readonly (keyof typeof kindsByLetter)[]
  return letters.map(letter => kindsByLetter[letter])
}

function mamba(config: NemotronH): Part {
  const shape = {
    heads: config.mamba_num_heads,
    headSize: config.mamba_head_dim,
    stateSize: config.ssm_state_size,
    groups: config.n_groups,
    chunkTokens: config.chunk_size,
    kernel: config.conv_kernel,
    convolutionBias: config.use_conv_bias,
    norm: 'weighted-after',
    outFeatures: config.hidden_size,
    outputBias: config.use_bias,
  } as const
  return mamba2Of(shape, { inputBias: config.use_bias })
}

function feedForward({ hidden_size: hidden, mlp_bias: bias }: NemotronH, inner: number): Part {
  return plainFeedForward({ hidden, inner, bias, activation: 'relu-squared' })
}

/** Experts without a gate, in a narrower space where the config has one, and one for every token. */
function mixture(config: NemotronH): Part {
  const { n_routed_experts: count, moe_intermediate_size: inner, moe_latent_size: latent, mlp_bias: bias } = config
  const perToken = config.num_experts_per_tok ?? PER_TOKEN_BY_DEFAULT
  const router = { count, perToken, scoring: 'sigmoid', inFloat32: true, weightsInFloat32: true } as const
  const shared = feedForward(config, config.moe_shared_expert_intermediate_size)
  return (ops, place, x) => {
    const { name } = place
    const routed = ops.routed(`${name}.gate`, x, router)
    const narrowed = latent ? ops.linear(`${name}.fc1_latent_proj`, x, latent, { bias }) : x
    const chosen = ops.frame(narrowed, input =>
      ops.experts(`${name}.experts`, input, routed, { count, inner, isGated: false }, rows =>
        activate(ops, 'relu-squared', rows),
      ),
    )
    const widened = latent ? ops.linear(`${name}.fc2_latent_proj`, chosen, config.hidden_size, { bias }) : chosen
    const common = ops.frame(x, input => shared(ops, { ...place, name: `${name}.shared_experts` }, input))
    return ops.residual(widened, common)
  }
}

function linears(config: NemotronH): Linears {
  const kinds = blockKindsOf(config)
  const has = (kind: Kind, names: readonly string[]) => (kinds.includes(kind) ? names : [])
  const latentProjections = config.moe_latent_size ? ['fc1_latent_proj', 'fc2_latent_proj'] : []
  const feedForward = kinds.includes('moe') || kinds.includes('mlp') ? ['up_proj', 'down_proj'] : []
  const all = [
    ...has('full_attention', attentionLinears),
    ...has('linear_attention', ['in_proj']),
    ...feedForward,
    ...has('moe', latentProjections),
  ]
  return { all, ...(kinds.includes('linear_attention') && { refused: refusedByMamba }) }
}

export const nemotronHFamily = decoder(nemotronHConfig, nemotronH, { linears, recurrence: () => 'mamba2' })
