/**
 * What the linear layers of experts were called in transformers 4. Adapters on these names go, from peft 0.19 on, on what
 * transformers 5 holds instead: one matrix of all experts, and the router's (peft utils/transformers_weight_conversion.py, for the
 * families of transformers' conversion_mapping.py). No linear layer of such a model that bears such a name has adapters.
 */
import type { ModelConfig } from './architecture.ts'

export interface ExpertNames {
  /** Both are one matrix, whose adapters have the rank of both. */
  readonly up: readonly [string, string]
  readonly down: string
  readonly router: string
}

const qwen: ExpertNames = { up: ['gate_proj', 'up_proj'], down: 'down_proj', router: 'gate' }
const mixtral: ExpertNames = { up: ['w1', 'w3'], down: 'w2', router: 'gate' }

const byFamily: Partial<Record<ModelConfig['model_type'], ExpertNames>> = {
  mixtral,
  minimax_m2: mixtral,
  qwen3_moe: qwen,
  qwen3_next: qwen,
  olmoe: qwen,
  deepseek_v2: qwen,
  deepseek_v3: qwen,
  deepseek_v32: qwen,
  glm_moe_dsa: qwen,
  glm4_moe: qwen,
  glm4_moe_lite: qwen,
  afmoe: qwen,
}

export function expertNamesOf(config: ModelConfig): ExpertNames | undefined {
  return byFamily[config.model_type]
}
