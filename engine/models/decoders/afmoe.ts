/**
 * Arcee's Trinity: gated attention, most of it over a window and turned, the rest over all tokens without positions; norms on
 * both sides of each part. transformers: models/afmoe.
 */
import * as z from 'zod'
import { gatedAnd, gateUpDownExperts } from '../linears.ts'
import { expertCount, layerList, size, someLayers } from '../schema.ts'
import { attentionOf, headNorms } from './attention.ts'
import { type Blueprint, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward, withSharedExperts } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const afmoeConfig = decoderFields.extend({
  model_type: z.literal('afmoe'),
  attention_bias: z.boolean().default(false),
  head_dim: size.default(128),
  layer_types: layerList(z.string()).nullish(),
  global_attn_every_n_layers: size.default(4),
  sliding_window: size.nullish().default(1_024),
  mup_enabled: z.boolean().default(false),
  num_experts: expertCount.default(64),
  num_experts_per_tok: expertCount.default(6),
  num_shared_experts: expertCount.default(2),
  moe_intermediate_size: size.default(1_408),
  /** Layers at the start that have one feed-forward of their own. */
  num_dense_layers: someLayers.default(1),
})
type AfmoeConfig = z.infer<typeof afmoeConfig>

export function afmoe(config: AfmoeConfig): Blueprint {
  const { layer_types: types, global_attn_every_n_layers: interval, attention_bias: bias } = config
  const slides = (index: number) => (types ? types[index] === 'sliding_attention' : (index + 1) % interval !== 0)
  const mixer = attentionOf(config, {
    queryBias: bias,
    outputBias: bias,
    queryNorm: { norm: 'rms-float32', ...headNorms },
    gateName: 'gate_proj',
    slides,
  })
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  const sparse = sparseLayer(config)
  return {
    ...llamaBlueprint(config, {
      mixer,
      feedForward: either(index => index < config.num_dense_layers, dense, sparse),
    }),
    norm: 'rms-float32',
    blockNorms: {
      beforeMixer: 'input_layernorm',
      afterMixer: 'post_attention_layernorm',
      beforeFeeding: 'pre_mlp_layernorm',
      afterFeeding: 'post_mlp_layernorm',
    },
    rotaryOf: index => (slides(index) ? 0 : undefined),
    scalesWords: config.mup_enabled,
  }
}

function sparseLayer(config: AfmoeConfig): Part {
  const { num_experts: count, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config
  const chosen = sparseFeedForward({
    router: { count, perToken, scoring: 'sigmoid', weightsInFloat32: true, linear: 'gate' },
    experts: { count, inner },
    routerName: 'router',
  })
  const shared = { name: 'shared_experts', inner: inner * config.num_shared_experts }
  const both = withSharedExperts(chosen, config.hidden_size, shared)
  return (ops, place, x) => {
    // A parameter that no gradient reaches: what the choice is corrected by.
    ops.idle(count, bias => ops.layerScale(`${place.name}.expert_bias`, bias))
    return both(ops, place, x)
  }
}

export const afmoeFamily = decoder(afmoeConfig, afmoe, { linears: () => gatedAnd('gate'), experts: gateUpDownExperts })
