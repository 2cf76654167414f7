/** Newer dense decoders than those of `llm-rows.ts`; facts from their config.json and from transformers' config classes. */
import { type ModelRow, row, tied, untied } from './model-row.ts'

const hunyuan = { head_dim: 128, ...tied }
const glm4 = { head_dim: 128, ...untied }

// biome-ignore format: a table
export const newerRows: readonly ModelRow[] = [
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
