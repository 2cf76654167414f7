/** Gemma 1 to 3, text: embeddings times √hidden, norms of 1 + weight in float32, GELU gates. transformers: models/{gemma,gemma2,gemma3}. */
import * as z from 'zod'
import { llamaLinears } from '../linears.ts'
import { size } from '../schema.ts'
import { dividedHeads } from '../tensor-parallel.ts'
import { attentionOf, headNorms } from './attention.ts'
import { type BlockNorms, type Blueprint, type DecoderFields, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const tied = { tie_word_embeddings: z.boolean().default(true) }

export const gemmaConfig = decoderFields.extend({ model_type: z.literal('gemma'), ...tied })
export const gemma2Config = decoderFields.extend({
  model_type: z.literal('gemma2'),
  ...tied,
  attn_logit_softcapping: z.number().nullish().default(50),
  final_logit_softcapping: z.number().nullish().default(30),
})
export const gemma3Config = decoderFields.extend({
  model_type: z.literal('gemma3_text'),
  ...tied,
  sliding_window_pattern: size.default(6),
})

const normsAround: BlockNorms = {
  beforeMixer: 'input_layernorm',
  afterMixer: 'post_attention_layernorm',
  beforeFeeding: 'pre_feedforward_layernorm',
  afterFeeding: 'post_feedforward_layernorm',
}

const feedForward = (config: DecoderFields) =>
  gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, activation: 'gelu' })

interface Masking {
  readonly isAlwaysMasked?: boolean
}

export function gemma(config: z.infer<typeof gemmaConfig>, masking: Masking = {}): Blueprint {
  const parts = { mixer: attentionOf(config, masking), feedForward: feedForward(config) }
  return { ...llamaBlueprint(config, parts), norm: 'rms-one-plus', scalesWords: true }
}

export function gemma2(config: z.infer<typeof gemma2Config>, masking: Masking = {}): Blueprint {
  const capsScores = Boolean(config.attn_logit_softcapping)
  const mixer = attentionOf(config, { slides: index => index % 2 === 0, capsScores, ...masking })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward(config) }),
    norm: 'rms-one-plus',
    scalesWords: true,
    blockNorms: normsAround,
    ...(config.final_logit_softcapping && { logits: 'capped' }),
  }
}

/** Sliding layers turn by a frequency of their own. */
export function gemma3(config: Omit<z.infer<typeof gemma3Config>, 'model_type'>, masking: Masking = {}): Blueprint {
  const slides = (index: number) => (index + 1) % config.sliding_window_pattern !== 0
  const mixer = attentionOf(config, { slides, ...masking, queryNorm: { norm: 'rms-one-plus', ...headNorms } })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward(config) }),
    norm: 'rms-one-plus',
    scalesWords: true,
    blockNorms: normsAround,
    rotaryOf: index => (slides(index) ? 1 : 0),
  }
}

export const gemmaFamily = decoder(gemmaConfig, config => gemma(config), { linears: () => llamaLinears })
export const gemma2Family = decoder(gemma2Config, config => gemma2(config), {
  linears: () => llamaLinears,
  divided: dividedHeads,
})
export const gemma3Family = decoder(gemma3Config, config => gemma3(config), { linears: () => llamaLinears })
