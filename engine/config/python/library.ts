/** The classes and functions of the libraries that scripts train with. */
import { wordSet } from '../../base/word-list.ts'
import type { DeclaredTrainer } from '../dialects/huggingface/declared.ts'

/** A name as the library has it, however it was imported. */
export interface LibraryName {
  readonly library: string
  readonly name: string
}

/** `transformers.trainer.Trainer` → transformers, Trainer. */
export function libraryName(dotted: string): LibraryName {
  const parts = dotted.split('.')
  return { library: parts[0] ?? '', name: parts.at(-1) ?? '' }
}

const trainers: ReadonlyMap<string, DeclaredTrainer> = new Map<string, DeclaredTrainer>([
  ['Trainer', 'trainer'],
  ['Seq2SeqTrainer', 'trainer'],
  ['SentenceTransformerTrainer', 'trainer'],
  ['CrossEncoderTrainer', 'trainer'],
  ['SFTTrainer', 'sft'],
  ['UnslothTrainer', 'sft'],
  ['DPOTrainer', 'dpo'],
  ['ORPOTrainer', 'orpo'],
  ['CPOTrainer', 'cpo'],
  ['KTOTrainer', 'kto'],
  ['RewardTrainer', 'reward'],
  ['GRPOTrainer', 'grpo'],
  ['RLOOTrainer', 'rloo'],
  ...['PPOTrainer', 'PPOv2Trainer', 'OnlineDPOTrainer', 'XPOTrainer', 'NashMDTrainer', 'GKDTrainer', 'BCOTrainer'].map(
    name => [name, 'generation'] as const,
  ),
])
const trainerLibraries = new Set(['transformers', 'trl', 'unsloth', 'sentence_transformers'])

export function trainerOf(dotted: string): DeclaredTrainer | undefined {
  const { library, name } = libraryName(dotted)
  return trainerLibraries.has(library) ? trainers.get(name) : undefined
}

/** Their first parameters, for calls that give them without names. */
export function trainerParameters(trainer: DeclaredTrainer): readonly string[] {
  if (trainer === 'dpo' || trainer === 'kto') return ['model', 'ref_model', 'args']
  if (trainer === 'grpo' || trainer === 'rloo') return ['model', 'reward_funcs', 'args']
  return ['model', 'args']
}

/** Whose arguments a class holds: those of TRL have defaults of their own. */
export function argumentsClass(dotted: string): 'transformers' | 'trl' | undefined {
  const { library, name } = libraryName(dotted)
  if (/^(?:Seq2Seq|SentenceTransformer|CrossEncoder)?TrainingArguments$/.test(name) && trainerLibraries.has(library))
    return 'transformers'
  if (name === 'UnslothTrainingArguments') return 'transformers'
  return library === 'trl' &&
    /^(?:SFT|DPO|ORPO|CPO|KTO|Reward|GRPO|RLOO|PPO|PPOv2|OnlineDPO|XPO|NashMD|GKD|BCO)Config$/.test(name)
    ? 'trl'
    : undefined
}

/** TRL's arguments of a model: its name, adapters and quantisation. */
export function isModelConfig(dotted: string): boolean {
  const { library, name } = libraryName(dotted)
  return library === 'trl' && name === 'ModelConfig'
}

/** Model classes of transformers, by what stands before `.from_pretrained`. */
export function isModelClass(dotted: string): boolean {
  const { library, name } = libraryName(dotted)
  if (library === 'unsloth') return /^Fast\w*Model$/.test(name)
  // ModelScope's package exports transformers' classes, which look models up in its own hub.
  if (!/^(?:transformers|trl|modelscope)$/.test(library)) return false
  return (
    /^AutoModel|For[A-Z]\w|(?:LMHead|Encoder|Decoder)?Model$/.test(name) &&
    !/^Peft|Tokenizer|Processor|Config/.test(name)
  )
}

/** `BertForSequenceClassification` → what it is trained for, as the Hub's pipelines name it; undefined where the model decides. */
export function taskOfClass(dotted: string): string | undefined {
  const { name } = libraryName(dotted)
  if (/LMHeadModel$/.test(name)) return 'causal-lm'
  const [, head] = /For([A-Z]\w*)/.exec(name) ?? []
  if (
    head === undefined ||
    /^(?:ConditionalGeneration|VisionText2Text|ImageTextToText|PreTraining|Vision2Seq)$/.test(head)
  )
    return undefined
  const task = head.replace(/([a-z0-9])(?=[A-Z])/g, '$1-').toLowerCase()
  return task.replace(/^causal-lm.*/, 'causal-lm').replace(/^(?:seq2-seq-lm|speech-seq2-seq)$/, 'seq2seq-lm')
}

const optimizers: ReadonlyMap<string, string> = new Map([
  ['torch.AdamW', 'adamw_torch'],
  ['transformers.AdamW', 'adamw_hf'],
  ['transformers.Adafactor', 'adafactor'],
  ['torch.SGD', 'sgd'],
  ['bitsandbytes.AdamW8bit', 'adamw_8bit'],
  ['bitsandbytes.Adam8bit', 'adamw_8bit'],
  ['bitsandbytes.PagedAdamW8bit', 'paged_adamw_8bit'],
  ['bitsandbytes.PagedAdamW', 'paged_adamw'],
  ['bitsandbytes.PagedAdamW32bit', 'paged_adamw_32bit'],
])

/** As `optim` names it. */
export function optimizerOf(dotted: string): string | undefined {
  const { library, name } = libraryName(dotted)
  return optimizers.get(`${library}.${name}`)
}

/** Parameters without bearing on memory, by the class or function. Everything else is named where it is not read. */
export const harmless = {
  lora: wordSet(`
    r lora_alpha lora_dropout target_modules modules_to_save use_dora task_type inference_mode init_lora_weights use_rslora
    fan_in_fan_out base_model_name_or_path revision peft_type random_state lora_bias bias use_gradient_checkpointing
    loftq_config max_seq_length model auto_mapping 0
  `),
  quantization: wordSet(`
    load_in_4bit load_in_8bit bnb_4bit_quant_type bnb_4bit_use_double_quant bnb_4bit_compute_dtype bnb_4bit_quant_storage
    llm_int8_threshold llm_int8_enable_fp32_cpu_offload
  `),
}
