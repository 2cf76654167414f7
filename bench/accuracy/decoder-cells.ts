/** Less common decoders in published fine-tuning configs, with those configs' recipes. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const
const full = { precision: 'bf16', ...ckpt, ...trainer, optimizer: 'adamw-8bit' } as const
const sgd = { precision: 'bf16', optimizer: 'sgd' } as const
const gated = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const ungated = gated.filter(linear => linear !== 'gate_proj')
const lora = (targets: readonly string[] = gated, dropout = 0.05): Partial<TrainingSpec> => ({
  precision: 'bf16',
  ...trainer,
  lora: { rank: 16, targets: [...targets], dropout },
})
const batch = (microBatch: number, sequenceLength: number) => ({ microBatch, sequenceLength })

/** Blocks that keep a mask of every pair of tokens, beside their inputs. */
const masked: readonly Cell[] = [
  ['meta-llama/Llama-3.2-1B', { precision: 'bf16', ...trainer, ...ckpt, attention: 'eager', ...batch(2, 2048) }],
  ['meta-llama/Llama-3.2-1B', { precision: 'amp-bf16', ...trainer, ...ckpt, attention: 'eager', ...batch(4, 2048) }],
  ['meta-llama/Llama-3.2-1B', { precision: 'bf16', ...trainer, ...ckpt, paddedBatches: true, ...batch(2, 2048) }],
  ['google/gemma-2-2b', { precision: 'bf16', ...trainer, ...ckpt, attention: 'eager', ...batch(1, 4096) }],
  ['google/gemma-2-2b', { precision: 'bf16', ...trainer, ...ckpt, ...batch(2, 8192) }],
  ['google/gemma-2-2b', { ...sgd, ...trainer, attention: 'eager', ...batch(4, 512) }],
  ['google/gemma-2-2b', { ...sgd, ...trainer, precision: 'amp-bf16', attention: 'eager', ...batch(4, 512) }],
  ['gpt2', { ...trainer, ...ckpt, attention: 'eager', paddedBatches: true, ...batch(8, 1024) }],
  ['facebook/bart-base', { ...trainer, ...ckpt, attention: 'eager', paddedBatches: true, ...batch(8, 1024) }],
  [
    'google-bert/bert-base-uncased',
    { ...trainer, ...ckpt, attention: 'eager', paddedBatches: true, ...batch(16, 512) },
  ],
]

export const decoderCells: readonly Cell[] = [
  ...masked,
  ['cerebras/Cerebras-GPT-1.3B', { ...lora(['c_attn'], 0), ...ckpt, ...batch(4, 2048) }],
  ['cerebras/Cerebras-GPT-1.3B', { precision: 'bf16', ...batch(2, 1024) }],
  ['togethercomputer/RedPajama-INCITE-Chat-3B-v1', { ...full, gradientCheckpointing: false, ...batch(1, 2048) }],
  ['stabilityai/stablelm-2-1_6b', { ...full, ...batch(1, 4096) }],
  ['bigcode/starcoder2-3b', { ...full, ...batch(2, 1024) }],
  ['bigcode/starcoder2-3b', { ...lora(['q_proj', 'v_proj', 'c_fc', 'c_proj']), ...ckpt, ...batch(1, 8192) }],
  ['bigcode/starcoder', { ...lora(['c_attn', 'c_proj', 'c_fc']), ...ckpt, ...batch(1, 2048) }],
  ['bigcode/starcoderbase-1b', { ...sgd, ...batch(8, 1024) }],
  ['bigcode/starcoderbase-1b', { precision: 'bf16', ...trainer, attention: 'eager', ...batch(2, 1024) }],
  ['allenai/Olmo-3-1025-7B', { ...lora(), ...ckpt, ...batch(1, 8192) }],
  ['allenai/OLMo-2-0425-1B', { precision: 'amp-bf16', step: 'forward-backward', ...batch(4, 1024) }],
  ['allenai/Olmo-3-1025-7B', { ...sgd, precision: 'amp-bf16', ...batch(1, 512) }],
  ['arcee-ai/AFM-4.5B', { ...lora(ungated), ...ckpt, ...batch(2, 2048) }],
  ['ByteDance-Seed/Seed-OSS-36B-Instruct', { ...lora(), ...ckpt, ...batch(2, 2048) }],
  ['tencent/Hunyuan-0.5B-Instruct', { ...full, ...batch(2, 2048) }],
  ['THUDM/GLM-4-32B-0414', { ...lora(['q_proj', 'k_proj', 'v_proj', 'o_proj']), ...ckpt, ...batch(2, 2048) }],
  ['THUDM/glm-4-9b-chat-hf', { ...lora(['q_proj', 'k_proj', 'v_proj', 'o_proj']), ...ckpt, ...batch(2, 2048) }],
  ['THUDM/glm-4-9b-chat-hf', { ...sgd, ...batch(1, 1024) }],
  ['LGAI-EXAONE/EXAONE-4.0-1.2B', { ...full, ...batch(2, 2048) }],
  ['LGAI-EXAONE/EXAONE-4.0-1.2B', { ...sgd, ...batch(4, 1024) }],
  ['LGAI-EXAONE/EXAONE-4.0-32B', { ...lora(), ...ckpt, ...batch(1, 8192) }],
  ['canopylabs/orpheus-3b-0.1-pretrained', { ...full, optimizer: 'adamw-fused', ...batch(4, 4096) }],
  ['nvidia/Nemotron-Mini-4B-Instruct', { ...lora(ungated), ...ckpt, ...batch(2, 2048) }],
  ['nvidia/Nemotron-Mini-4B-Instruct', { ...sgd, ...batch(4, 2048) }],
  ['swiss-ai/Apertus-8B-2509', { ...lora(ungated, 0), ...batch(1, 4096) }],
  ['swiss-ai/Apertus-8B-2509', { ...full, ...batch(1, 2048) }],
  ['EleutherAI/gpt-j-6b', { ...full, ...batch(1, 2048) }],
  ['EleutherAI/gpt-j-6b', { ...trainer, precision: 'amp-bf16', optimizer: 'sgd', ...batch(2, 1024) }],
  ['EleutherAI/gpt-neo-1.3B', { ...full, ...batch(4, 2048) }],
  ['EleutherAI/gpt-neo-1.3B', { ...batch(2, 1024) }],
  ['CohereForAI/c4ai-command-r7b-12-2024', { ...full, ...batch(1, 8192) }],
  ['CohereForAI/c4ai-command-r7b-12-2024', { ...sgd, ...batch(2, 2048) }],
  ['google/gemma-2b', { ...trainer, optimizer: 'sgd', ...batch(8, 1024) }],
  ['CohereForAI/aya-23-8B', { ...lora(gated, 0), precision: 'amp-bf16', ...batch(2, 1024) }],
  ['bigscience/bloom-560m', { precision: 'bf16', ...batch(2, 1024) }],
  ['bigscience/bloom-560m', { ...trainer, ...batch(2, 1024) }],
  ['bigscience/bloom-560m', { ...trainer, precision: 'amp-bf16', ...batch(4, 1024) }],
  ['bigscience/bloom-560m', { precision: 'bf16', task: 'sequence-classification', ...batch(8, 256) }],
  ['bigscience/bloomz-7b1', { ...lora(['query_key_value']), ...ckpt, ...batch(2, 2048) }],
]
