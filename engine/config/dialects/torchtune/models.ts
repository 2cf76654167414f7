/** torchtune's model builders (0.7, torchtune/models) and the model of the Hub that each has the shape of. */

const builders: Readonly<Record<string, string>> = {
  llama2_7b: 'meta-llama/Llama-2-7b-hf',
  llama2_13b: 'meta-llama/Llama-2-13b-hf',
  llama2_70b: 'meta-llama/Llama-2-70b-hf',
  code_llama2_7b: 'codellama/CodeLlama-7b-hf',
  code_llama2_13b: 'codellama/CodeLlama-13b-hf',
  llama3_8b: 'meta-llama/Meta-Llama-3-8B',
  llama3_70b: 'meta-llama/Meta-Llama-3-70B',
  llama3_1_8b: 'meta-llama/Llama-3.1-8B',
  llama3_1_70b: 'meta-llama/Llama-3.1-70B',
  llama3_1_405b: 'meta-llama/Llama-3.1-405B',
  llama3_2_1b: 'meta-llama/Llama-3.2-1B',
  llama3_2_3b: 'meta-llama/Llama-3.2-3B',
  // In tiles of 560 pixels by default, like the instruct models'.
  llama3_2_vision_11b: 'meta-llama/Llama-3.2-11B-Vision-Instruct',
  llama3_2_vision_90b: 'meta-llama/Llama-3.2-90B-Vision-Instruct',
  llama3_3_70b: 'meta-llama/Llama-3.3-70B-Instruct',
  llama4_scout_17b_16e: 'meta-llama/Llama-4-Scout-17B-16E',
  llama4_maverick_17b_128e: 'meta-llama/Llama-4-Maverick-17B-128E',
  mistral_7b: 'mistralai/Mistral-7B-v0.1',
  gemma_2b: 'google/gemma-2b',
  gemma_7b: 'google/gemma-7b',
  gemma2_2b: 'google/gemma-2-2b',
  gemma2_9b: 'google/gemma-2-9b',
  gemma2_27b: 'google/gemma-2-27b',
  phi3_mini: 'microsoft/Phi-3-mini-4k-instruct',
  phi4_14b: 'microsoft/phi-4',
  qwen2_0_5b: 'Qwen/Qwen2-0.5B',
  qwen2_1_5b: 'Qwen/Qwen2-1.5B',
  qwen2_7b: 'Qwen/Qwen2-7B',
  qwen2_5_0_5b: 'Qwen/Qwen2.5-0.5B',
  qwen2_5_1_5b: 'Qwen/Qwen2.5-1.5B',
  qwen2_5_3b: 'Qwen/Qwen2.5-3B',
  qwen2_5_7b: 'Qwen/Qwen2.5-7B',
  qwen2_5_14b: 'Qwen/Qwen2.5-14B',
  qwen2_5_32b: 'Qwen/Qwen2.5-32B',
  qwen2_5_72b: 'Qwen/Qwen2.5-72B',
  qwen3_0_6b: 'Qwen/Qwen3-0.6B',
  qwen3_1_7b: 'Qwen/Qwen3-1.7B',
  qwen3_4b: 'Qwen/Qwen3-4B',
  qwen3_8b: 'Qwen/Qwen3-8B',
  qwen3_14b: 'Qwen/Qwen3-14B',
  qwen3_32b: 'Qwen/Qwen3-32B',
}

/** Arguments of the builders that take a shape (torchtune/models/llama2/_component_builders.py), and the model that has it. */
const shapes: readonly KnownShape[] = [
  {
    builder: 'llama2',
    shape: { vocab_size: 32_000, num_layers: 22, num_heads: 32, num_kv_heads: 4, embed_dim: 2_048 },
    intermediate: 5_632,
    model: 'TinyLlama/TinyLlama_v1.1',
  },
]

type Shape = Readonly<Record<string, number>>

interface KnownShape {
  readonly builder: string
  readonly shape: Shape
  /** Width of the feed-forward, which the builder also derives where none is given. */
  readonly intermediate: number
  readonly model: string
}

export interface Builder {
  /** The Hub id, or torchtune's own name if there is no such model in the catalogue. */
  readonly model: string
  readonly method: 'full' | 'lora' | 'qlora'
}

/**
 * `torchtune.models.qwen2_5.qlora_qwen2_5_3b_instruct` → Qwen/Qwen2.5-3B with 4-bit weights. `argumentOf`: a number that the config
 * hands to the builder.
 */
export function builderOf(
  component: string,
  argumentOf: (name: string) => number | undefined = () => undefined,
): Builder {
  const name = component.split('.').at(-1) ?? component
  const [, prefix, base = name] = /^(?:(q?lora)_)?(.*?)(?:_(?:instruct|base))?$/.exec(name) ?? []
  const model = Object.hasOwn(builders, base) ? builders[base] : modelOfShape(base, argumentOf)
  return { model: model ?? name, method: prefix === 'lora' || prefix === 'qlora' ? prefix : 'full' }
}

function modelOfShape(builder: string, argumentOf: (name: string) => number | undefined): string | undefined {
  const fits = ({ shape, intermediate }: KnownShape) =>
    Object.entries(shape).every(([name, size]) => argumentOf(name) === size) &&
    (argumentOf('intermediate_dim') ?? intermediate) === intermediate
  return shapes.find(known => known.builder === builder && fits(known))?.model
}
