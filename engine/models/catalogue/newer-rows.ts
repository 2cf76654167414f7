/** Newer dense decoders than those of `llm-rows.ts`; facts from their config.json and from transformers' config classes. */
import { type ModelRow, row, tied, untied } from './model-row.ts'

// biome-ignore format: a table
export const newerRows: readonly ModelRow[] = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row('smollm3', [128_256, 2_048, 11_008, 36, 16, 4, 65_536], ['HuggingFaceTB/SmolLM3-3B', 'HuggingFaceTB/SmolLM3-3B-Base'], tied),
  row('olmo2', [100_352, 4_096, 11_008, 32, 32, 32, 4_096], ['allenai/OLMo-2-1124-7B', 'allenai/OLMo-2-1124-7B-SFT', 'allenai/OLMo-2-1124-7B-DPO', 'allenai/OLMo-2-1124-7B-Instruct'], untied),
  row('olmo2', [100_352, 5_120, 13_824, 40, 40, 40, 4_096], ['allenai/OLMo-2-1124-13B', 'allenai/OLMo-2-1124-13B-SFT', 'allenai/OLMo-2-1124-13B-DPO', 'allenai/OLMo-2-1124-13B-Instruct'], untied),
  row('stablelm', [50_304, 2_560, 6_912, 32, 32, 32, 4_096], ['stabilityai/stablelm-3b-4e1t', 'stabilityai/stablelm-zephyr-3b'], untied),
  row('stablelm', [50_304, 2_560, 6_912, 32, 32, 32, 16_384], ['stabilityai/stable-code-3b'], untied),
  row('mistral', [32_768, 12_288, 28_672, 88, 96, 8, 32_768], ['mistralai/Mistral-Large-Instruct-2407', 'mistralai/Mistral-Large-Instruct-2411'], { sliding_window: null, ...untied }),
  row('llama', [32_000, 8_192, 22_016, 48, 64, 8, 16_384], ['codellama/CodeLlama-34b-hf', 'codellama/CodeLlama-34b-Instruct-hf'], untied),
]
