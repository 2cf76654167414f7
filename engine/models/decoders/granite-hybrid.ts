/** Granite 4: layers of Mamba 2 or attention, each before chosen experts, where it has some, and one for every token. transformers: models/granitemoehybrid. */
import * as z from 'zod'
import { attentionLinears, type Linears } from '../linears.ts'
import { layerList, size, wholeNumber } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, beside, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'
import { joinedFeedForward } from './feed-forward.ts'
import { mamba2Fields, mamba2Of, mamba2ShapeOf } from './mamba2.ts'

const experts = wholeNumber(0, 16_384)

const graniteHybridConfig = decoderFields.extend({
  model_type: z.literal('granitemoehybrid'),
  ...mamba2Fields,
  layer_types: layerList(z.string()).nullish(),
  /** `rope` for positions; none otherwise. */
  position_embedding_type: z.string().nullish(),
  attention_bias: z.boolean().default(false),
  num_local_experts: experts.default(8),
  num_experts_per_tok: experts.default(2),
  shared_intermediate_size: size.default(1_024),
})
type GraniteHybrid = z.infer<typeof graniteHybridConfig>

export function graniteHybrid(config: GraniteHybrid): Blueprint {
  const isMamba = (index: number) => isMambaLayer(config, index)
  const [mamba, attention] = [mambaOf(config), attentionWith(config)]
  return {
    ...llamaBlueprint(config, {
      mixer: either(isMamba, mamba, attention),
      feedForward: graniteMixture(config),
    }),
    mixerName: index => (isMamba(index) ? 'mamba' : 'self_attn'),
    feedForwardName: 'shared_mlp',
    rotaryOf: () => (config.position_embedding_type === 'rope' ? 0 : undefined),
    scalesEmbedded: true,
    scalesResults: true,
    logits: 'scaled',
  }
}

/** The others attend. */
function isMambaLayer({ layer_types: types }: Pick<GraniteHybrid, 'layer_types'>, index: number): boolean {
  return ['mamba', 'linear_attention'].includes(types?.[index] ?? 'mamba')
}

function mambaOf(config: GraniteHybrid): Part {
  const bias = config.mamba_proj_bias
  const shape = mamba2ShapeOf(config, config.mamba_expand * config.hidden_size)
  return mamba2Of({ ...shape, norm: 'weighted-after', outputBias: bias }, { inputBias: bias })
}

function attentionWith(config: GraniteHybrid): Part {
  return attentionOf(config, { queryBias: config.attention_bias, outputBias: config.attention_bias })
}

type Mixture = Pick<
  GraniteHybrid,
  'hidden_size' | 'intermediate_size' | 'num_local_experts' | 'num_experts_per_tok' | 'shared_intermediate_size'
>

/** Chosen experts and one for every token, of which a model may lack either. */
export function graniteMixture(config: Mixture): Part {
  const { num_local_experts: count, num_experts_per_tok: perToken, hidden_size: hidden } = config
  const shared = joinedFeedForward({ hidden, inner: config.shared_intermediate_size }, [
    'input_linear',
    'output_linear',
  ])
  if (count === 0) return shared
  const sparse = sparseFeedForward({
    routerName: 'router',
    router: { count, perToken, scoring: 'softmax', scoresChosenOnly: true },
    experts: { count, inner: config.intermediate_size },
  })
  return (ops, place, x) => {
    const chosen = ops.frame(x, input => sparse(ops, beside(place, 'block_sparse_moe'), input))
    if (config.shared_intermediate_size === 0) return chosen
    return ops.residual(
      chosen,
      ops.frame(x, input => shared(ops, place, input)),
    )
  }
}

/** peft refuses adapters on the output of Mamba 2, which its kernel computes itself. */
function linears(config: GraniteHybrid): Linears {
  const areMamba = Array.from({ length: config.num_hidden_layers }, (_, index) => isMambaLayer(config, index))
  const all = [
    ...(areMamba.includes(false) ? attentionLinears : []),
    ...(areMamba.includes(true) ? ['in_proj'] : []),
    'input_linear',
    'output_linear',
  ]
  return { all }
}

export const graniteHybridFamily = decoder(graniteHybridConfig, graniteHybrid, {
  linears,
  recurrence: config => (config.layer_types?.every(type => type === 'attention') ? undefined : 'mamba2'),
  fusedExpertsBefore5: true,
})
