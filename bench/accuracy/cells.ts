/** The cells of `bench:accuracy`: what is traced and estimated, a line each. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { adapterCells } from './adapter-cells.ts'
import { autocastCells } from './autocast-cells.ts'
import type { Cell } from './cell.ts'
import { checkpointCells } from './checkpoint-cells.ts'
import { decoderCells } from './decoder-cells.ts'
import { drawnCells } from './drawn-cells.ts'
import { encoderCells } from './encoder-cells.ts'
import { flashCells } from './flash-cells.ts'
import { gemmaCells } from './gemma-cells.ts'
import { imageCells } from './image-cells.ts'
import { linearAttentionCells } from './linear-attention-cells.ts'
import { mambaCells } from './mamba-cells.ts'
import { methodCells } from './method-cells.ts'
import { sentenceCells } from './sentence-cells.ts'
import { seq2seqCells } from './seq2seq-cells.ts'
import { soundCells } from './sound-cells.ts'
import { speechCells } from './speech-cells.ts'
import { translationCells } from './translation-cells.ts'

const mlm = { task: 'masked-lm' } as const
const tokens = { task: 'token-classification', labels: 9 } as const
const trainer = { loop: 'trainer' } as const
const ckpt = { gradientCheckpointing: true } as const

const encoders: readonly Cell[] = [
  ['bert', { microBatch: 1 }],
  ['bert', { microBatch: 8 }],
  ['bert', { microBatch: 128 }],
  ['bert', { microBatch: 16, step: 'forward-backward' }],
  ['bert', { microBatch: 288, step: 'forward-backward' }],
  ['bert', { microBatch: 16, step: 'forward-backward', dropout: true }],
  ['bert', { microBatch: 16, step: 'forward-backward', dropout: true, gradientCheckpointing: true }],
  ['bert', { microBatch: 32, sequenceLength: 512 }],
  ['bert', { microBatch: 32, sequenceLength: 384, paddedBatches: true, ...trainer }],
  ['bert', { microBatch: 16, sequenceLength: 512, attention: 'eager' }],
  ['bert', { microBatch: 16, sequenceLength: 512, attention: 'eager', precision: 'amp-bf16' }],
  ['bert', { microBatch: 32, optimizer: 'adamw-fused' }],
  ['bert', { microBatch: 2, optimizer: 'adamw-loop' }],
  ['bert', { microBatch: 32, loop: 'lightning' }],
  ['bert', { microBatch: 32, loop: 'lightning', precision: 'amp-bf16', gradientAccumulation: 2 }],
  ['bert', { microBatch: 2, optimizer: 'sgd' }],
  ['bert', { microBatch: 1, optimizer: 'adafactor' }],
  ['bert', { microBatch: 2, optimizer: 'lion' }],
  ['bert', { microBatch: 2, optimizer: 'paged-adamw' }],
  ['bert', { microBatch: 2, optimizer: 'adamw-8bit' }],
  ['bert', { microBatch: 32, optimizer: 'sgd-momentum', gradientAccumulation: 4 }],
  ['bert', { microBatch: 64, precision: 'bf16' }],
  ['bert', { microBatch: 64, precision: 'amp-bf16', ...trainer }],
  ['bert', { microBatch: 64, precision: 'amp-fp16', ...ckpt }],
  ['bert', { microBatch: 16, ...mlm }],
  ['bert', { microBatch: 16, ...mlm, precision: 'bf16', ...trainer }],
  ['bert', { microBatch: 16, ...tokens }],
  ['google-bert/bert-large-cased', { microBatch: 16, ...ckpt }],
  ['google-bert/bert-large-uncased', { microBatch: 8, sequenceLength: 512, gradientAccumulation: 2 }],
  ['google-bert/bert-base-multilingual-cased', { microBatch: 8, ...mlm }],
  ['FacebookAI/roberta-base', { microBatch: 32, sequenceLength: 256 }],
  ['FacebookAI/roberta-base', { microBatch: 8, sequenceLength: 512, ...mlm, ...trainer }],
  ['FacebookAI/roberta-large', { microBatch: 16, precision: 'amp-bf16', ...trainer }],
  ['FacebookAI/xlm-roberta-base', { microBatch: 16, sequenceLength: 256, precision: 'amp-bf16', ...trainer }],
  ['FacebookAI/xlm-roberta-large', { microBatch: 8, sequenceLength: 512, ...ckpt, ...trainer }],
  ['answerdotai/ModernBERT-base', { microBatch: 16, sequenceLength: 512 }],
  ['answerdotai/ModernBERT-base', { microBatch: 8, sequenceLength: 1024, precision: 'amp-bf16', ...trainer }],
  [
    'answerdotai/ModernBERT-base',
    { microBatch: 8, sequenceLength: 1024, ...mlm, precision: 'bf16', ...trainer, ...ckpt },
  ],
  ['answerdotai/ModernBERT-base', { microBatch: 8, sequenceLength: 512, ...tokens, ...trainer }],
  ['answerdotai/ModernBERT-large', { microBatch: 8, sequenceLength: 512, paddedBatches: true, ...trainer }],
  ['distilbert/distilbert-base-uncased', { microBatch: 64 }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, sequenceLength: 512, ...mlm }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, sequenceLength: 256, ...tokens, precision: 'amp-bf16' }],
  ['FacebookAI/xlm-roberta-base', { microBatch: 16, paddedBatches: true, ...tokens, precision: 'bf16', ...trainer }],
  ['distilbert/distilroberta-base', { microBatch: 32, ...ckpt, ...trainer }],
]

const gpt2: readonly Cell[] = [
  ['gpt2', { microBatch: 8, sequenceLength: 1024 }],
  ['gpt2', { microBatch: 1, sequenceLength: 128 }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, ...trainer }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, loop: 'lightning' }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, step: 'forward-backward' }],
  ['gpt2', { microBatch: 4, sequenceLength: 1024, attention: 'eager' }],
  ['gpt2', { microBatch: 4, sequenceLength: 1024, attention: 'eager', precision: 'amp-bf16' }],
  ['gpt2', { microBatch: 8, sequenceLength: 512, precision: 'bf16' }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, precision: 'amp-bf16', ...ckpt }],
  ['gpt2', { microBatch: 16, sequenceLength: 256, task: 'sequence-classification', paddedBatches: true }],
  ['openai-community/gpt2-medium', { microBatch: 4, sequenceLength: 1024, optimizer: 'adamw-fused' }],
  ['openai-community/gpt2-large', { microBatch: 2, sequenceLength: 1024, ...ckpt }],
  ['openai-community/gpt2-xl', { microBatch: 1, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['distilbert/distilgpt2', { microBatch: 8, sequenceLength: 512, gradientAccumulation: 8 }],
]

const vision: readonly Cell[] = [
  ['microsoft/resnet-18', { microBatch: 64 }],
  ['microsoft/resnet-34', { microBatch: 32, optimizer: 'sgd-momentum' }],
  ['resnet', { microBatch: 32 }],
  ['resnet', { microBatch: 32, loop: 'lightning' }],
  ['resnet', { microBatch: 64, step: 'forward-backward' }],
  ['resnet', { microBatch: 32, precision: 'amp-bf16', optimizer: 'sgd-momentum' }],
  ['resnet', { microBatch: 8, imageSize: 448, precision: 'bf16' }],
  ['microsoft/resnet-101', { microBatch: 32, optimizer: 'sgd' }],
  ['microsoft/resnet-152', { microBatch: 16, labels: 1000 }],
  ['google/vit-base-patch16-224', { microBatch: 16 }],
  ['google/vit-base-patch16-224', { microBatch: 64, precision: 'bf16' }],
  ['google/vit-base-patch16-224', { microBatch: 64, precision: 'amp-bf16', ...trainer }],
  ['google/vit-base-patch16-224', { microBatch: 32, step: 'forward-backward' }],
  ['google/vit-base-patch16-224', { microBatch: 16, imageSize: 384, optimizer: 'sgd-momentum' }],
  ['google/vit-base-patch16-224', { microBatch: 16, attention: 'eager', precision: 'amp-bf16' }],
  ['google/vit-large-patch16-224', { microBatch: 64, precision: 'amp-bf16', ...ckpt, optimizer: 'sgd' }],
  ['facebook/deit-tiny-patch16-224', { microBatch: 128, precision: 'amp-bf16', ...trainer }],
  ['facebook/deit-base-distilled-patch16-224', { microBatch: 16 }],
  ['facebook/deit-base-distilled-patch16-224', { microBatch: 16, imageSize: 384, precision: 'bf16' }],
  ['facebook/deit-base-distilled-patch16-224', { microBatch: 16, attention: 'eager', gradientAccumulation: 2 }],
  ['facebook/deit-base-distilled-patch16-224', { microBatch: 64, ...ckpt }],
  ['facebook/dinov2-small', { microBatch: 64, precision: 'amp-bf16', ...trainer }],
  ['facebook/dinov2-base', { microBatch: 16 }],
  ['facebook/dinov2-base', { microBatch: 4, imageSize: 518, attention: 'eager', gradientAccumulation: 2 }],
  ['facebook/dinov2-base', { microBatch: 32, precision: 'bf16', ...ckpt }],
  ['facebook/dinov2-giant', { microBatch: 8, precision: 'amp-bf16', ...ckpt, optimizer: 'sgd' }],
  ['facebook/convnext-tiny-224', { microBatch: 16 }],
  ['facebook/convnext-tiny-224', { microBatch: 64, precision: 'amp-bf16', ...trainer }],
  ['facebook/convnext-tiny-224', { microBatch: 32, step: 'forward-backward' }],
  ['facebook/convnext-small-224', { microBatch: 16, imageSize: 384, precision: 'bf16' }],
  ['facebook/convnext-base-224', { microBatch: 32, optimizer: 'sgd-momentum', gradientAccumulation: 2 }],
  ['facebook/convnext-large-224', { microBatch: 1, optimizer: 'sgd' }],
  ['google/efficientnet-b0', { microBatch: 32 }],
  ['google/efficientnet-b0', { microBatch: 64, precision: 'amp-fp16' }],
  ['google/efficientnet-b0', { microBatch: 32, imageSize: 300, gradientAccumulation: 2 }],
  ['google/efficientnet-b2', { microBatch: 16, optimizer: 'sgd-momentum' }],
  ['google/efficientnet-b4', { microBatch: 8, precision: 'bf16' }],
  ['google/efficientnet-b7', { microBatch: 2, precision: 'amp-bf16', optimizer: 'sgd' }],
]

const queryValue = ['q_proj', 'v_proj']
const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']

/** What LLM fine-tuning looks like (product page): bf16, checkpointing, adapters, full sequences, small batches. */
const recipes: readonly Partial<TrainingSpec>[] = [
  { microBatch: 2, sequenceLength: 2048, precision: 'bf16', ...ckpt },
  { microBatch: 1, sequenceLength: 4096, precision: 'amp-bf16', ...ckpt, ...trainer, optimizer: 'adamw-fused' },
  { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'adamw-8bit', ...trainer },
  {
    microBatch: 2,
    sequenceLength: 2048,
    precision: 'bf16',
    ...ckpt,
    lora: { rank: 16, targets: queryValue, dropout: 0 },
  },
  {
    microBatch: 4,
    sequenceLength: 2048,
    precision: 'bf16',
    ...ckpt,
    ...trainer,
    lora: { rank: 32, targets: allLinear, dropout: 0.05 },
  },
  {
    microBatch: 1,
    sequenceLength: 1024,
    precision: 'amp-bf16',
    ...trainer,
    lora: { rank: 8, targets: allLinear, dropout: 0 },
  },
]

const separateProjections = [
  'meta-llama/Llama-3.2-1B',
  'meta-llama/Llama-3.2-3B',
  'meta-llama/Llama-3.1-8B',
  'TinyLlama/TinyLlama-1.1B-Chat-v1.0',
  'HuggingFaceTB/SmolLM2-135M',
  'HuggingFaceTB/SmolLM2-1.7B',
  'mistralai/Mistral-7B-v0.1',
  'Qwen/Qwen2.5-0.5B',
  'Qwen/Qwen2.5-7B',
  'Qwen/Qwen3-0.6B',
  'Qwen/Qwen3-4B',
  'google/gemma-2b',
  'google/gemma-2-2b',
  'google/gemma-3-1b-pt',
]

const otherDecoders: readonly Cell[] = [
  ['meta-llama/Llama-2-7b-hf', { microBatch: 1, sequenceLength: 4096, precision: 'bf16', ...ckpt, optimizer: 'sgd' }],
  ['meta-llama/Llama-3.2-1B', { microBatch: 2, sequenceLength: 1024, precision: 'fp32' }],
  ['meta-llama/Llama-3.2-1B', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', attention: 'eager' }],
  ['meta-llama/Llama-3.2-1B', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', paddedBatches: true }],
  ['meta-llama/Llama-3.2-1B', { microBatch: 2, sequenceLength: 512, precision: 'bf16', gradientAccumulation: 8 }],
  ['meta-llama/Llama-3.2-1B', { microBatch: 1, sequenceLength: 512, precision: 'bf16', optimizer: 'adafactor' }],
  [
    'meta-llama/Llama-3.2-1B',
    { microBatch: 8, sequenceLength: 256, task: 'sequence-classification', precision: 'bf16' },
  ],
  ['Qwen/Qwen3-0.6B', { microBatch: 4, sequenceLength: 1024, precision: 'fp32', ...ckpt, ...trainer }],
  ['google/gemma-3-1b-pt', { microBatch: 2, sequenceLength: 512, precision: 'bf16', ...trainer }],
  ['microsoft/Phi-3-mini-4k-instruct', { microBatch: 1, sequenceLength: 1024, precision: 'bf16', ...ckpt }],
  [
    'microsoft/Phi-3-mini-4k-instruct',
    { microBatch: 2, precision: 'bf16', ...ckpt, lora: { rank: 8, targets: ['qkv_proj', 'o_proj'], dropout: 0 } },
  ],
  ['microsoft/phi-2', { microBatch: 1, sequenceLength: 1024, precision: 'bf16', ...trainer }],
  ['microsoft/phi-2', { microBatch: 4, sequenceLength: 2048, precision: 'amp-bf16', ...ckpt, optimizer: 'adamw-8bit' }],
  ['EleutherAI/pythia-1b', { microBatch: 2, sequenceLength: 2048, precision: 'bf16' }],
  ['EleutherAI/pythia-160m', { microBatch: 8, sequenceLength: 1024, precision: 'fp32', ...trainer }],
  ['EleutherAI/pythia-410m', { microBatch: 8, sequenceLength: 1024, precision: 'amp-fp16', ...trainer, ...ckpt }],
  ['facebook/opt-1.3b', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'adamw-8bit' }],
  ['facebook/opt-350m', { microBatch: 8, sequenceLength: 1024, precision: 'fp32', ...trainer }],
  ['facebook/opt-125m', { microBatch: 8, sequenceLength: 2048, precision: 'amp-bf16', ...ckpt }],
  ['tiiuae/falcon-7b', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['tiiuae/falcon-7b', { microBatch: 2, sequenceLength: 512, precision: 'bf16', attention: 'eager' }],
  ['tiiuae/falcon-7b', { microBatch: 2, sequenceLength: 2048, precision: 'amp-bf16', ...ckpt, ...trainer }],
  ['tiiuae/falcon-7b', { microBatch: 4, sequenceLength: 512, step: 'forward-backward' }],
  [
    'tiiuae/falcon-7b',
    { microBatch: 2, precision: 'bf16', ...ckpt, lora: { rank: 16, targets: ['query_key_value'], dropout: 0.05 } },
  ],
  ['tiiuae/falcon-11B', { microBatch: 1, sequenceLength: 2048, precision: 'bf16', ...ckpt, ...trainer }],
  ['tiiuae/falcon-40b', { microBatch: 1, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
]

const decoders: readonly Cell[] = [
  ...separateProjections.flatMap(model => recipes.map((recipe): Cell => [model, recipe])),
  ...otherDecoders,
]

/** Recipes of published fine-tuning configs. */
const fullBf16 = { precision: 'bf16', ...ckpt, ...trainer, optimizer: 'adamw-8bit' } as const
const attentionLora = { rank: 16, targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj'], dropout: 0.05 }
const ofShared = { rank: 16, targets: ['q_proj', 'shared_expert.up_proj', 'shared_expert.down_proj'], dropout: 0 }
const bf16Lora = { precision: 'bf16', ...ckpt, ...trainer, lora: attentionLora } as const

const lfm2Lora = { rank: 16, targets: ['q_proj', 'v_proj', 'in_proj', 'out_proj', 'w1', 'w2', 'w3'], dropout: 0 }

const newerDecoders: readonly Cell[] = [
  ['HuggingFaceTB/SmolLM3-3B', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['HuggingFaceTB/SmolLM3-3B', { microBatch: 1, sequenceLength: 1024, precision: 'bf16' }],
  ['HuggingFaceTB/SmolLM3-3B', { microBatch: 2, sequenceLength: 1024, precision: 'amp-bf16', ...ckpt, ...trainer }],
  ['allenai/OLMo-2-1124-7B', { microBatch: 1, sequenceLength: 2048, ...bf16Lora }],
  ['allenai/OLMo-2-1124-7B', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['stabilityai/stablelm-3b-4e1t', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['stabilityai/stablelm-3b-4e1t', { microBatch: 2, sequenceLength: 1024, precision: 'bf16' }],
  [
    'LiquidAI/LFM2-350M',
    { microBatch: 4, sequenceLength: 4096, precision: 'bf16', optimizer: 'adamw-fused', ...trainer },
  ],
  ['LiquidAI/LFM2-1.2B', { microBatch: 2, sequenceLength: 2048, precision: 'bf16', ...trainer, lora: lfm2Lora }],
  ['LiquidAI/LFM2-8B-A1B', { microBatch: 4, sequenceLength: 4096, ...bf16Lora, lora: lfm2Lora }],
]

/** On the experts too. */
const expertLora = { rank: 16, targets: allLinear, dropout: 0 }

/** TRL's SFT by its defaults: the loss in checkpointed chunks. */
const sft = { precision: 'bf16', ...ckpt, ...trainer, checkpointedLoss: true } as const

const withWhole = { ...attentionLora, modulesToSave: ['embed_tokens', 'lm_head'] }

const chunkedLosses: readonly Cell[] = [
  ['Qwen/Qwen2.5-0.5B', { microBatch: 8, sequenceLength: 1024, ...sft }],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 8, sequenceLength: 1024, ...sft, lora: attentionLora }],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 8, sequenceLength: 1024, ...sft, gradientCheckpointing: false }],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 32, sequenceLength: 2048, ...sft, precision: 'amp-bf16', lora: attentionLora }],
  ['Qwen/Qwen2.5-0.5B', { microBatch: 8, sequenceLength: 1024, ...sft, gradientAccumulation: 2, optimizer: 'sgd' }],
  ['meta-llama/Llama-3.1-8B', { microBatch: 2, sequenceLength: 2048, ...sft }],
  ['meta-llama/Llama-3.1-8B', { microBatch: 4, sequenceLength: 2048, ...sft, lora: attentionLora }],
  ['google/gemma-2-2b', { microBatch: 4, sequenceLength: 1024, ...sft, lora: attentionLora }],
  ['meta-llama/Llama-3.1-8B', { microBatch: 4, sequenceLength: 1024, ...sft, lora: withWhole }],
]

const mixtures: readonly Cell[] = [
  ['mistralai/Mixtral-8x7B-v0.1', { microBatch: 1, sequenceLength: 2048, ...bf16Lora }],
  ['mistralai/Mixtral-8x7B-v0.1', { microBatch: 4, sequenceLength: 2048, ...bf16Lora }],
  ['mistralai/Mixtral-8x7B-v0.1', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['Qwen/Qwen3-30B-A3B', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['Qwen/Qwen3-30B-A3B', { microBatch: 8, sequenceLength: 4096, ...bf16Lora }],
  ['Qwen/Qwen3-30B-A3B', { microBatch: 2, sequenceLength: 2048, ...bf16Lora, lora: expertLora }],
  ['Qwen/Qwen3-30B-A3B', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['Qwen/Qwen1.5-MoE-A2.7B', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['Qwen/Qwen1.5-MoE-A2.7B', { microBatch: 4, sequenceLength: 1024, precision: 'bf16', ...trainer }],
  ['Qwen/Qwen1.5-MoE-A2.7B', { microBatch: 1, sequenceLength: 1024, precision: 'bf16', ...trainer, lora: ofShared }],
]

const trinityLora = { rank: 32, targets: ['q_proj', 'v_proj', 'o_proj'], dropout: 0.05 }

const otherMixtures: readonly Cell[] = [
  ['MiniMaxAI/MiniMax-M2', { microBatch: 1, sequenceLength: 2048, ...bf16Lora }],
  ['arcee-ai/Trinity-Nano-Preview', { microBatch: 2, sequenceLength: 4096, ...bf16Lora, lora: trinityLora }],
  ['arcee-ai/Trinity-Nano-Preview', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['arcee-ai/Trinity-Mini', { microBatch: 1, sequenceLength: 2048, ...fullBf16 }],
  ['ibm-granite/granite-3.0-3b-a800m-instruct', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['ibm-granite/granite-3.0-1b-a400m-instruct', { microBatch: 4, sequenceLength: 2048, ...bf16Lora }],
]

const latentLora = { rank: 16, targets: ['kv_a_proj_with_mqa', 'kv_b_proj', 'o_proj'], dropout: 0 }

const latentMixtures: readonly Cell[] = [
  ['deepseek-ai/DeepSeek-V2-Lite', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['deepseek-ai/DeepSeek-V2-Lite', { microBatch: 2, sequenceLength: 2048, ...bf16Lora, lora: latentLora }],
  ['deepseek-ai/DeepSeek-V2-Lite', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['deepseek-ai/DeepSeek-V3', { microBatch: 1, sequenceLength: 2048, ...bf16Lora, lora: latentLora }],
  ['deepseek-ai/DeepSeek-V3.2', { microBatch: 1, sequenceLength: 2048, ...bf16Lora, lora: latentLora }],
  ['zai-org/GLM-5.2', { microBatch: 1, sequenceLength: 2048, ...bf16Lora, lora: latentLora }],
  ['zai-org/GLM-4.7-Flash', { microBatch: 1, sequenceLength: 4096, ...bf16Lora, lora: latentLora }],
  ['zai-org/GLM-4.7-Flash', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['mistralai/Mistral-Small-4-119B-2603', { microBatch: 1, sequenceLength: 2048, ...bf16Lora, lora: latentLora }],
  ['mistralai/Mistral-Small-4-119B-2603', { microBatch: 2, sequenceLength: 1024, precision: 'bf16', optimizer: 'sgd' }],
  ['openai/gpt-oss-20b', { microBatch: 1, sequenceLength: 1024, ...bf16Lora, attention: 'eager' }],
  ['openai/gpt-oss-20b', { microBatch: 2, sequenceLength: 2048, ...fullBf16, attention: 'eager' }],
]

const image = { images: { tiles: 4, checkpointed: 'decoder' } } as const

const multimodal: readonly Cell[] = [
  ['meta-llama/Llama-4-Scout-17B-16E', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['meta-llama/Llama-4-Scout-17B-16E', { microBatch: 1, sequenceLength: 512, precision: 'bf16', optimizer: 'sgd' }],
  ['meta-llama/Llama-4-Maverick-17B-128E', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['meta-llama/Llama-3.2-11B-Vision-Instruct', { microBatch: 1, sequenceLength: 2048, ...bf16Lora }],
  ['meta-llama/Llama-3.2-11B-Vision-Instruct', { microBatch: 1, sequenceLength: 4096, ...bf16Lora, ...image }],
  ['meta-llama/Llama-3.2-11B-Vision-Instruct', { microBatch: 1, sequenceLength: 2048, ...fullBf16, ...image }],
  ['meta-llama/Llama-3.2-11B-Vision', { microBatch: 2, precision: 'bf16', ...trainer, optimizer: 'sgd', ...image }],
  ['google/gemma-3-4b-it', { microBatch: 1, sequenceLength: 2048, ...fullBf16 }],
  ['google/gemma-3-4b-it', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['google/gemma-3-12b-it', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['Qwen/Qwen2-VL-7B-Instruct', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['Qwen/Qwen2.5-VL-3B-Instruct', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['Qwen/Qwen2.5-VL-7B-Instruct', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['Qwen/Qwen3-VL-4B-Instruct', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['Qwen/Qwen3-VL-4B-Instruct', { microBatch: 1, sequenceLength: 1024, precision: 'bf16' }],
  ['Qwen/Qwen3-VL-30B-A3B-Instruct', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['mistralai/Mistral-Small-3.1-24B-Instruct-2503', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['LiquidAI/LFM2-VL-450M', { microBatch: 2, sequenceLength: 2048, precision: 'bf16', ...trainer }],
  ['mistralai/Ministral-3-3B-Instruct-2512', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['mistralai/Ministral-3-3B-Instruct-2512', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['zai-org/GLM-4.6V-Flash', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['zai-org/GLM-4.6V-Flash', { microBatch: 1, sequenceLength: 1024, precision: 'bf16' }],
  ['OpenGVLab/InternVL3_5-8B-HF', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['OpenGVLab/InternVL3_5-8B-HF', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['PaddlePaddle/PaddleOCR-VL-1.6', { microBatch: 2, sequenceLength: 4096, ...bf16Lora }],
  ['PaddlePaddle/PaddleOCR-VL-1.6', { microBatch: 4, sequenceLength: 1024, precision: 'bf16' }],
  ['mistralai/Voxtral-Mini-3B-2507', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['mistralai/Voxtral-Mini-3B-2507', { microBatch: 1, sequenceLength: 2048, ...fullBf16 }],
  ['mistral-community/pixtral-12b', { microBatch: 1, sequenceLength: 4096, ...bf16Lora }],
  ['llava-hf/llava-1.5-7b-hf', { microBatch: 2, sequenceLength: 2048, ...fullBf16 }],
  ['llava-hf/llava-1.5-7b-hf', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['HuggingFaceTB/SmolVLM2-2.2B-Instruct', { microBatch: 2, sequenceLength: 2048, ...bf16Lora }],
  ['HuggingFaceTB/SmolVLM2-2.2B-Instruct', { microBatch: 1, sequenceLength: 1024, precision: 'bf16' }],
]

export const cells: readonly Cell[] = [
  ...encoders,
  ...encoderCells,
  ...sentenceCells,
  ...adapterCells,
  ...autocastCells,
  ...gpt2,
  ...vision,
  ...decoders,
  ...newerDecoders,
  ...decoderCells,
  ...chunkedLosses,
  ...mixtures,
  ...otherMixtures,
  ...latentMixtures,
  ...mambaCells,
  ...linearAttentionCells,
  ...multimodal,
  ...imageCells,
  ...speechCells,
  ...soundCells,
  ...gemmaCells,
  ...flashCells,
  ...seq2seqCells,
  ...translationCells,
  ...methodCells,
  ...drawnCells,
  ...checkpointCells,
]
