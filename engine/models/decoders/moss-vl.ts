/**
 * MOSS-VL: Qwen 3 with layers of gated cross-attention between its own, to what a tower like Qwen 3 VL's saw. Not in
 * transformers: modeling_moss_vl.py beside the checkpoint.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { gatedAnd } from '../linears.ts'
import { size } from '../schema.ts'
import { idleLinear, qwen3Blocks, qwen3VisionConfig, table } from '../vision/towers.ts'
import { type Blueprint, decoderLayer, headSizeOf, outputLayer } from './blueprint.ts'
import { crossAttending, layerIndices, layerKindsOf, type Seen } from './mllama.ts'
import { qwen3, qwen3Config } from './qwen.ts'

const mossVlConfig = z.object({
  model_type: z.literal('moss_vl'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }).extend({ cross_attention_layers: layerIndices }),
  vision_config: qwen3VisionConfig.extend({ temporal_patch_size: size.default(1) }),
})
type MossVlConfig = z.infer<typeof mossVlConfig>

const root = 'model.language_model'
/** Of an image of 512×512 pixels: squares of 2×2 patches of 16×16, and the separator after them. */
const ROWS_OF_IMAGE = 257

function mossVl(ops: Builder, config: MossVlConfig, spec: ProgramTerms): Value {
  const { text_config: text } = config
  const blueprint: Blueprint = { ...qwen3(text), isTied: config.tie_word_embeddings, root }
  mossVision(ops, config)
  let x = ops.embedding(`${root}.embed_tokens`, ops.input(), text.vocab_size, text.hidden_size)
  const words = ops.rotaryTable(x, headSizeOf(text))
  const seen = spec.images && look(ops, config, spec, words)
  x = ops.layers(x, `${root}.layers`, layerKindsOf(text), (states, { name, index }) =>
    text.cross_attention_layers.includes(index)
      ? crossLayer(ops, config, name, states, seen)
      : ops.block(states, input => decoderLayer(ops, blueprint, { name, index, table: words }, input)),
  )
  return outputLayer(ops, blueprint, x, spec.task, spec.labels)
}

/** The tower and its merger stay as they are, LLaMA-Factory's default: their outputs are constants. */
function look(ops: Builder, config: MossVlConfig, spec: ProgramTerms, words: readonly [Value, Value]): Seen {
  const rows = (spec.images?.tiles ?? 1) * ROWS_OF_IMAGE
  const states = ops.mask(rows, config.text_config.hidden_size)
  const tables = { words, states: ops.rotaryTable(states, headSizeOf(config.text_config)) }
  return { states, mask: ops.mask(spec.sequenceLength ?? 0, rows), tables, masksAttended: true }
}

/** MossVLTextModel.forward passes over these layers where there is no image. */
function crossLayer(ops: Builder, { text_config: text }: MossVlConfig, name: string, x: Value, seen?: Seen): Value {
  if (seen !== undefined) {
    const shared = [seen.states, seen.mask, ...(seen.tables?.words ?? []), ...(seen.tables?.states ?? [])]
    return ops.block(x, input => crossAttending(ops, text, name, input, seen), shared)
  }
  ops.idle(text.hidden_size, input => crossAttending(ops, text, name, input, { states: input, mask: ops.mask(1, 1) }))
  return x
}

/** Qwen 3 VL's, with one merger for what leaves it and the layers between, side by side. */
function mossVision(ops: Builder, { vision_config: vision, text_config: text }: MossVlConfig): void {
  const visual = 'model.visual'
  const { hidden_size: hidden } = vision
  qwen3Blocks(ops, visual, vision)
  const levels = vision.deepstack_visual_indexes.length + 1
  const merged = hidden * vision.spatial_merge_size ** 2 * levels
  for (let level = 0; level < levels; level++) {
    ops.idle(hidden, x => ops.layerNorm(`${visual}.merger.norms.${level}`, x))
  }
  idleLinear(ops, `${visual}.merger.linear_fc1`, merged, merged, true)
  idleLinear(ops, `${visual}.merger.linear_fc2`, merged, text.hidden_size, true)
  table(ops, 'model.separator_token', 1, text.hidden_size)
}

export const mossVlFamily = family('decoder', mossVlConfig, mossVl, {
  linears: () => gatedAnd('qkv', 'proj', 'linear_fc1', 'linear_fc2'),
  codeFrom: 'checkpoint',
})
