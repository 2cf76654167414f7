/**
 * torchtitan's own Llama 3, by the config.json that a checkpoint of its shape has in transformers. pytorch/torchtitan 0.2.2:
 * torchtitan/models/llama3/model/model.py. Its output layer is never tied to the embeddings.
 */
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import type { ModelConfig } from './architecture.ts'
import { type Blueprint, type DecoderFields, decoderModel, headSizeOf, type Part } from './decoders/blueprint.ts'
import { gatedFeedForward } from './decoders/feed-forward.ts'
import type { ProgramTerms } from './family.ts'

/** @throws Error for any other model than a Llama. */
export function torchtitanModel(ops: Builder, config: ModelConfig, terms: ProgramTerms): Value {
  if (config.model_type !== 'llama') throw new Error(`torchtitan's ${config.model_type} is not modelled`)
  return decoderModel(ops, blueprintOf(config), terms)
}

function blueprintOf(config: DecoderFields): Blueprint {
  const sizes = { hidden: config.hidden_size, inner: config.intermediate_size }
  return {
    wordsName: 'tok_embeddings',
    vocabulary: config.vocab_size,
    hidden: config.hidden_size,
    layers: config.num_hidden_layers,
    isTied: false,
    norm: 'rms-float32',
    blockNorms: { beforeMixer: 'attention_norm', beforeFeeding: 'ffn_norm' },
    // One table of complex numbers, half as many as a head has features: cosines and sines together.
    rotarySize: headSizeOf(config) / 2,
    keepsRotaryTable: true,
    rotaryOf: () => 0,
    mixer: attention(config),
    mixerName: () => 'attention',
    feedForward: gatedFeedForward(sizes, ['w1', 'w3', 'w2']),
    feedForwardName: 'feed_forward',
  }
}

function attention(config: DecoderFields): Part {
  const heads = config.num_attention_heads
  const keyValueHeads = config.num_key_value_heads ?? heads
  const size = headSizeOf(config)
  return (ops, { name, table }, x) => {
    const project = (part: string, features: number) => ops.linear(`${name}.${part}`, x, features, { bias: false })
    const [q, k, v] = [
      project('wq', heads * size),
      project('wk', keyValueHeads * size),
      project('wv', keyValueHeads * size),
    ]
    const turned = (states: Value, count: number) =>
      table === undefined ? states : ops.rotary(states, table, count, { isComplex: true })
    const terms = { heads, keyValueHeads, causal: true, dropout: 0 }
    const context = ops.attention(turned(q, heads), turned(k, keyValueHeads), v, terms)
    return ops.linear(`${name}.wo`, context, config.hidden_size, { bias: false })
  }
}
