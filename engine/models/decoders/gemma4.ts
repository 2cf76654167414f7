/**
 * Gemma 4: sliding layers and full ones with larger and fewer heads, per-layer embeddings in the small models, experts beside the
 * feed-forward in the sparse one. transformers: models/{gemma4,gemma4_unified}.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { gatedAnd, type Linears } from '../linears.ts'
import { expertCount, layerCount, probability, size } from '../schema.ts'
import {
  gemma4Audio,
  gemma4AudioConfig,
  gemma4Vision,
  gemma4VisionConfig,
  unifiedAudioConfig,
  unifiedEmbedders,
  unifiedVisionConfig,
} from '../vision/gemma4-towers.ts'
import { outputLayer } from './blueprint.ts'
import { gateBy } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'
import { gatedByInput, layerInputs, perLayerLinears } from './per-layer-embeddings.ts'
import {
  type LayerKind,
  mayBeUntied,
  norm,
  type SharedStates,
  type SharingLayer,
  sharingAttention,
  sharingFields,
  sharingKinds,
  sharingLayer,
  sharingOutput,
} from './sharing-attention.ts'

/** transformers' defaults, which published files spell out. */
const textConfig = z.object({
  vocab_size: size.default(262_144),
  hidden_size: size.default(2_304),
  intermediate_size: size.default(9_216),
  num_hidden_layers: layerCount.default(30),
  num_attention_heads: size.default(8),
  num_key_value_heads: size.default(4),
  head_dim: size.default(256),
  /** Of full layers. */
  global_head_dim: size.default(512),
  num_global_key_value_heads: size.nullish(),
  max_position_embeddings: size.default(131_072),
  attention_dropout: probability.default(0),
  final_logit_softcapping: z.number().nullish(),
  /** Full layers project keys alone. */
  attention_k_eq_v: z.boolean().default(false),
  use_double_wide_mlp: z.boolean().default(false),
  ...sharingFields,
  vocab_size_per_layer_input: size.default(262_144),
  hidden_size_per_layer_input: z.number().int().min(0).max(1_000_000).default(256),
  enable_moe_block: z.boolean().default(false),
  num_experts: expertCount.nullish(),
  top_k_experts: expertCount.nullish(),
  moe_intermediate_size: size.nullish(),
})
type Text = z.infer<typeof textConfig> & { readonly use_bidirectional_attention?: string | null | undefined }

const gemma4TextConfig = textConfig.extend({ model_type: z.literal('gemma4_text'), ...mayBeUntied })
const gemma4Config = z.object({
  model_type: z.literal('gemma4'),
  ...mayBeUntied,
  text_config: textConfig,
  vision_config: gemma4VisionConfig.nullish(),
  audio_config: gemma4AudioConfig.nullish(),
})
const gemma4UnifiedConfig = z.object({
  model_type: z.literal('gemma4_unified'),
  ...mayBeUntied,
  text_config: textConfig.extend({
    hidden_size_per_layer_input: textConfig.shape.hidden_size_per_layer_input.default(0),
    max_position_embeddings: size.default(262_144),
    sliding_window: size.default(1_024),
    /** With `vision`, transformers makes a mask even for text alone. */
    use_bidirectional_attention: z.enum(['all', 'vision']).nullable().default('vision'),
  }),
  vision_config: unifiedVisionConfig.nullish(),
  audio_config: unifiedAudioConfig.nullish(),
})
type Gemma4 = z.infer<typeof gemma4Config | typeof gemma4UnifiedConfig | typeof gemma4TextConfig>

const FULL_LAYER_EVERY = 6

function gemma4(ops: Builder, config: Gemma4, { task, labels }: ProgramTerms): Value {
  towers(ops, config)
  const text = config.model_type === 'gemma4_text' ? config : config.text_config
  const { hidden_size: hidden, num_hidden_layers: layers, hidden_size_per_layer_input: inputSize } = text
  const root = config.model_type === 'gemma4_text' ? 'model' : 'model.language_model'
  const words = ops.scale(ops.embedding(`${root}.embed_tokens`, ops.input(), text.vocab_size, hidden))
  const given = ops.withInputGradients(words)
  const sizes = { layers, vocabulary: text.vocab_size_per_layer_input, size: inputSize }
  const vectors = inputSize > 0 ? layerInputs(ops, root, given, sizes) : undefined
  const tables = {
    full_attention: ops.rotaryTable(given, text.global_head_dim),
    sliding_attention: ops.rotaryTable(given, text.head_dim),
  }
  const shared: SharedStates = new Map()
  const kinds = sharingKinds(Array.from({ length: layers }, (_, index) => attentionOf(text, index)))
  const x = ops.layers(given, `${root}.layers`, kinds, (states, place) => {
    const attention = attentionOf(text, place.index)
    const vector = vectors === undefined ? undefined : ops.slices(vectors, [inputSize])[0]
    const layer = { attention, vector, table: tables[attention.kind], shared }
    const alsoRead = [...(vector === undefined ? [] : [vector]), ...[...shared.values()].flat()]
    return ops.block(states, input => decoderLayer(ops, text, place, input, layer), alsoRead)
  })
  const output = sharingOutput(text, root, config.tie_word_embeddings)
  return outputLayer(ops, output, x, task, labels)
}

function towers(ops: Builder, config: Gemma4): void {
  switch (config.model_type) {
    case 'gemma4_text':
      return
    case 'gemma4':
      if (config.vision_config) gemma4Vision(ops, config.vision_config, config.text_config.hidden_size)
      if (config.audio_config) gemma4Audio(ops, config.audio_config, config.text_config.hidden_size)
      return
    case 'gemma4_unified':
      unifiedEmbedders(ops, config, config.text_config.hidden_size)
  }
}

/** The last layer is a full one whatever the list says. */
function kindOf(text: Text, index: number): LayerKind {
  if (index === text.num_hidden_layers - 1) return 'full_attention'
  const byDefault = (index + 1) % FULL_LAYER_EVERY === 0 ? 'full_attention' : 'sliding_attention'
  return text.layer_types?.[index] ?? byDefault
}

function attentionOf(text: Text, index: number): SharingLayer {
  const isAlwaysMasked = text.use_bidirectional_attention === 'vision'
  const layer = { ...sharingLayer(text, index, at => kindOf(text, at)), isAlwaysMasked }
  if (layer.kind !== 'full_attention') return layer
  const keysAreValues = text.attention_k_eq_v
  const keyValueHeads = (keysAreValues ? text.num_global_key_value_heads : undefined) ?? text.num_key_value_heads
  return { ...layer, keyValueHeads, headSize: text.global_head_dim, keysAreValues }
}

interface Given {
  readonly attention: SharingLayer
  readonly vector: Value | undefined
  readonly table: readonly [Value, Value]
  readonly shared: SharedStates
}

interface LayerPlace {
  readonly name: string
  readonly index: number
}

function decoderLayer(ops: Builder, text: Text, place: LayerPlace, x: Value, given: Given): Value {
  const { name } = place
  const { hidden_size: hidden, hidden_size_per_layer_input: size } = text
  const before = norm(ops, `${name}.input_layernorm`, x, hidden)
  const mixed = ops.frame(before, input => sharingAttention(ops, `${name}.self_attn`, input, given.attention, given))
  const between = ops.residual(norm(ops, `${name}.post_attention_layernorm`, mixed, hidden), x)
  const fed = text.enable_moe_block
    ? besideExperts(ops, text, place, between)
    : perceptron(ops, text, place, norm(ops, `${name}.pre_feedforward_layernorm`, between, hidden))
  const after = ops.residual(norm(ops, `${name}.post_feedforward_layernorm`, fed, hidden), between)
  const { vector } = given
  const output =
    vector === undefined ? after : ops.residual(gatedByInput(ops, name, after, vector, { hidden, size }), after)
  return ops.scale(output, { inPlace: true })
}

function perceptron(ops: Builder, text: Text, { name, index }: LayerPlace, x: Value): Value {
  const { keysAndValues } = attentionOf(text, index)
  const isWide = text.use_double_wide_mlp && keysAndValues === 'of-an-earlier-layer'
  const inner = text.intermediate_size * (isWide ? 2 : 1)
  const feedForward = gatedFeedForward({ hidden: text.hidden_size, inner, activation: 'gelu' })
  return ops.frame(x, input => feedForward(ops, { name: `${name}.mlp`, index, table: undefined }, input))
}

/** Experts and feed-forward see the same states, each through norms of its own. */
function besideExperts(ops: Builder, text: Text, place: LayerPlace, x: Value): Value {
  const { name } = place
  const { hidden_size: hidden, num_experts, top_k_experts, moe_intermediate_size } = text
  const [count, perToken, inner] = [num_experts ?? 1, top_k_experts ?? 1, moe_intermediate_size ?? 1]
  const dense = perceptron(ops, text, place, norm(ops, `${name}.pre_feedforward_layernorm`, x, hidden))
  const first = norm(ops, `${name}.post_feedforward_layernorm_1`, dense, hidden)
  const plain = ops.rmsNorm(`${name}.router.norm`, x, { size: hidden, scalesInFloat32: true, isUnweighted: true })
  const scored = ops.scale(ops.layerScale(`${name}.router.scale`, plain))
  const routed = ops.routed(`${name}.router`, scored, {
    count,
    perToken,
    scoring: 'softmax',
    weightsInFloat32: true,
    linear: 'proj',
    expertScale: 'per_expert_scale',
  })
  const gate = gateBy('gelu')
  const chosen = ops.frame(norm(ops, `${name}.pre_feedforward_layernorm_2`, x, hidden), input =>
    ops.experts(`${name}.experts`, input, routed, { count, inner }, joined => gate(ops, joined, inner)),
  )
  return ops.add(first, norm(ops, `${name}.post_feedforward_layernorm_2`, chosen, hidden))
}

/** What it has beside the projections of its decoder; those of its towers are modules within others, `linear`. */
function linears({
  text_config: text,
  vision_config: vision,
  audio_config: audio,
}: z.infer<typeof gemma4Config>): Linears {
  const { all } = gatedAnd(
    ...(text.hidden_size_per_layer_input > 0 ? perLayerLinears : []),
    ...(text.enable_moe_block ? ['proj'] : []),
    ...(vision || audio ? ['linear', 'embedding_projection'] : []),
    ...(vision ? ['input_proj'] : []),
    ...(audio ? ['relative_k_proj', 'output_proj', 'input_proj_linear'] : []),
  )
  return { all, usual: ['q_proj', 'v_proj'] }
}

export const gemma4Family = family('decoder', gemma4Config, gemma4, { linears, hasLargeHeads: true })
export const gemma4TextFamily = family('decoder', gemma4TextConfig, gemma4, {
  linears: () => gatedAnd(),
  hasLargeHeads: true,
})
export const gemma4UnifiedFamily = family('decoder', gemma4UnifiedConfig, gemma4, {
  linears: () => gatedAnd('patch_dense', 'embedding_projection'),
})
