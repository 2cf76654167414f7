/** Llama 3.2 Vision: a decoder with layers of gated cross-attention to the tiles of an image. transformers: models/mllama. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { gatedAnd } from '../linears.ts'
import { layerCount, layerList, size, someLayers } from '../schema.ts'
import { mllamaVision, mllamaVisionConfig, rowsOf } from '../vision/mllama-vision.ts'
import { attentionOf } from './attention.ts'
import {
  type Blueprint,
  type DecoderFields,
  decoderFields,
  decoderLayer,
  headSizeOf,
  llamaBlueprint,
  normalised,
  outputLayer,
} from './blueprint.ts'
import { gatedFeedForward } from './feed-forward.ts'

export const layerIndices = layerList(someLayers)

/** What transformers' MllamaTextConfig says where a config.json says nothing: the 11 B. */
const mllamaTextConfig = decoderFields.extend({
  vocab_size: size.default(128_256),
  hidden_size: size.default(4_096),
  intermediate_size: size.default(14_336),
  num_hidden_layers: layerCount.default(40),
  num_attention_heads: size.default(32),
  num_key_value_heads: size.default(8),
  max_position_embeddings: size.default(131_072),
  cross_attention_layers: layerIndices.default([3, 8, 13, 18, 23, 28, 33, 38]),
})

const mllamaConfig = z.object({
  model_type: z.literal('mllama'),
  text_config: mllamaTextConfig,
  vision_config: mllamaVisionConfig,
})
export type MllamaConfig = z.infer<typeof mllamaConfig>
type TextConfig = MllamaConfig['text_config']

const root = 'model.language_model'
/** Words beside the vocabulary that are read and never written: the image's. */
const READ_ONLY_WORDS = 8

/** What the cross-attention layers read beside the words. */
export interface Seen {
  readonly states: Value
  readonly mask: Value
  /** cos and sin of the words' positions and of the states', where they turn. */
  readonly tables?: { readonly words: readonly [Value, Value]; readonly states: readonly [Value, Value] }
  /** Whether rows of words that no image stands before are multiplied by zero after attention too. */
  readonly masksAttended?: boolean
}

function mllama(ops: Builder, config: MllamaConfig, spec: ProgramTerms): Value {
  const { text_config: text } = config
  const blueprint: Blueprint = {
    ...llamaBlueprint(text, {
      mixer: attentionOf(text),
      feedForward: gatedFeedForward({ hidden: text.hidden_size, inner: text.intermediate_size }),
    }),
    root,
  }
  const seen = spec.images && look(ops, config, spec)
  if (seen === undefined) ops.idle(1, () => mllamaVision(ops, config.vision_config, text.hidden_size, { tiles: 1 }))
  let x = ops.embedding(`${root}.embed_tokens`, ops.input(), text.vocab_size + READ_ONLY_WORDS, text.hidden_size)
  const table = ops.rotaryTable(x, headSizeOf(text))
  x = ops.layers(x, `${root}.layers`, layerKindsOf(text), (states, { name, index }) =>
    text.cross_attention_layers.includes(index)
      ? crossLayer(ops, text, name, states, seen, spec)
      : ops.block(states, input => decoderLayer(ops, blueprint, { name, index, table }, input)),
  )
  return outputLayer(ops, blueprint, x, spec.task, spec.labels)
}

type CrossAttending = Pick<TextConfig, 'num_hidden_layers' | 'cross_attention_layers'>

export function layerKindsOf({
  num_hidden_layers: length,
  cross_attention_layers: crossing,
}: CrossAttending): string[] {
  return Array.from({ length }, (_, index) => (crossing.includes(index) ? 'cross-attention' : 'self-attention'))
}

function look(ops: Builder, { vision_config: vision, text_config: text }: MllamaConfig, spec: ProgramTerms): Seen {
  const tiles = spec.images?.tiles ?? 1
  const checkpoints = spec.images?.checkpointed === 'self-attention'
  const states = mllamaVision(ops, vision, text.hidden_size, { tiles, checkpoints })
  return { states, mask: ops.mask(spec.sequenceLength ?? 0, tiles * rowsOf(vision)) }
}

/** MllamaTextModel.forward passes over these layers where there is no image. */
function crossLayer(
  ops: Builder,
  text: TextConfig,
  name: string,
  x: Value,
  seen: Seen | undefined,
  spec: ProgramTerms,
): Value {
  if (seen === undefined) {
    ops.idle(text.hidden_size, input => crossAttending(ops, text, name, input, { states: input, mask: ops.mask(1, 1) }))
    return x
  }
  const run = (input: Value) => crossAttending(ops, text, name, input, seen)
  return spec.images?.checkpointed === 'self-attention'
    ? ops.frame(x, run)
    : ops.block(x, run, [seen.states, seen.mask])
}

export function crossAttending(ops: Builder, text: DecoderFields, name: string, x: Value, seen: Seen): Value {
  const norm = (part: string, states: Value) => normalised(ops, 'rms', `${name}.${part}`, text.hidden_size, states)
  const before = norm('input_layernorm', x)
  const attended = ops.frame(before, input => crossAttention(ops, text, `${name}.cross_attn`, input, seen))
  const masked = seen.masksAttended ? ops.scale(attended) : attended
  const between = ops.residual(ops.tanhGate(`${name}.cross_attn_attn_gate`, masked), x)
  const forFeeding = norm('post_attention_layernorm', between)
  const feedForward = gatedFeedForward({ hidden: text.hidden_size, inner: text.intermediate_size })
  const fed = ops.frame(forFeeding, input =>
    feedForward(ops, { name: `${name}.mlp`, index: 0, table: undefined }, input),
  )
  // Rows of words that no image stands before are multiplied by zero.
  return ops.residual(ops.tanhGate(`${name}.cross_attn_mlp_gate`, ops.scale(fed)), between)
}

function crossAttention(ops: Builder, text: DecoderFields, name: string, x: Value, seen: Seen): Value {
  const { states, mask, tables } = seen
  const heads = text.num_attention_heads
  const keyValueHeads = text.num_key_value_heads ?? heads
  const headSize = headSizeOf(text)
  const project = (part: string, from: Value, count: number) =>
    ops.linear(`${name}.${part}`, from, count * headSize, { bias: false })
  const norm = (part: string, from: Value) => normalised(ops, 'rms', `${name}.${part}`, headSize, from)
  const turned = (from: Value, table: readonly [Value, Value] | undefined, count: number) =>
    table === undefined ? from : ops.rotary(from, table, count)
  const query = turned(norm('q_norm', project('q_proj', x, heads)), tables?.words, heads)
  const keys = project('k_proj', states, keyValueHeads)
  const values = project('v_proj', states, keyValueHeads)
  const turnedKeys = turned(norm('k_norm', keys), tables?.states, keyValueHeads)
  const [key, value] = [turnedKeys, values].map(part =>
    ops.repeatHeads(ops.cached(part, turnedKeys), heads / keyValueHeads, keyValueHeads),
  ) as [Value, Value]
  const shape = { heads, causal: false, dropout: text.attention_dropout, castsSoftmax: true }
  const context = ops.attention(query, key, value, shape, mask)
  return ops.linear(`${name}.o_proj`, context, text.hidden_size, { bias: false })
}

export const mllamaFamily = family('decoder', mllamaConfig, mllama, {
  linears: () => gatedAnd('fc1', 'fc2', 'multi_modal_projector'),
})
