/**
 * NeMo RL, as of 0.7: examples/configs/*.yaml, the settings, all of which a run must find; nemo_rl/models/policy, what they mean.
 * Fine-tuning, DPO, reward models and the update of GRPO by either worker on DTensors; Megatron's backend, distillation and PPO are
 * refused by name. A config may take its values from others (`defaults`), which opening/inherited.ts lays under it.
 */
import type { Dialect } from '../dialect.ts'
import type { Section } from '../text/section.ts'
import { parentsOf } from './nemo-rl/parents.ts'
import { readNemoRl } from './nemo-rl/read.ts'

const sizes = ['train_micro_batch_size', 'train_global_batch_size', 'max_total_sequence_length']
const algorithms = ['sft', 'dpo', 'rm', 'grpo', 'ppo', 'distillation', 'mopd']

const hasPolicy = /^policy[ \t]*:/m
const hasSize =
  /^[ \t]*(?:model_name|dtensor_cfg|megatron_cfg|train_(?:micro|global)_batch_size|max_total_sequence_length)[ \t]*:/m
/** `defaults: ../sft.yaml`, or the first of a list. */
const inherits = /^defaults[ \t]*:[ \t]*(?:\n[ \t]*-[ \t]*)?["']?[\w./-]{1,200}\.ya?ml["']?[ \t]*(?:#.*)?$/m

export const nemoRl: Dialect = {
  name: 'NeMo RL',
  mayBe: text => inherits.test(text) || (hasPolicy.test(text) && hasSize.test(text)),
  recognise,
  modelField: document => document.at('policy', 'model_name'),
  // Of data, generation and what is written; inactive beside other switches, or of Megatron's backend, which is refused.
  withoutBearing:
    /^(?:data|env|logger|checkpointing|grpo|sft|dpo|rm|loss_fn|defaults)(?:\.|$)|^policy\.(?:tokenizer|generation|megatron_cfg|draft|scheduler)(?:\.|$)|\.(?:sequence_length_round|logprob_mb_tokens|logprob_chunk_size)$|^policy\.(?:make_sequence_length_divisible_by|offload_optimizer_for_logprob|refit_buffer_size_gb)$|\.(?:_v2|env_vars)$|\.lora_cfg\.(?:alpha|lora_A_init|use_triton|dropout_position)$/,
  read: (document, reader, lookUp) => readNemoRl(nemoRl, document, reader, lookUp),
}

function recognise(document: Section): string | undefined {
  const at = (key: string) => document.at('policy', key)
  if (at('model_name') && at('train_global_batch_size') && at('train_micro_batch_size'))
    return 'policy.train_micro_batch_size'
  if (parentsOf(document).length === 0) return undefined
  const own = [...sizes, 'dtensor_cfg', 'megatron_cfg'].map(at).find(field => field !== undefined)
  const isTraining = algorithms.some(key => document.at(key)?.value.kind === 'mapping')
  const found = own ?? (isTraining ? at('model_name') : undefined)
  return found && `defaults beside ${found.name}`
}
