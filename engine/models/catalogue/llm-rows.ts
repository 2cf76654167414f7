/**
 * Decoders that people fine-tune: the facts of their config.json, one row per shape and the ids that share it. The tests hold
 * them against published parameter counts, and every row against what transformers builds from it.
 */
import { type ModelRow, row, tied, untied } from './model-row.ts'

// biome-ignore format: a table
const llama: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('llama', [32_000, 4_096, 11_008, 32, 32, 32, 2_048], ['huggyllama/llama-7b', 'lmsys/vicuna-7b-v1.3', 'openlm-research/open_llama_7b', 'openlm-research/open_llama_7b_v2']),
  row('llama', [32_000, 5_120, 13_824, 40, 40, 40, 2_048], ['huggyllama/llama-13b', 'lmsys/vicuna-13b-v1.3', 'openlm-research/open_llama_13b']),
  row('llama', [32_000, 6_656, 17_920, 60, 52, 52, 2_048], ['huggyllama/llama-30b']),
  row('llama', [32_000, 8_192, 22_016, 80, 64, 64, 2_048], ['huggyllama/llama-65b']),
  row('llama', [32_000, 3_200, 8_640, 26, 32, 32, 2_048], ['openlm-research/open_llama_3b', 'openlm-research/open_llama_3b_v2']),
  row('llama', [32_000, 4_096, 11_008, 32, 32, 32, 4_096], ['meta-llama/Llama-2-7b-hf', 'meta-llama/Llama-2-7b-chat-hf', 'NousResearch/Llama-2-7b-hf', 'NousResearch/Llama-2-7b-chat-hf', 'lmsys/vicuna-7b-v1.5']),
  row('llama', [32_000, 5_120, 13_824, 40, 40, 40, 4_096], ['meta-llama/Llama-2-13b-hf', 'meta-llama/Llama-2-13b-chat-hf', 'NousResearch/Llama-2-13b-hf', 'NousResearch/Llama-2-13b-chat-hf', 'lmsys/vicuna-13b-v1.5']),
  row('llama', [32_000, 8_192, 28_672, 80, 64, 8, 4_096], ['meta-llama/Llama-2-70b-hf', 'meta-llama/Llama-2-70b-chat-hf', 'NousResearch/Llama-2-70b-hf']),
  row('llama', [32_016, 4_096, 11_008, 32, 32, 32, 16_384], ['codellama/CodeLlama-7b-hf', 'codellama/CodeLlama-7b-Instruct-hf']),
  row('llama', [32_000, 4_096, 11_008, 32, 32, 32, 16_384], ['codellama/CodeLlama-7b-Python-hf']),
  row('llama', [32_016, 5_120, 13_824, 40, 40, 40, 16_384], ['codellama/CodeLlama-13b-hf', 'codellama/CodeLlama-13b-Instruct-hf']),
  row('llama', [32_000, 8_192, 22_016, 48, 64, 8, 16_384], ['codellama/CodeLlama-34b-hf', 'codellama/CodeLlama-34b-Instruct-hf']),
  row('llama', [128_256, 4_096, 14_336, 32, 32, 8, 8_192], ['meta-llama/Meta-Llama-3-8B', 'meta-llama/Meta-Llama-3-8B-Instruct', 'NousResearch/Meta-Llama-3-8B', 'NousResearch/Meta-Llama-3-8B-Instruct', 'unsloth/llama-3-8b']),
  row('llama', [128_256, 8_192, 28_672, 80, 64, 8, 8_192], ['meta-llama/Meta-Llama-3-70B', 'meta-llama/Meta-Llama-3-70B-Instruct']),
  row('llama', [128_256, 4_096, 14_336, 32, 32, 8, 131_072], ['meta-llama/Llama-3.1-8B', 'meta-llama/Llama-3.1-8B-Instruct', 'meta-llama/Meta-Llama-3.1-8B', 'meta-llama/Meta-Llama-3.1-8B-Instruct', 'NousResearch/Meta-Llama-3.1-8B', 'NousResearch/Meta-Llama-3.1-8B-Instruct', 'NousResearch/Hermes-3-Llama-3.1-8B', 'unsloth/Meta-Llama-3.1-8B', 'deepseek-ai/DeepSeek-R1-Distill-Llama-8B']),
  row('llama', [128_256, 8_192, 28_672, 80, 64, 8, 131_072], ['meta-llama/Llama-3.1-70B', 'meta-llama/Llama-3.1-70B-Instruct', 'meta-llama/Meta-Llama-3.1-70B', 'meta-llama/Meta-Llama-3.1-70B-Instruct', 'meta-llama/Llama-3.3-70B-Instruct', 'deepseek-ai/DeepSeek-R1-Distill-Llama-70B']),
  row('llama', [128_256, 16_384, 53_248, 126, 128, 8, 131_072], ['meta-llama/Llama-3.1-405B', 'meta-llama/Llama-3.1-405B-Instruct']),
  row('llama', [128_288, 4_096, 14_336, 32, 32, 8, 8_192], ['NousResearch/Hermes-2-Pro-Llama-3-8B']),
  row('llama', [128_256, 2_048, 8_192, 16, 32, 8, 131_072], ['meta-llama/Llama-3.2-1B', 'meta-llama/Llama-3.2-1B-Instruct', 'NousResearch/Llama-3.2-1B', 'unsloth/Llama-3.2-1B', 'unsloth/Llama-3.2-1B-Instruct'], { head_dim: 64, ...tied }),
  row('llama', [128_256, 3_072, 8_192, 28, 24, 8, 131_072], ['meta-llama/Llama-3.2-3B', 'meta-llama/Llama-3.2-3B-Instruct', 'NousResearch/Hermes-3-Llama-3.2-3B', 'unsloth/Llama-3.2-3B', 'unsloth/Llama-3.2-3B-Instruct'], { head_dim: 128, ...tied }),
  row('llama', [156_940, 3_072, 8_192, 28, 24, 8, 131_072], ['canopylabs/orpheus-3b-0.1-pretrained', 'canopylabs/orpheus-3b-0.1-ft', 'unsloth/orpheus-3b-0.1-pretrained', 'unsloth/orpheus-3b-0.1-ft'], { head_dim: 128, ...tied }),
  row('llama', [32_000, 2_048, 5_632, 22, 32, 4, 2_048], ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 'TinyLlama/TinyLlama_v1.1', 'TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T']),
  row('llama', [49_152, 576, 1_536, 30, 9, 3, 2_048], ['HuggingFaceTB/SmolLM-135M', 'HuggingFaceTB/SmolLM-135M-Instruct'], tied),
  row('llama', [49_152, 960, 2_560, 32, 15, 5, 2_048], ['HuggingFaceTB/SmolLM-360M', 'HuggingFaceTB/SmolLM-360M-Instruct'], tied),
  row('llama', [49_152, 2_048, 8_192, 24, 32, 32, 2_048], ['HuggingFaceTB/SmolLM-1.7B', 'HuggingFaceTB/SmolLM-1.7B-Instruct'], tied),
  row('llama', [49_152, 576, 1_536, 30, 9, 3, 8_192], ['HuggingFaceTB/SmolLM2-135M', 'HuggingFaceTB/SmolLM2-135M-Instruct'], tied),
  row('llama', [49_152, 960, 2_560, 32, 15, 5, 8_192], ['HuggingFaceTB/SmolLM2-360M', 'HuggingFaceTB/SmolLM2-360M-Instruct'], tied),
  row('llama', [49_152, 2_048, 8_192, 24, 32, 32, 8_192], ['HuggingFaceTB/SmolLM2-1.7B', 'HuggingFaceTB/SmolLM2-1.7B-Instruct'], tied),
  row('llama', [64_000, 4_096, 11_008, 32, 32, 4, 4_096], ['01-ai/Yi-6B', '01-ai/Yi-6B-Chat', '01-ai/Yi-1.5-6B', '01-ai/Yi-1.5-6B-Chat']),
  row('llama', [64_000, 4_096, 11_008, 48, 32, 4, 4_096], ['01-ai/Yi-9B', '01-ai/Yi-1.5-9B', '01-ai/Yi-1.5-9B-Chat']),
  row('llama', [64_000, 7_168, 20_480, 60, 56, 8, 4_096], ['01-ai/Yi-34B', '01-ai/Yi-34B-Chat', '01-ai/Yi-1.5-34B', '01-ai/Yi-1.5-34B-Chat']),
  row('llama', [32_256, 2_048, 5_504, 24, 16, 16, 16_384], ['deepseek-ai/deepseek-coder-1.3b-base', 'deepseek-ai/deepseek-coder-1.3b-instruct']),
  row('llama', [32_256, 4_096, 11_008, 32, 32, 32, 16_384], ['deepseek-ai/deepseek-coder-6.7b-base', 'deepseek-ai/deepseek-coder-6.7b-instruct']),
  row('llama', [32_256, 7_168, 19_200, 62, 56, 8, 16_384], ['deepseek-ai/deepseek-coder-33b-base', 'deepseek-ai/deepseek-coder-33b-instruct']),
  row('llama', [102_400, 4_096, 11_008, 30, 32, 32, 4_096], ['deepseek-ai/deepseek-llm-7b-base', 'deepseek-ai/deepseek-llm-7b-chat']),
  row('llama', [102_400, 8_192, 22_016, 95, 64, 8, 4_096], ['deepseek-ai/deepseek-llm-67b-base', 'deepseek-ai/deepseek-llm-67b-chat']),
  row('llama', [32_000, 4_096, 14_336, 48, 32, 8, 4_096], ['upstage/SOLAR-10.7B-v1.0', 'upstage/SOLAR-10.7B-Instruct-v1.0']),
  row('llama', [131_072, 2_048, 8_192, 18, 8, 4, 8_192], ['tiiuae/Falcon3-1B-Base', 'tiiuae/Falcon3-1B-Instruct'], { head_dim: 256 }),
  row('llama', [131_072, 3_072, 9_216, 22, 12, 4, 32_768], ['tiiuae/Falcon3-3B-Base', 'tiiuae/Falcon3-3B-Instruct'], { head_dim: 256 }),
  row('llama', [131_072, 3_072, 23_040, 28, 12, 4, 32_768], ['tiiuae/Falcon3-7B-Base', 'tiiuae/Falcon3-7B-Instruct'], { head_dim: 256 }),
  row('llama', [131_072, 3_072, 23_040, 40, 12, 4, 32_768], ['tiiuae/Falcon3-10B-Base', 'tiiuae/Falcon3-10B-Instruct'], { head_dim: 256 }),
]

const looksBack = { sliding_window: 4_096, ...untied }
const looksAtAll = { sliding_window: null, ...untied }

// biome-ignore format: a table
const mistral: readonly ModelRow[] = [
  row('mistral', [32_000, 4_096, 14_336, 32, 32, 8, 32_768], ['mistralai/Mistral-7B-v0.1', 'mistralai/Mistral-7B-Instruct-v0.1', 'HuggingFaceH4/zephyr-7b-beta', 'alignment-handbook/zephyr-7b-sft-full'], looksBack),
  row('mistral', [32_002, 4_096, 14_336, 32, 32, 8, 32_768], ['teknium/OpenHermes-2.5-Mistral-7B', 'teknium/OpenHermes-2-Mistral-7B', 'NousResearch/Nous-Hermes-2-Mistral-7B-DPO', 'Open-Orca/Mistral-7B-OpenOrca'], looksBack),
  row('mistral', [32_032, 4_096, 14_336, 32, 32, 8, 32_768], ['NousResearch/Hermes-2-Pro-Mistral-7B'], looksBack),
  row('mistral', [32_000, 4_096, 14_336, 32, 32, 8, 32_768], ['mistralai/Mistral-7B-Instruct-v0.2', 'mistral-community/Mistral-7B-v0.2'], looksAtAll),
  row('mistral', [32_768, 4_096, 14_336, 32, 32, 8, 32_768], ['mistralai/Mistral-7B-v0.3', 'mistralai/Mistral-7B-Instruct-v0.3', 'unsloth/mistral-7b-v0.3', 'unsloth/mistral-7b-instruct-v0.3'], looksAtAll),
  row('mistral', [131_072, 5_120, 14_336, 40, 32, 8, 131_072], ['mistralai/Mistral-Nemo-Base-2407', 'mistralai/Mistral-Nemo-Instruct-2407'], { head_dim: 128, ...looksAtAll }),
  row('mistral', [131_072, 4_096, 12_288, 36, 32, 8, 32_768], ['mistralai/Ministral-8B-Instruct-2410'], { head_dim: 128, sliding_window: 32_768, ...untied }),
  row('mistral', [32_768, 6_144, 16_384, 56, 48, 8, 32_768], ['mistralai/Mistral-Small-Instruct-2409', 'mistralai/Codestral-22B-v0.1'], { head_dim: 128, ...looksAtAll }),
  row('mistral', [131_072, 5_120, 32_768, 40, 32, 8, 32_768], ['mistralai/Mistral-Small-24B-Base-2501', 'mistralai/Mistral-Small-24B-Instruct-2501'], { head_dim: 128, ...looksAtAll }),
]

const qwen2Tied = { use_sliding_window: false, ...tied }
const qwen2Untied = { use_sliding_window: false, ...untied }

// biome-ignore format: a table
const qwen2: readonly ModelRow[] = [
  row('qwen2', [151_936, 1_024, 2_816, 24, 16, 16, 32_768], ['Qwen/Qwen1.5-0.5B', 'Qwen/Qwen1.5-0.5B-Chat'], qwen2Tied),
  row('qwen2', [151_936, 2_048, 5_504, 24, 16, 16, 32_768], ['Qwen/Qwen1.5-1.8B', 'Qwen/Qwen1.5-1.8B-Chat'], qwen2Untied),
  row('qwen2', [151_936, 2_560, 6_912, 40, 20, 20, 32_768], ['Qwen/Qwen1.5-4B', 'Qwen/Qwen1.5-4B-Chat'], qwen2Untied),
  row('qwen2', [151_936, 4_096, 11_008, 32, 32, 32, 32_768], ['Qwen/Qwen1.5-7B', 'Qwen/Qwen1.5-7B-Chat'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 13_696, 40, 40, 40, 32_768], ['Qwen/Qwen1.5-14B', 'Qwen/Qwen1.5-14B-Chat'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 27_392, 64, 40, 8, 32_768], ['Qwen/Qwen1.5-32B', 'Qwen/Qwen1.5-32B-Chat'], qwen2Untied),
  row('qwen2', [152_064, 8_192, 24_576, 80, 64, 64, 32_768], ['Qwen/Qwen1.5-72B', 'Qwen/Qwen1.5-72B-Chat'], qwen2Untied),
  row('qwen2', [151_936, 896, 4_864, 24, 14, 2, 131_072], ['Qwen/Qwen2-0.5B'], qwen2Tied),
  row('qwen2', [151_936, 896, 4_864, 24, 14, 2, 32_768], ['Qwen/Qwen2-0.5B-Instruct', 'Qwen/Qwen2.5-0.5B', 'Qwen/Qwen2.5-0.5B-Instruct', 'Qwen/Qwen2.5-Coder-0.5B', 'Qwen/Qwen2.5-Coder-0.5B-Instruct', 'unsloth/Qwen2.5-0.5B'], qwen2Tied),
  row('qwen2', [151_936, 1_536, 8_960, 28, 12, 2, 131_072], ['Qwen/Qwen2-1.5B', 'Qwen/Qwen2.5-1.5B'], qwen2Tied),
  row('qwen2', [151_936, 1_536, 8_960, 28, 12, 2, 32_768], ['Qwen/Qwen2-1.5B-Instruct', 'Qwen/Qwen2.5-1.5B-Instruct', 'Qwen/Qwen2.5-Coder-1.5B', 'Qwen/Qwen2.5-Coder-1.5B-Instruct'], qwen2Tied),
  row('qwen2', [151_936, 1_536, 8_960, 28, 12, 2, 4_096], ['Qwen/Qwen2.5-Math-1.5B', 'Qwen/Qwen2.5-Math-1.5B-Instruct'], qwen2Tied),
  row('qwen2', [151_936, 1_536, 8_960, 28, 12, 2, 131_072], ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B'], qwen2Untied),
  row('qwen2', [151_936, 2_048, 11_008, 36, 16, 2, 32_768], ['Qwen/Qwen2.5-3B', 'Qwen/Qwen2.5-3B-Instruct', 'Qwen/Qwen2.5-Coder-3B', 'Qwen/Qwen2.5-Coder-3B-Instruct'], qwen2Tied),
  row('qwen2', [152_064, 3_584, 18_944, 28, 28, 4, 131_072], ['Qwen/Qwen2-7B', 'Qwen/Qwen2.5-7B', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B'], qwen2Untied),
  row('qwen2', [152_064, 3_584, 18_944, 28, 28, 4, 32_768], ['Qwen/Qwen2-7B-Instruct', 'Qwen/Qwen2.5-7B-Instruct', 'Qwen/Qwen2.5-Coder-7B', 'Qwen/Qwen2.5-Coder-7B-Instruct', 'unsloth/Qwen2.5-7B-Instruct'], qwen2Untied),
  row('qwen2', [152_064, 3_584, 18_944, 28, 28, 4, 4_096], ['Qwen/Qwen2.5-Math-7B', 'Qwen/Qwen2.5-Math-7B-Instruct'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 13_824, 48, 40, 8, 131_072], ['Qwen/Qwen2.5-14B', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-14B'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 13_824, 48, 40, 8, 32_768], ['Qwen/Qwen2.5-14B-Instruct', 'Qwen/Qwen2.5-Coder-14B', 'Qwen/Qwen2.5-Coder-14B-Instruct'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 27_648, 64, 40, 8, 131_072], ['Qwen/Qwen2.5-32B', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 27_648, 64, 40, 8, 32_768], ['Qwen/Qwen2.5-32B-Instruct', 'Qwen/Qwen2.5-Coder-32B', 'Qwen/Qwen2.5-Coder-32B-Instruct'], qwen2Untied),
  row('qwen2', [152_064, 5_120, 27_648, 64, 40, 8, 40_960], ['Qwen/QwQ-32B'], qwen2Untied),
  row('qwen2', [152_064, 8_192, 29_568, 80, 64, 8, 131_072], ['Qwen/Qwen2-72B', 'Qwen/Qwen2.5-72B'], qwen2Untied),
  row('qwen2', [152_064, 8_192, 29_568, 80, 64, 8, 32_768], ['Qwen/Qwen2-72B-Instruct', 'Qwen/Qwen2.5-72B-Instruct'], qwen2Untied),
]

const qwen3Tied = { head_dim: 128, ...tied }
const qwen3Untied = { head_dim: 128, ...untied }

// biome-ignore format: a table
const qwen3: readonly ModelRow[] = [
  row('qwen3', [151_936, 1_024, 3_072, 28, 16, 8, 40_960], ['Qwen/Qwen3-0.6B', 'unsloth/Qwen3-0.6B'], qwen3Tied),
  row('qwen3', [151_936, 1_024, 3_072, 28, 16, 8, 32_768], ['Qwen/Qwen3-0.6B-Base'], qwen3Tied),
  row('qwen3', [151_936, 2_048, 6_144, 28, 16, 8, 40_960], ['Qwen/Qwen3-1.7B', 'unsloth/Qwen3-1.7B'], qwen3Tied),
  row('qwen3', [151_936, 2_048, 6_144, 28, 16, 8, 32_768], ['Qwen/Qwen3-1.7B-Base'], qwen3Tied),
  row('qwen3', [151_936, 2_560, 9_728, 36, 32, 8, 40_960], ['Qwen/Qwen3-4B', 'unsloth/Qwen3-4B'], qwen3Tied),
  row('qwen3', [151_936, 2_560, 9_728, 36, 32, 8, 32_768], ['Qwen/Qwen3-4B-Base'], qwen3Tied),
  row('qwen3', [151_936, 2_560, 9_728, 36, 32, 8, 262_144], ['Qwen/Qwen3-4B-Instruct-2507', 'Qwen/Qwen3-4B-Thinking-2507', 'katanemo/Plano-Orchestrator-4B'], qwen3Tied),
  row('qwen3', [151_936, 4_096, 12_288, 36, 32, 8, 40_960], ['Qwen/Qwen3-8B', 'unsloth/Qwen3-8B'], qwen3Untied),
  row('qwen3', [151_936, 4_096, 12_288, 36, 32, 8, 32_768], ['Qwen/Qwen3-8B-Base'], qwen3Untied),
  row('qwen3', [151_936, 5_120, 17_408, 40, 40, 8, 40_960], ['Qwen/Qwen3-14B', 'unsloth/Qwen3-14B'], qwen3Untied),
  row('qwen3', [151_936, 5_120, 17_408, 40, 40, 8, 32_768], ['Qwen/Qwen3-14B-Base'], qwen3Untied),
  row('qwen3', [151_936, 5_120, 25_600, 64, 64, 8, 40_960], ['Qwen/Qwen3-32B'], qwen3Untied),
]

const wideHeads = { head_dim: 256, ...tied }

// biome-ignore format: a table
const gemma: readonly ModelRow[] = [
  row('gemma', [256_000, 2_048, 16_384, 18, 8, 1, 8_192], ['google/gemma-2b', 'google/gemma-2b-it', 'google/gemma-1.1-2b-it', 'unsloth/gemma-2b'], wideHeads),
  row('gemma', [256_000, 3_072, 24_576, 28, 16, 16, 8_192], ['google/gemma-7b', 'google/gemma-7b-it', 'google/gemma-1.1-7b-it', 'unsloth/gemma-7b'], wideHeads),
  row('gemma2', [256_000, 2_304, 9_216, 26, 8, 4, 8_192], ['google/gemma-2-2b', 'google/gemma-2-2b-it', 'unsloth/gemma-2-2b-it'], { sliding_window: 4_096, ...wideHeads }),
  row('gemma2', [256_000, 3_584, 14_336, 42, 16, 8, 8_192], ['google/gemma-2-9b', 'google/gemma-2-9b-it', 'unsloth/gemma-2-9b-it'], { sliding_window: 4_096, ...wideHeads }),
  row('gemma2', [256_000, 4_608, 36_864, 46, 32, 16, 8_192], ['google/gemma-2-27b', 'google/gemma-2-27b-it'], { sliding_window: 4_096, head_dim: 128, ...tied }),
  row('gemma3_text', [262_144, 640, 2_048, 18, 4, 1, 32_768], ['google/gemma-3-270m', 'google/gemma-3-270m-it', 'unsloth/gemma-3-270m-it'], { sliding_window: 512, ...wideHeads }),
  row('gemma3_text', [262_144, 1_152, 6_912, 26, 4, 1, 32_768], ['google/gemma-3-1b-pt', 'google/gemma-3-1b-it', 'unsloth/gemma-3-1b-it'], { sliding_window: 512, ...wideHeads }),
]

const phi1 = { partial_rotary_factor: 0.5, resid_pdrop: 0, embd_pdrop: 0, ...untied }
const longPhi3 = { sliding_window: 262_144, resid_pdrop: 0, ...untied }
const shortPhi3 = { sliding_window: 2_047, resid_pdrop: 0, ...untied }

// biome-ignore format: a table
const phi: readonly ModelRow[] = [
  row('phi', [51_200, 2_048, 8_192, 24, 32, 32, 2_048], ['microsoft/phi-1', 'microsoft/phi-1_5'], phi1),
  row('phi', [51_200, 2_560, 10_240, 32, 32, 32, 2_048], ['microsoft/phi-2'], { partial_rotary_factor: 0.4, resid_pdrop: 0.1, embd_pdrop: 0, ...untied }),
  row('phi3', [32_064, 3_072, 8_192, 32, 32, 32, 4_096], ['microsoft/Phi-3-mini-4k-instruct'], shortPhi3),
  row('phi3', [32_064, 3_072, 8_192, 32, 32, 32, 131_072], ['microsoft/Phi-3-mini-128k-instruct', 'microsoft/Phi-3.5-mini-instruct'], longPhi3),
  row('phi3', [32_064, 5_120, 17_920, 40, 40, 10, 4_096], ['microsoft/Phi-3-medium-4k-instruct'], shortPhi3),
  row('phi3', [32_064, 5_120, 17_920, 40, 40, 10, 131_072], ['microsoft/Phi-3-medium-128k-instruct'], { ...longPhi3, sliding_window: 131_072 }),
  row('phi3', [100_352, 5_120, 17_920, 40, 40, 10, 16_384], ['microsoft/phi-4'], { sliding_window: null, resid_pdrop: 0, ...untied }),
  row('phi3', [200_064, 3_072, 8_192, 32, 24, 8, 131_072], ['microsoft/Phi-4-mini-instruct'], { sliding_window: 262_144, partial_rotary_factor: 0.75, resid_pdrop: 0, ...tied }),
]

const pythia = { rotary_pct: 0.25, use_parallel_residual: true, ...untied }

// biome-ignore format: a table
const gptNeox: readonly ModelRow[] = [
  row('gpt_neox', [50_304, 128, 512, 6, 4, 4, 2_048], ['EleutherAI/pythia-14m'], pythia),
  row('gpt_neox', [50_304, 256, 1_024, 6, 8, 8, 2_048], ['EleutherAI/pythia-31m'], pythia),
  row('gpt_neox', [50_304, 512, 2_048, 6, 8, 8, 2_048], ['EleutherAI/pythia-70m', 'EleutherAI/pythia-70m-deduped'], pythia),
  row('gpt_neox', [50_304, 768, 3_072, 12, 12, 12, 2_048], ['EleutherAI/pythia-160m', 'EleutherAI/pythia-160m-deduped'], pythia),
  row('gpt_neox', [50_304, 1_024, 4_096, 24, 16, 16, 2_048], ['EleutherAI/pythia-410m', 'EleutherAI/pythia-410m-deduped'], pythia),
  row('gpt_neox', [50_304, 2_048, 8_192, 16, 8, 8, 2_048], ['EleutherAI/pythia-1b', 'EleutherAI/pythia-1b-deduped'], pythia),
  row('gpt_neox', [50_304, 2_048, 8_192, 24, 16, 16, 2_048], ['EleutherAI/pythia-1.4b', 'EleutherAI/pythia-1.4b-deduped'], pythia),
  row('gpt_neox', [50_304, 2_560, 10_240, 32, 32, 32, 2_048], ['EleutherAI/pythia-2.8b', 'EleutherAI/pythia-2.8b-deduped'], pythia),
  row('gpt_neox', [50_432, 4_096, 16_384, 32, 32, 32, 2_048], ['EleutherAI/pythia-6.9b', 'EleutherAI/pythia-6.9b-deduped'], pythia),
  row('gpt_neox', [50_688, 5_120, 20_480, 36, 40, 40, 2_048], ['EleutherAI/pythia-12b', 'EleutherAI/pythia-12b-deduped'], pythia),
  row('gpt_neox', [50_432, 6_144, 24_576, 44, 64, 64, 2_048], ['EleutherAI/gpt-neox-20b'], pythia),
  row('gpt_neox', [50_432, 2_560, 10_240, 32, 32, 32, 2_048], ['togethercomputer/RedPajama-INCITE-Base-3B-v1', 'togethercomputer/RedPajama-INCITE-Chat-3B-v1', 'togethercomputer/RedPajama-INCITE-Instruct-3B-v1'], { rotary_pct: 1, use_parallel_residual: false, ...untied }),
]

function optRow(
  hidden: number,
  layers: number,
  heads: number,
  id: string,
  differences: Record<string, unknown> = {},
): ModelRow {
  const config = {
    model_type: 'opt',
    vocab_size: 50_272,
    hidden_size: hidden,
    ffn_dim: 4 * hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    max_position_embeddings: 2_048,
    word_embed_proj_dim: hidden,
    do_layer_norm_before: true,
    dropout: 0.1,
    attention_dropout: 0,
    ...tied,
    ...differences,
  }
  return { ids: [id], config }
}

const opt: readonly ModelRow[] = [
  optRow(768, 12, 12, 'facebook/opt-125m'),
  optRow(1_024, 24, 16, 'facebook/opt-350m', { word_embed_proj_dim: 512, do_layer_norm_before: false }),
  optRow(2_048, 24, 32, 'facebook/opt-1.3b'),
  optRow(2_560, 32, 32, 'facebook/opt-2.7b'),
  optRow(4_096, 32, 32, 'facebook/opt-6.7b'),
  optRow(5_120, 40, 40, 'facebook/opt-13b'),
  optRow(7_168, 48, 56, 'facebook/opt-30b'),
  optRow(9_216, 64, 72, 'facebook/opt-66b'),
]

const groupedFalcon = { new_decoder_architecture: true, num_kv_heads: 8 }

function falconRow(ids: readonly string[], differences: Record<string, unknown> = {}): ModelRow {
  return { ids, config: { model_type: 'falcon', ...differences } }
}

const falcon: readonly ModelRow[] = [
  falconRow(['tiiuae/falcon-7b', 'tiiuae/falcon-7b-instruct']),
  falconRow(['tiiuae/falcon-11B'], {
    ...groupedFalcon,
    hidden_size: 4_096,
    num_hidden_layers: 60,
    num_attention_heads: 32,
    num_ln_in_parallel_attn: 1,
    max_position_embeddings: 8_192,
    tie_word_embeddings: false,
  }),
  falconRow(['tiiuae/falcon-40b', 'tiiuae/falcon-40b-instruct'], {
    ...groupedFalcon,
    hidden_size: 8_192,
    num_hidden_layers: 60,
    num_attention_heads: 128,
  }),
]

const hunyuan = { head_dim: 128, ...tied }
const glm4 = { head_dim: 128, ...untied }

// biome-ignore format: a table
const others: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('smollm3', [128_256, 2_048, 11_008, 36, 16, 4, 65_536], ['HuggingFaceTB/SmolLM3-3B', 'HuggingFaceTB/SmolLM3-3B-Base'], tied),
  row('olmo2', [100_352, 4_096, 11_008, 32, 32, 32, 4_096], ['allenai/OLMo-2-1124-7B', 'allenai/OLMo-2-1124-7B-SFT', 'allenai/OLMo-2-1124-7B-DPO', 'allenai/OLMo-2-1124-7B-Instruct'], untied),
  row('olmo2', [100_352, 5_120, 13_824, 40, 40, 40, 4_096], ['allenai/OLMo-2-1124-13B', 'allenai/OLMo-2-1124-13B-SFT', 'allenai/OLMo-2-1124-13B-DPO', 'allenai/OLMo-2-1124-13B-Instruct'], untied),
  row('stablelm', [50_304, 2_560, 6_912, 32, 32, 32, 4_096], ['stabilityai/stablelm-3b-4e1t', 'stabilityai/stablelm-zephyr-3b'], untied),
  row('stablelm', [50_304, 2_560, 6_912, 32, 32, 32, 16_384], ['stabilityai/stable-code-3b'], untied),
  row('stablelm', [100_352, 2_048, 5_632, 24, 32, 32, 4_096], ['stabilityai/stablelm-2-1_6b', 'stabilityai/stablelm-2-1_6b-chat', 'stabilityai/stablelm-2-zephyr-1_6b'], { use_qkv_bias: true, ...untied }),
  row('starcoder2', [49_152, 3_072, 12_288, 30, 24, 2, 16_384], ['bigcode/starcoder2-3b'], { sliding_window: 4_096, ...tied }),
  row('starcoder2', [49_152, 4_608, 18_432, 32, 36, 4, 16_384], ['bigcode/starcoder2-7b'], { sliding_window: 4_096, ...tied }),
  row('starcoder2', [49_152, 6_144, 24_576, 40, 48, 4, 16_384], ['bigcode/starcoder2-15b', 'bigcode/starcoder2-15b-instruct-v0.1', 'HuggingFaceH4/starchat2-15b-sft-v0.1', 'HuggingFaceH4/starchat2-15b-v0.1'], { sliding_window: 4_096, ...untied }),
  row('olmo3', [100_278, 4_096, 11_008, 32, 32, 32, 65_536], ['allenai/Olmo-3-1025-7B', 'allenai/Olmo-3-7B-Instruct', 'allenai/Olmo-3-7B-Instruct-SFT', 'allenai/Olmo-3-7B-Instruct-DPO', 'allenai/Olmo-3-7B-Think', 'allenai/Olmo-3-7B-Think-SFT', 'allenai/Olmo-3-7B-Think-DPO'], { sliding_window: 4_096, ...untied }),
  row('arcee', [128_004, 2_560, 18_432, 36, 20, 4, 65_536], ['arcee-ai/AFM-4.5B', 'arcee-ai/AFM-4.5B-Base'], untied),
  row('seed_oss', [155_136, 5_120, 27_648, 64, 80, 8, 524_288], ['ByteDance-Seed/Seed-OSS-36B-Instruct', 'ByteDance-Seed/Seed-OSS-36B-Base', 'ByteDance-Seed/Seed-OSS-36B-Base-woSyn'], { head_dim: 128, ...untied }),
  row('hunyuan_v1_dense', [120_818, 1_024, 3_584, 24, 16, 8, 262_144], ['tencent/Hunyuan-0.5B-Instruct', 'tencent/Hunyuan-0.5B-Pretrain'], hunyuan),
  row('hunyuan_v1_dense', [120_818, 2_048, 6_144, 32, 16, 4, 262_144], ['tencent/Hunyuan-1.8B-Instruct', 'tencent/Hunyuan-1.8B-Pretrain'], hunyuan),
  row('hunyuan_v1_dense', [120_818, 3_072, 8_192, 36, 32, 8, 262_144], ['tencent/Hunyuan-4B-Instruct', 'tencent/Hunyuan-4B-Pretrain'], hunyuan),
  row('hunyuan_v1_dense', [128_167, 4_096, 14_336, 32, 32, 8, 32_768], ['tencent/Hunyuan-7B-Instruct', 'tencent/Hunyuan-7B-Pretrain'], hunyuan),
  row('glm4', [151_552, 4_096, 13_696, 40, 32, 2, 32_768], ['THUDM/GLM-4-9B-0414', 'zai-org/GLM-4-9B-0414', 'zai-org/GLM-Z1-9B-0414'], glm4),
  row('glm4', [151_552, 6_144, 23_040, 61, 48, 2, 32_768], ['THUDM/GLM-4-32B-0414', 'zai-org/GLM-4-32B-0414', 'zai-org/GLM-4-32B-Base-0414', 'zai-org/GLM-Z1-32B-0414'], { ...glm4, attention_bias: false }),
  row('glm', [151_552, 4_096, 13_696, 40, 32, 2, 8_192], ['THUDM/glm-4-9b-hf', 'zai-org/glm-4-9b-hf'], glm4),
  row('glm', [151_552, 4_096, 13_696, 40, 32, 2, 131_072], ['THUDM/glm-4-9b-chat-hf', 'zai-org/glm-4-9b-chat-hf'], glm4),
  row('exaone4', [102_400, 2_048, 4_096, 30, 32, 8, 65_536], ['LGAI-EXAONE/EXAONE-4.0-1.2B'], { head_dim: 64, sliding_window: null, layer_types: Array(30).fill('full_attention'), ...tied }),
  row('exaone4', [102_400, 5_120, 27_392, 64, 40, 8, 131_072], ['LGAI-EXAONE/EXAONE-4.0-32B'], { head_dim: 128, sliding_window: 4_096, ...untied }),
  row('nemotron', [256_000, 3_072, 9_216, 32, 24, 8, 4_096], ['nvidia/Nemotron-Mini-4B-Instruct', 'nvidia/Minitron-4B-Base'], { head_dim: 128, ...untied }),
  row('apertus', [131_072, 4_096, 21_504, 32, 32, 8, 65_536], ['swiss-ai/Apertus-8B-2509', 'swiss-ai/Apertus-8B-Instruct-2509'], untied),
  row('apertus', [131_072, 8_192, 43_008, 80, 64, 8, 65_536], ['swiss-ai/Apertus-70B-2509', 'swiss-ai/Apertus-70B-Instruct-2509'], untied),
  row('cohere', [256_000, 8_192, 22_528, 40, 64, 64, 8_192], ['CohereForAI/c4ai-command-r-v01', 'CohereLabs/c4ai-command-r-v01'], tied),
  row('cohere', [256_000, 4_096, 14_336, 32, 32, 8, 8_192], ['CohereForAI/aya-23-8B', 'CohereLabs/aya-23-8B', 'CohereForAI/aya-expanse-8b', 'CohereLabs/aya-expanse-8b'], tied),
  row('cohere2', [256_000, 4_096, 14_336, 32, 32, 8, 8_192], ['CohereForAI/c4ai-command-r7b-12-2024', 'CohereLabs/c4ai-command-r7b-12-2024'], tied),
  row('mistral', [32_768, 12_288, 28_672, 88, 96, 8, 32_768], ['mistralai/Mistral-Large-Instruct-2407', 'mistralai/Mistral-Large-Instruct-2411'], { sliding_window: null, ...untied }),
  row('llama', [51_200, 4_096, 11_008, 32, 32, 32, 8_192], ['Salesforce/xgen-7b-8k-base', 'Salesforce/xgen-7b-8k-inst'], untied),
  row('llama', [32_000, 8_192, 22_016, 48, 64, 8, 16_384], ['codellama/CodeLlama-34b-hf', 'codellama/CodeLlama-34b-Instruct-hf'], untied),
]

/** Base models come before what was made of them: a name that several rows fit is taken to be the first. */
export const llmRows: readonly ModelRow[] = [
  ...llama,
  ...mistral,
  ...qwen2,
  ...qwen3,
  ...gemma,
  ...phi,
  ...gptNeox,
  ...opt,
  ...falcon,
  ...others,
]
