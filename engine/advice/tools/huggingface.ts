/**
 * Hugging Face's Trainer and TRL. Sources: transformers training_args.py (TrainingArguments); TRL trainer/{base_config,sft_config,
 * grpo_config,model_config}.py; DeepSpeed's settings written in place, as integrations/deepspeed.py takes a dictionary.
 */
import { wordList } from '../../base/word-list.ts'
import type { Value } from '../../config/text/yaml-literal.ts'
import { filledIn } from '../../plan/snippets/deepspeed.ts'
import { compareVersions, isBefore } from '../../training/versions.ts'
import { halfCompletions, halfLength, halfShare } from '../reduced.ts'
import { offloadedFsdp } from './fsdp.ts'
import { type Asked, type KeySetting, one, type Say, type Tool } from './tool.ts'
import { trainerBatch, trainerOptimizers } from './trainer.ts'

/** Keys of TRL's ModelConfig and SFTConfig: whoever writes one runs a script that reads the others too. */
const trlKeys = wordList(`
  use_peft lora_r lora_target_modules load_in_4bit dataset_text_field packing completion_only_loss assistant_only_loss
  num_generations max_completion_length dataset_mixer
`)
const runsTrl = ({ has, spec }: Asked) => spec.method !== undefined || trlKeys.some(has)

const adapters: readonly KeySetting[] = [
  { keys: ['use_peft'], value: true, elsewhere: true },
  { keys: ['lora_r'], value: 16, elsewhere: true },
  { keys: ['lora_target_modules'], value: 'all-linear', elsewhere: true },
]
const fourBits: readonly KeySetting[] = [{ keys: ['load_in_4bit'], value: true, elsewhere: true }]

/** Whether a library is known to be older than the release that brought an argument. */
function lacks({ spec }: Asked, library: 'transformers' | 'trl', release: string): boolean {
  const version = spec.versions?.[library]
  return version !== undefined && compareVersions(version, release) < 0
}

const since =
  (release: string, say: Say): Say =>
  asked =>
    lacks(asked, 'transformers', release) ? undefined : say(asked)

/** transformers#9211, of 4.2. "auto" leaves a value to the Trainer, which fills in its own. Settings that stand in the file already are changed there. */
const zero = (stage: number, besides: { readonly [key: string]: Value } = {}): Say =>
  since('4.2', ({ has }) => {
    const own = { stage, ...besides }
    if (has('zero_optimization')) {
      return Object.entries(own).map(([key, value]) => ({ at: ['deepspeed', 'zero_optimization'], keys: [key], value }))
    }
    return one('deepspeed', { zero_optimization: own, ...filledIn })
  })

/** transformers#32860, of 4.45; before, SFTConfig had an argument of its own, from TRL 0.10 to 0.17. */
function ligerKernel(asked: Asked): readonly KeySetting[] | undefined {
  if (!lacks(asked, 'transformers', '4.45')) return one('use_liger_kernel', true, 'use_liger')
  return runsTrl(asked) && !lacks(asked, 'trl', '0.10') ? one('use_liger', true) : undefined
}

const host = { device: 'cpu', pin_memory: true }

export const huggingface: Tool = {
  ...trainerBatch,
  'gradient-checkpointing': () => one('gradient_checkpointing', true, 'use_gradient_checkpointing'),
  'fused-loss': asked => {
    const { method, versions } = asked.spec
    return method !== undefined && isBefore(versions, 'trl', '0.25') ? one('use_liger_loss', true) : ligerKernel(asked)
  },
  'chunked-loss': () => one('loss_type', 'chunked_nll'),
  'sdpa-attention': () => [{ keys: ['attn_implementation'], value: 'sdpa', elsewhere: true }],
  'flash-attention': asked =>
    asked.has('attn_implementation') || runsTrl(asked)
      ? [{ keys: ['attn_implementation'], value: 'flash_attention_2', elsewhere: true }]
      : undefined,
  ...trainerOptimizers('optim'),
  'bf16-autocast': () => one('bf16', true),
  'fp16-autocast': () => one('fp16', true),
  'bf16-weights': asked =>
    ['torch_dtype', 'dtype'].some(asked.has) || runsTrl(asked)
      ? [{ keys: ['dtype', 'torch_dtype'], value: 'bfloat16', elsewhere: true }]
      : undefined,
  lora: asked => (runsTrl(asked) ? adapters : undefined),
  qlora: asked => (runsTrl(asked) ? [...adapters, ...fourBits] : undefined),
  '4-bit-base': asked =>
    runsTrl(asked) ? [...fourBits, ...(asked.has('load_in_8bit') ? one('load_in_8bit', false) : [])] : undefined,
  'half-length': asked => [
    {
      keys: [
        'max_length',
        ...['max_seq_length', 'model_max_length', 'block_size', 'max_source_length', 'max_seq_len', 'cutoff_len'],
        'sequence_length',
      ],
      value: halfLength(asked.spec),
      ...(!runsTrl(asked) && { elsewhere: true as const }),
    },
  ],
  'half-completions': ({ spec }) => one('max_completion_length', halfCompletions(spec) ?? 0),
  'vllm-sleep': () => one('vllm_enable_sleep_mode', true),
  'vllm-half-share': ({ spec }) => one('vllm_gpu_memory_utilization', halfShare(spec) ?? 0),
  'zero-1': zero(1),
  'zero-2': zero(2),
  'zero-2-offload': zero(2, { offload_optimizer: host }),
  'zero-3': zero(3),
  'zero-3-offload': zero(3, { offload_optimizer: host, offload_param: host }),
  // transformers#17136, of 4.20.
  fsdp: since('4.20', () => one('fsdp', 'full_shard auto_wrap')),
  'fsdp-offload': since('4.20', offloadedFsdp),
}
