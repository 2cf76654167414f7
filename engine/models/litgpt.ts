/**
 * LitGPT's own decoders, by the config.json that their checkpoint has in transformers. Lightning-AI/litgpt 0.5.13: litgpt/config.py,
 * litgpt/model.py. All are one class, whose output layer is never tied to the embeddings.
 */
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import type { ModelConfig } from './architecture.ts'
import {
  type BlockNorms,
  type Blueprint,
  decoderModel,
  type Norm,
  normalised,
  type Part,
} from './decoders/blueprint.ts'
import { gatedFeedForward, plainFeedForward } from './decoders/feed-forward.ts'
import type { ProgramTerms } from './family.ts'

/** Fields of litgpt.config.Config on which memory depends. */
interface LitgptConfig {
  readonly vocabulary: number
  readonly hidden: number
  readonly inner: number
  readonly layers: number
  readonly heads: number
  readonly groups: number
  readonly headSize: number
  readonly rotarySize: number
  readonly norm: Norm
  /** `parallel_residual`, with one norm for both or one for each. */
  readonly parallel?: 'shared-norm' | 'own-norms'
  readonly feedForward: 'gated' | 'gelu-gated' | 'plain'
  readonly bias?: boolean
  readonly attentionBias?: boolean
  readonly normalisesHeads?: boolean
  /** A mask of a sliding window goes to every call of the kernel, however short sequences are. */
  readonly hasWindow?: boolean
  readonly scalesWords?: boolean
  readonly logitsBias?: boolean
}

/** The model's config as LitGPT has it; undefined where its model is not known or differs in what is not modelled. */
export function litgptConfigOf(config: ModelConfig): LitgptConfig | undefined {
  switch (config.model_type) {
    case 'llama':
      return config.attention_bias || config.mlp_bias ? undefined : gatedDecoder(config)
    case 'mistral':
      return { ...gatedDecoder(config), hasWindow: typeof config.sliding_window === 'number' }
    case 'phi3': {
      const own = gatedDecoder(config)
      const rotarySize = Math.floor(own.headSize * config.partial_rotary_factor)
      return { ...own, rotarySize, hasWindow: typeof config.sliding_window === 'number' }
    }
    case 'qwen2':
      return config.use_sliding_window ? undefined : { ...gatedDecoder(config), attentionBias: true }
    case 'qwen3': {
      const isOwn = config.use_sliding_window || config.attention_bias
      return isOwn ? undefined : { ...gatedDecoder(config), normalisesHeads: true }
    }
    case 'gemma':
      return { ...gatedDecoder(config), norm: 'rms-one-plus', feedForward: 'gelu-gated', scalesWords: true }
    case 'phi':
      return {
        ...plainDecoder(config, config.intermediate_size, config.partial_rotary_factor),
        parallel: 'shared-norm',
        bias: true,
        logitsBias: true,
      }
    case 'gpt_neox': {
      if (!config.use_parallel_residual) return undefined
      const own = plainDecoder(config, config.intermediate_size, config.rotary_pct)
      return { ...own, parallel: 'own-norms', bias: true }
    }
    case 'falcon': {
      if (config.bias || config.new_decoder_architecture) return undefined
      const own = plainDecoder(config, config.ffn_hidden_size ?? 4 * config.hidden_size, 1)
      return { ...own, groups: 1, parallel: 'shared-norm' }
    }
    default:
      return undefined
  }
}

/** @throws Error for a model that `litgptConfigOf` does not know. */
export function litgptModel(ops: Builder, config: ModelConfig, terms: ProgramTerms): Value {
  const own = litgptConfigOf(config)
  if (own === undefined) throw new Error(`LitGPT's ${config.model_type} is not modelled`)
  return decoderModel(
    ops,
    { ...blueprintOf(own), normsWords: terms.quantization !== undefined },
    { ...terms, images: undefined },
  )
}

type Gated = Extract<ModelConfig, { model_type: 'llama' | 'mistral' | 'phi3' | 'qwen2' | 'qwen3' | 'gemma' }>

function gatedDecoder(config: Gated): LitgptConfig {
  const { num_attention_heads: heads, hidden_size: hidden } = config
  const headSize = config.head_dim ?? hidden / heads
  return {
    vocabulary: config.vocab_size,
    hidden,
    inner: config.intermediate_size,
    layers: config.num_hidden_layers,
    heads,
    groups: config.num_key_value_heads ?? heads,
    headSize,
    rotarySize: headSize,
    norm: 'rms-float32',
    feedForward: 'gated',
  }
}

type Plain = Extract<ModelConfig, { model_type: 'phi' | 'gpt_neox' | 'falcon' }>

function plainDecoder(config: Plain, inner: number, rotaryShare: number): LitgptConfig {
  const { num_attention_heads: heads, hidden_size: hidden } = config
  const headSize = hidden / heads
  return {
    vocabulary: config.vocab_size,
    hidden,
    inner,
    layers: config.num_hidden_layers,
    heads,
    groups: heads,
    headSize,
    rotarySize: Math.floor(headSize * rotaryShare),
    norm: 'layer',
    feedForward: 'plain',
  }
}

const normsBefore: BlockNorms = { beforeMixer: 'norm_1', beforeFeeding: 'norm_2' }

function blueprintOf(config: LitgptConfig): Blueprint {
  const { parallel, scalesWords = false, logitsBias = false } = config
  return {
    root: 'transformer',
    wordsName: 'wte',
    layersName: 'h',
    lastNormName: 'ln_f',
    vocabulary: config.vocabulary,
    hidden: config.hidden,
    layers: config.layers,
    isTied: false,
    norm: config.norm,
    blockNorms: parallel === 'shared-norm' ? { beforeMixer: 'norm_1' } : normsBefore,
    rotarySize: config.rotarySize,
    keepsRotaryTable: true,
    rotaryOf: () => 0,
    mixer: attention(config),
    mixerName: () => 'attn',
    feedForward: feedForward(config),
    isParallel: parallel !== undefined,
    scalesWords,
    logitsBias,
    // lightning.fabric's BitsandbytesPrecision replaces every linear layer.
    quantizesLogits: true,
  }
}

function feedForward({ hidden, inner, bias = false, feedForward: form }: LitgptConfig): Part {
  if (form === 'plain') return plainFeedForward({ hidden, inner, bias }, ['fc', 'proj'])
  const activation = form === 'gated' ? 'silu' : 'gelu'
  return gatedFeedForward({ hidden, inner, bias, activation }, ['fc_1', 'fc_2', 'proj'])
}

/** CausalSelfAttention: one projection, keys and values repeated for every query head. */
function attention(config: LitgptConfig): Part {
  const { heads, groups, headSize, bias = false, attentionBias = false } = config
  const sizes = [heads * headSize, groups * headSize, groups * headSize] as const
  return (ops, { name, table }, x) => {
    const joined = ops.linear(`${name}.qkv`, x, sizes[0] + sizes[1] + sizes[2], {
      bias: bias || attentionBias,
      parts: [
        { name: 'query', features: sizes[0] },
        { name: 'key', features: sizes[1] },
        { name: 'value', features: sizes[2] },
      ],
    })
    const [query, key, value] = ops.split(joined, sizes) as [Value, Value, Value]
    const turned = (part: string, states: Value, count: number) => {
      const own = config.normalisesHeads
        ? normalised(ops, config.norm, `${name}.norm_${part}`, headSize, states)
        : states
      return table === undefined ? own : ops.rotary(own, table, count, { alwaysJoins: true })
    }
    const repeated = (states: Value) => (groups === heads ? states : ops.repeatHeads(states, heads / groups, groups))
    const [q, k] = [turned('q', query, heads), repeated(turned('k', key, groups))]
    const mask = config.hasWindow ? ops.windowMask(q) : undefined
    const context = ops.attention(q, k, repeated(value), { heads, causal: true, dropout: 0 }, mask)
    return ops.linear(`${name}.proj`, context, config.hidden, { bias })
  }
}

/** The names under which adapters are on a part that `litgpt finetune_lora` switches on: `lora_mlp`. */
export function litgptLinears(
  { feedForward: form }: LitgptConfig,
  part: 'query' | 'key' | 'value' | 'projection' | 'mlp' | 'head',
): readonly string[] {
  switch (part) {
    case 'query':
    case 'key':
    case 'value':
      return [part]
    case 'projection':
      return ['attn.proj']
    case 'mlp':
      return form === 'plain' ? ['fc', 'mlp.proj'] : ['fc_1', 'fc_2', 'mlp.proj']
    case 'head':
      return ['lm_head']
  }
}
