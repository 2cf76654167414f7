import { describe, expect, test } from 'vitest'
import { findModel, modelIds, modelNames } from '../../engine/models/catalogue.ts'
import { modelTypes } from '../../engine/models/model-types.ts'
import { unsupportedArchitectureOf, unsupportedModels } from '../../engine/models/unsupported-models.ts'
import { footprintOf, knownModel } from '../estimate/specs.ts'

describe('the catalogue', () => {
  test('holds the models that people fine-tune', () => {
    expect(modelIds.length).toBeGreaterThan(250)
    expect(new Set(modelIds.map(id => id.toLowerCase())).size).toBe(modelIds.length)
  })

  test.each(modelIds)('%s has a config that its family accepts', id => {
    expect(knownModel(id).id).toBe(id)
  })

  test('answers to every name that it offers', () => {
    expect(modelNames.filter(name => findModel(name) === undefined)).toEqual([])
  })

  test.each([
    ['bert', 'google-bert/bert-base-uncased'],
    ['GPT2', 'openai-community/gpt2'],
    ['bert-base-uncased', 'google-bert/bert-base-uncased'],
    ['META-LLAMA/LLAMA-3.2-1b', 'meta-llama/Llama-3.2-1B'],
    ['Llama-3.2-1B', 'meta-llama/Llama-3.2-1B'],
  ])('finds %s as %s', (name, id) => {
    expect(findModel(name)?.id).toBe(id)
  })

  test.each(['', '/', 'llama', 'constructor', '__proto__', 'toString'])('knows no %j', name => {
    expect(findModel(name)).toBeUndefined()
  })

  test('trains decoders on the next token', () => {
    expect(knownModel('Qwen/Qwen2.5-7B')).toMatchObject({ defaultTask: 'causal-lm', maxPositions: 131_072 })
  })

  test('knows a hard limit only where positions are learned', () => {
    expect(knownModel('facebook/opt-125m').positionLimit).toBe(2_048)
    expect(knownModel('TinyLlama/TinyLlama_v1.1').positionLimit).toBeUndefined()
  })

  test('calls no architecture unsupported that is supported, nor a model that it holds', () => {
    expect(Object.keys(unsupportedModels).filter(name => modelTypes().includes(name))).toEqual([])
    expect(modelIds.filter(id => unsupportedArchitectureOf(id) !== undefined)).toEqual([])
  })
})

/** As model cards and safetensors headers count them: tied weights once. */
const published: readonly (readonly [id: string, count: number])[] = [
  ['huggyllama/llama-7b', 6_738_415_616],
  ['Qwen/CodeQwen1.5-7B', 7_250_284_544],
  ['Qwen/Qwen2-VL-72B-Instruct', 73_405_560_320],
  ['Qwen/Qwen2.5-VL-32B-Instruct', 33_452_718_336],
  ['Qwen/Qwen2.5-VL-72B-Instruct', 73_410_777_344],
  ['allenai/OLMo-2-0425-1B', 1_484_916_736],
  ['allenai/OLMoE-1B-7B-0924', 6_919_161_856],
  ['allenai/Llama-3.1-Tulu-3-8B', 8_030_326_784],
  ['ibm-granite/granite-3.0-2b-base', 2_533_531_648],
  ['ibm-granite/granite-3.0-8b-base', 8_170_848_256],
  // The card counts 60,828,160 more: the layer that predicts a second token, which transformers does not load.
  ['Qwen/Qwen3.5-2B', 2_274_069_824 - 60_828_160],
  ['huggyllama/llama-13b', 13_015_864_320],
  ['huggyllama/llama-30b', 32_528_943_616],
  ['huggyllama/llama-65b', 65_285_660_672],
  ['meta-llama/Llama-2-70b-hf', 68_976_648_192],
  ['meta-llama/Meta-Llama-3-8B', 8_030_261_248],
  ['meta-llama/Meta-Llama-3-70B', 70_553_706_496],
  ['meta-llama/Llama-3.1-405B', 405_853_388_800],
  ['meta-llama/Llama-3.2-1B', 1_235_814_400],
  ['meta-llama/Llama-3.2-3B', 3_212_749_824],
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 1_100_048_384],
  ['HuggingFaceTB/SmolLM2-135M', 134_515_008],
  ['HuggingFaceTB/SmolLM2-360M', 361_821_120],
  ['HuggingFaceTB/SmolLM2-1.7B', 1_711_376_384],
  ['01-ai/Yi-6B', 6_061_035_520],
  ['01-ai/Yi-1.5-9B', 8_829_407_232],
  ['01-ai/Yi-34B', 34_388_917_248],
  ['deepseek-ai/deepseek-coder-1.3b-base', 1_346_471_936],
  ['deepseek-ai/deepseek-coder-6.7b-base', 6_740_512_768],
  ['deepseek-ai/deepseek-llm-7b-base', 6_910_365_696],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B', 1_777_088_000],
  ['upstage/SOLAR-10.7B-v1.0', 10_731_524_096],
  ['tiiuae/Falcon3-7B-Base', 7_455_550_464],
  ['HuggingFaceTB/SmolLM3-3B', 3_075_098_624],
  ['HuggingFaceTB/SmolVLM-256M-Instruct', 256_484_928],
  ['HuggingFaceTB/SmolVLM2-500M-Video-Instruct', 507_482_304],
  ['allenai/OLMo-2-1124-7B', 7_298_617_344],
  ['mistralai/Mixtral-8x7B-v0.1', 46_702_792_704],
  ['Qwen/Qwen1.5-MoE-A2.7B', 14_315_784_192],
  ['Qwen/Qwen3-30B-A3B', 30_532_122_624],
  ['deepseek-ai/DeepSeek-V2-Lite', 15_706_484_224],
  ['google/gemma-3-4b-it', 4_300_079_472],
  // keras-hub's pali_gemma_presets.py, and the 64 tokens that the conversion for transformers adds.
  ['google/paligemma-3b-pt-224', 2_923_335_408 + 64 * 2_048],
  ['google/paligemma-3b-pt-896', 2_927_759_088 + 64 * 2_048],
  ['google/paligemma2-3b-mix-448', 3_032_979_696 + 64 * 2_304],
  ['google/paligemma2-10b-mix-224', 9_662_409_456 + 64 * 3_584],
  ['google/paligemma2-28b-mix-224', 27_650_192_112 + 64 * 4_608],
  ['Qwen/Qwen2.5-VL-7B-Instruct', 8_292_166_656],
  ['mistralai/Mistral-7B-v0.1', 7_241_732_096],
  ['mistralai/Mistral-7B-v0.3', 7_248_023_552],
  ['teknium/OpenHermes-2.5-Mistral-7B', 7_241_748_480],
  ['mistralai/Mistral-Nemo-Base-2407', 12_247_782_400],
  ['mistralai/Ministral-8B-Instruct-2410', 8_019_808_256],
  ['mistralai/Mistral-Small-Instruct-2409', 22_247_282_688],
  ['mistralai/Mistral-Small-24B-Base-2501', 23_572_403_200],
  ['Qwen/Qwen1.5-0.5B', 463_987_712],
  ['Qwen/Qwen1.5-1.8B', 1_836_828_672],
  ['Qwen/Qwen1.5-7B', 7_721_324_544],
  ['Qwen/Qwen2.5-0.5B', 494_032_768],
  ['Qwen/Qwen2.5-1.5B', 1_543_714_304],
  ['Qwen/Qwen2.5-3B', 3_085_938_688],
  ['Qwen/Qwen2.5-7B', 7_615_616_512],
  ['Qwen/Qwen2.5-14B', 14_770_033_664],
  ['Qwen/Qwen2.5-32B', 32_763_876_352],
  ['Qwen/Qwen2.5-72B', 72_706_203_648],
  ['Qwen/Qwen3-4B', 4_022_468_096],
  ['Qwen/Qwen3-8B', 8_190_735_360],
  ['Qwen/Qwen3-14B', 14_768_307_200],
  ['Qwen/Qwen3-32B', 32_762_123_264],
  ['google/gemma-2b', 2_506_172_416],
  ['google/gemma-7b', 8_537_680_896],
  ['google/gemma-2-2b', 2_614_341_888],
  ['google/gemma-2-9b', 9_241_705_984],
  ['google/gemma-2-27b', 27_227_128_320],
  ['google/gemma-3-270m', 268_098_176],
  ['google/gemma-3-1b-it', 999_885_952],
  ['microsoft/phi-1_5', 1_418_270_720],
  ['microsoft/phi-2', 2_779_683_840],
  ['microsoft/Phi-3-mini-4k-instruct', 3_821_079_552],
  ['microsoft/phi-4', 14_659_507_200],
  ['unsloth/phi-4', 14_659_507_200],
  ['microsoft/Phi-4-mini-instruct', 3_836_021_760],
  ['EleutherAI/pythia-70m', 70_426_624],
  ['EleutherAI/pythia-410m', 405_334_016],
  ['EleutherAI/pythia-1b', 1_011_781_632],
  ['EleutherAI/pythia-2.8b', 2_775_208_960],
  ['EleutherAI/pythia-6.9b', 6_857_302_016],
  ['EleutherAI/pythia-12b', 11_846_072_320],
  ['EleutherAI/gpt-neox-20b', 20_554_567_680],
  ['facebook/opt-125m', 125_239_296],
  ['facebook/opt-350m', 331_196_416],
  ['facebook/opt-1.3b', 1_315_758_080],
  ['facebook/opt-6.7b', 6_658_473_984],
]

describe('published parameter counts', () => {
  test.each(published)('%s has %d', (id, count) => {
    expect(footprintOf(id).parameterCount).toBe(count)
  })
})
