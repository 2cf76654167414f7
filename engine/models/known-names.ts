/**
 * Recognises a well-known model in a name: `acme/Llama-3.2-1B-support-bot` is most likely Llama 3.2 1B. Mirrors,
 * quantised copies and fine-tunes keep the shape; the caller must state the assumption.
 */
import { wordSet } from '../base/word-list.ts'
import { type CatalogueModel, findModel, modelIds } from './catalogue.ts'
import { unsupportedModels } from './unsupported-models.ts'

export type NamedModel =
  | { readonly kind: 'model'; readonly model: CatalogueModel }
  | { readonly kind: 'unsupported'; readonly architecture: string }

/** Names in use that no id spells. */
const nicknames: Readonly<Record<string, string>> = {
  'llama-7b': 'huggyllama/llama-7b',
  'llama-13b': 'huggyllama/llama-13b',
  'mistral-7b': 'mistralai/Mistral-7B-v0.1',
  // Mistral's later models of 24 B were made from Small 3 and keep its decoder.
  'cogito-v1-preview-llama-3b': 'meta-llama/Llama-3.2-3B',
  'cogito-v1-preview-qwen-14b': 'Qwen/Qwen2.5-14B',
  'deepseek-r1-qwen-1.5b': 'deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B',
  'deepseek-r1-qwen-7b': 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B',
  'deepseekr1-qwen-7b': 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B',
  'biomistral-7b': 'mistralai/Mistral-7B-v0.1',
  'openr1-qwen-7b': 'Qwen/Qwen2.5-Math-7B',
  'deepcoder-14b': 'deepseek-ai/DeepSeek-R1-Distill-Qwen-14B',
  'taiwan-llm-7b': 'meta-llama/Llama-2-7b-hf',
  'vigogne-2-7b': 'meta-llama/Llama-2-7b-hf',
  'tulu-2-7b': 'meta-llama/Llama-2-7b-hf',
  'zephyr-7b': 'HuggingFaceH4/zephyr-7b-beta',
  'zephyr-7b-gemma': 'google/gemma-7b',
  'magistral-small': 'mistralai/Mistral-Small-24B-Base-2501',
  'devstral-small': 'mistralai/Mistral-Small-24B-Base-2501',
  'mistral-nemo': 'mistralai/Mistral-Nemo-Base-2407',
  'mistral-nemo-12b': 'mistralai/Mistral-Nemo-Base-2407',
  'phi-4-14b': 'microsoft/phi-4',
  'phi-1.5': 'microsoft/phi-1_5',
  'tinyllama-1.1b': 'TinyLlama/TinyLlama_v1.1',
  tinyllama: 'TinyLlama/TinyLlama_v1.1',
  'nemotron-3-nano-30b': 'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
}

/** Words for fine-tuning and storage, which do not change the shape. */
const decorations = wordSet(
  'instruct chat it pt hf meta bnb unsloth gptq awq gguf fp8 fp16 bf16 int4 int8 4bit 8bit dynamic quantized',
)

/** Words for models with added or removed parts, whose shape differs from the name's model. */
const reshaped = wordSet(
  'vl vlm vision llava blip instructblip flamingo minigpt cogvlm vila moe multimodal omni audio speech tts asr video detr rcnn pruned depth width draft eagle medusa speculator merge fasterrcnn maskrcnn keypointrcnn retinanet fcos fpn fcn deeplab deeplabv deeplabv3plus unet wide rtdetr dfine ssd yolo segformer upernet pspnet maskformer mask2former oneformer',
)

/** Between a family's name and the size, words of models with other layers or another head. */
const otherDesigns = wordSet('mamba rwkv recurrent hybrid linear next embedding embeddings reranker voice')

/** Languages: encoders and GPT-2s of one were trained from scratch with a vocabulary of its own. */
const languages = wordSet(
  'chinese zh japanese ja korean ko german french spanish italian portuguese dutch russian ukrainian polish czech greek turkish arabic persian hebrew hindi bengali thai vietnamese indonesian swedish norwegian danish finnish multilingual',
)

/** Words for a repository that holds adapters for the model in its name, and not its weights. */
const adapterWords = wordSet('lora qlora dora adapter adapters')
const saysMerged = /merged|fused/i

interface Known {
  readonly words: readonly string[]
  readonly id: string
  /** Absent for a model that is supported. */
  readonly architecture?: string
}

/** By their first word, since a name that lacks it holds none of the rest. */
let known: ReadonlyMap<string, readonly Known[]> | undefined

/** Undefined when the name holds no well-known model, or more than one. */
export function modelInName(name: string): NamedModel | undefined {
  const words = wordsOf(name)
  known ??= Map.groupBy(knownNames(), candidate => candidate.words[0] ?? '')
  const candidates = [...new Set(words)].flatMap(word => known?.get(word) ?? [])
  const whole = candidates.flatMap(candidate => {
    const start = indexOfRun(words, candidate.words)
    const end = start + candidate.words.length
    return start < 0 || isCutShort(name, words, end) ? [] : [{ candidate, start, end }]
  })
  const matches = whole.length > 0 ? whole : candidates.flatMap(candidate => spread(name, words, candidate))
  const widest = matches.filter(
    match => !matches.some(other => isWider(other, match) && other.start <= match.start && other.end >= match.end),
  )
  const [only, ...others] = widest
  if (only === undefined || others.length > 0) return undefined
  const { id, architecture } = only.candidate
  const around = [...words.slice(0, only.start), ...words.slice(only.end)]
  if (around.some(word => adapterWords.has(word)) && !saysMerged.test(name)) return undefined
  // What reasons like R1 was made from Qwen2.5 or later.
  if (architecture === 'qwen' && around.some(word => word.endsWith('r1'))) return undefined
  if (architecture !== undefined) return { kind: 'unsupported', architecture }
  // SmolVLM-256M is not the model that is called SmolVLM, and llama-3-70b-distilled-8b may be of either size.
  const isOtherSize = around.some(word => isSize(word) && !only.candidate.words.includes(word))
  const model = isOtherSize || around.some(word => reshaped.has(word)) ? undefined : findModel(id)
  if (model === undefined || (isOfItsLanguage(model) && around.some(word => languages.has(word)))) return undefined
  return { kind: 'model', model }
}

function isOfItsLanguage({ family, tasks }: CatalogueModel): boolean {
  return family === 'gpt2' || tasks.includes('masked-lm')
}

interface Match {
  readonly candidate: Known
  readonly start: number
  readonly end: number
}

const MAX_BETWEEN = 3

/** `Llama-3-ELYZA-JP-8B`: a family and its version, words of whoever tuned it, and the size. */
function spread(name: string, words: readonly string[], candidate: Known): readonly Match[] {
  const head = candidate.words.slice(0, -1)
  const size = candidate.words.at(-1) ?? ''
  if (head.length < 2 || !head.some(word => /^\d/.test(word)) || !isSize(size)) return []
  const start = indexOfRun(words, head)
  const from = start + head.length
  const end = words.indexOf(size, from)
  if (start < 0 || end < 0 || end - from > MAX_BETWEEN || isCutShort(name, words, from)) return []
  const isOther = words.slice(from, end).some(word => reshaped.has(word) || otherDesigns.has(word))
  return isOther || words.filter(isSize).length > 1 ? [] : [{ candidate, start, end: end + 1 }]
}

/** One per distinct run of words; where ids share it, the first. */
function knownNames(): readonly Known[] {
  const unsupported = Object.entries(unsupportedModels).flatMap(([architecture, ids]) =>
    ids.map(id => ({ words: wordsOf(id), id, architecture })),
  )
  const named = Object.entries(nicknames).map(([nickname, id]) => ({ words: wordsOf(nickname), id }))
  const catalogued = modelIds.map(id => ({ words: wordsOf(id), id }))
  const byWords = new Map<string, Known>()
  for (const candidate of [...named, ...unsupported, ...catalogued]) {
    const key = candidate.words.join(' ')
    if (!byWords.has(key)) byWords.set(key, candidate)
  }
  return [...byWords.values()]
}

/** `unsloth/Llama3.2-1B-Instruct-bnb-4bit` → llama, 3.2, 1b. */
function wordsOf(name: string): readonly string[] {
  return writtenWords(name)
    .filter(word => word !== '' && !decorations.has(word))
    .flatMap(word => /^([a-z]{3,})(\d[\d.]*b?)$/.exec(word)?.slice(1) ?? [word])
}

function writtenWords(name: string): readonly string[] {
  return lastFolder(name.toLowerCase()).split(/[-_ ]+/)
}

/** Whether a version follows without a dash: `starcoder2-nano` is no `starcoder`. */
function isCutShort(name: string, words: readonly string[], end: number): boolean {
  return writtenWords(name).includes(`${words[end - 1]}${words[end]}`)
}

/**
 * Folders for one of the states of a training, which a folder around them names: `runs/qwen3-4b-sft/checkpoint-700`,
 * `qwen3-4b-sft/global_step_40/actor/huggingface`, `qwen3-4b-sft/outputs/iter0-ckpt`.
 */
const ofState =
  /^(?:(?:global_?)?(?:checkpoint|ckpt|epoch|step)[-_]?\d+|(?:checkpoint[-_])?(?:final|last|best)|merged?(?:[-_]model)?|iter(?:ation)?[-_]?\d+(?:[-_]ckpt)?|(?:new_)?outputs?|actor|huggingface|hf(?:_model)?)$/

/** Where Kaggle mounts a model (kagglehub 1.0): `/kaggle/input/qwen2.5/transformers/7b-instruct/1`, since 2026 below its owner. */
const onKaggle = /^\/?kaggle\/input\/(?:models\/[^/]+\/)?([^/]+)\/[^/]+\/([^/]+)\/\d+\/?$/

/** Of an id or of a path, either system's, the last that may name a model. ModelScope writes `___` for the dots of an id. */
function lastFolder(name: string): string {
  const [, model = '', variation = ''] = onKaggle.exec(name) ?? []
  if (model !== '') return variation.startsWith(model) ? variation : `${model}-${variation}`
  const parts = name
    .replaceAll('___', '.')
    .split(/[/\\]/)
    .filter(part => part !== '')
  return parts.findLast(part => !ofState.test(part)) ?? parts.at(-1) ?? ''
}

/** A number of parameters: `7b`, `8x7b`, `256m`. */
function isSize(word: string): boolean {
  return /^(?:\d+x)?\d+(?:[.p]\d+)?[bm]$/.test(word)
}

function indexOfRun(words: readonly string[], run: readonly string[]): number {
  return words.findIndex((_, start) => run.every((word, offset) => words[start + offset] === word))
}

function isWider(a: { start: number; end: number }, b: { start: number; end: number }): boolean {
  return a.end - a.start > b.end - b.start
}
