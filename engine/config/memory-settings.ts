/**
 * Settings that change what a training holds in memory, and that nobody has read: quantisation, adapters, checkpointing, sharding,
 * lengths, precision. The same rule for every tool: what looks like one and was not asked for while the config was read is named,
 * and the verdict only warns.
 */
import { plain } from './quote.ts'
import type { UnreadSetting } from './reading.ts'
import type { Field, Section } from './section.ts'

/** Keys that look like memory settings in any tool. */
const looksLikeMemory =
  /quant|(?:^|_)(?:4|8|16)_?bit|(?:^|_)bits$|(?:^|_)bnb_|lora|peft|adapter|checkpointing|(?:gradient|grad|activation)_?(?:checkpoints?|ckpt)$|recompute|offload|shard|fsdp|deepspeed|zero|max_(?:\w{1,40}_)?len|seq(?:uence)?_len|context_len|cutoff_len|model_max_length|dtype|(?:^|_)(?:fp|bf)(?:8|16|32)|(?:^|_)(?:nf4|int4|int8|gptq|awq|hqq|amp)(?:$|_)|precision|liger|packing|attn_impl|flash|freeze|unfreeze|(?:vision|image|video|audio|speech)_(?:tower|encoder)$|galore|lomo|badam|reentrant|parallel|^teacher(?:_model\w*)?$/i

/** Of adapters, generation, data and logging: nothing that training holds in memory, or nothing of note. */
const withoutBearing = new RegExp(
  `^(?:${[
    // Adapters, beside their shape.
    ...[
      'lora_?alpha',
      'lora_?bias',
      'lora_task_type',
      'use_?rslora',
      'init_lora_weights',
      'loraplus_\\w+',
      'peft_type',
    ],
    ...[
      'lora_(?:model_dir|path|name|weights|scale|scaling|seed)',
      'lora_on_cpu',
      'adapter_name(?:_or_path)?',
      'lora_init\\w*',
    ],
    // What only names a type of computation or of storage, or a threshold.
    ...['llm_int8_\\w+', 'compute_dtype', 'fp16_opt_level'],
    ...['fp16_backend', 'half_precision_backend', '(?:fp|bf)16_full_eval', 'matmul_precision', 'float32_matmul\\w*'],
    ...['low_cpu_mem_usage', 'zero_grad\\w*', 'zero_division', 'zero_shot\\w*', 'fp16_scale\\w*', 'amp_opt_level'],
    // FSDP options besides its sharding strategy, and kernels that save little: if they are ignored, the estimate is
    // high.
    ...[
      'fsdp_(?:version|state_dict_type|auto_wrap_policy|transformer_layer_cls_to_wrap|min_num_params|backward_prefetch)',
    ],
    ...['fsdp_(?:forward_prefetch|limit_all_gathers|sync_module_states|cpu_ram_efficient_loading|use_orig_params)'],
    ...[
      'fsdp_backward_prefetch_policy',
      'custom_sharded_layers',
      'deepspeed_multinode_launcher',
      'final_state_dict_type',
    ],
    ...[
      'liger_\\w+',
      'lora_(?:qkv|o|mlp|embedding)_kernel',
      'flash_attn_(?:fuse|cross|rms)_\\w+',
      'pad_to_sequence_len',
    ],
    // Data, words and metrics.
    ...[
      'tokenizers_parallelism',
      '(?!mixed_)\\w*_precision',
      'parallel_mode',
      'dataparallel_\\w+',
      'torch_empty_cache_steps',
    ],
    ...['offload_folder', 'offload_state_dict', 'use_liger(?:_kernel)?', 'fsdp_config', 'dataset_num_proc'],
    ...['(?:eval|test|valid|val|validation|inference|predict|generation|gen|sample|serve|vllm|reward|logging)_\\w*'],
    ...[
      '(?:save|merge|push|hub|log|export|output|resume|wandb|do|is|report|min|display|print)_\\w*',
      // Adapters of an earlier run, which go on training, are where such a path leads.
      '(?!(?:\\w+_)?adapter_)\\w*_(?:path|dir|file|url|name)',
    ],
    ...[
      'max_(?:new_tokens|length_for_\\w+)',
      'max_(?:prompt|completion)_len(?:gth)?',
      'length_\\w+',
      'packing_strategy',
    ],
    ...['tensor_parallel_plan', 'parallel_method', 'fake_quant_after_n_steps', '\\w*use_rslora', '\\w*fan_in_fan_out'],
    ...['(?:dataset_)?shard(?:s|_num|_idx|_count|_index)', '\\w+_verbose', '\\w+_backend', 'gptq_disable_\\w+'],
    ...[
      'train_on_\\w+',
      'ddp_find_unused_parameters',
      'find_unused_parameters',
      '\\w*num_workers',
      '\\w*_rank_zero\\w*',
    ],
  ].join('|')})$`,
  'i',
)

/** Sections that are about something other than the training step. */
const foreignSection =
  /(?:^|\.)(?:(?:eval|evaluation|test|inference|generation|predict|serve|serving|logging|logger|wandb|vllm|callbacks?|metrics?|export|convert|environment|env|properties|definitions|\$defs)\w*)(?:\.|$)/i

/** How deep, and how many, sections are looked through; the most that are named. */
const LEVELS = 6
const MAX_SECTIONS = 500
export const MAX_NAMED = 10

/** Fields that look like memory settings and were not read since `document` was last marked as unread (`afresh`). */
export function unreadMemorySettings(document: Section, without?: RegExp): readonly Field[] {
  const found: Field[] = []
  const open: { readonly section: Section; readonly level: number }[] = [{ section: document, level: 0 }]
  for (let index = 0; index < open.length && index < MAX_SECTIONS && found.length < MAX_NAMED; index++) {
    const { section, level } = open[index]!
    for (const field of section.fields.values()) {
      const isNamed = !section.wasAsked(field.key) && namesMemory(field) && !without?.test(field.name)
      if (isNamed) found.push(field)
      if (isNamed || level === LEVELS || isDisabled(field.value)) continue
      for (const inner of sectionsIn(field))
        if (!foreignSection.test(inner.name)) open.push({ section: inner, level: level + 1 })
    }
  }
  return found.slice(0, MAX_NAMED)
}

/** What a file says of FSDP or DeepSpeed, for code that loads the file and was found to divide nothing. */
export function shardingSaid(document: Section): readonly Field[] {
  return document
    .nested(VARIANT_LEVELS)
    .filter(({ name }) => !foreignSection.test(name))
    .flatMap(({ fields }) => [...fields.values()])
    .filter(({ key, value }) => saysSharding(key, value) && !isOff(value))
    .slice(0, MAX_NAMED)
}

function saysSharding(key: string, value: Field['value']): boolean {
  if (/^(?:fsdp|deepspeed)(?:_config)?$|^(?:fsdp_)?sharding_strategy$|^zero_stage$/.test(key)) return true
  return value.kind === 'text' && choosesSharding.test(key) && /^(?:fsdp|deepspeed|zero)/i.test(value.text)
}

const choosesSharding = /^(?:framework|backend|strategy|distributed(?:_\w+)?|parallelism)$/

/** Whether the document lists several trainings, each with memory settings of its own: `experiments: [{ lora_rank: 8 }, …]`. */
export function listsVariants(document: Section): boolean {
  return document.nested(VARIANT_LEVELS).some(({ fields }) =>
    [...fields.values()].some(field => {
      const sections = field.value.kind === 'list' ? sectionsIn(field) : []
      return sections.length > 1 && sections.some(({ fields: own }) => [...own.keys()].some(isOfTraining))
    }),
  )
}

const VARIANT_LEVELS = 2

function isOfTraining(key: string): boolean {
  return soundsLikeMemory(key) || /batch_size$|^target_modules$|accum/.test(key)
}

const SHOWN_SETTINGS = 5

/** The sentence that names them in the report. */
export function unreadSentence(settings: readonly UnreadSetting[] = []): string | undefined {
  if (settings.length === 0) return undefined
  const shown = settings.slice(0, SHOWN_SETTINGS).map(({ name, at }) => `${plain(name)} (line ${at.line})`)
  const more = settings.length > SHOWN_SETTINGS ? ` and ${settings.length - SHOWN_SETTINGS} more` : ''
  return `Not understood, and so not counted, although it looks like a setting of memory: ${shown.join(', ')}${more}. The figures may be wrong because of it, and nothing blocks.`
}

/** Judges by the key's name alone. */
export function soundsLikeMemory(key: string): boolean {
  const name = key.replaceAll('-', '_')
  return looksLikeMemory.test(name) && !withoutBearing.test(name)
}

export function namesMemory({ key, value }: Field): boolean {
  const name = key.replaceAll('-', '_')
  return hidesMemory(name, value) || (soundsLikeMemory(key) && !isOff(value) && !isUsual(name, value))
}

/** Whether memory settings may stand behind a text that names another config or a way to train. */
function hidesMemory(name: string, value: Field['value']): boolean {
  if (value.kind !== 'text') return false
  return inherits.test(name) || (choosesMethod.test(name) && (savesMemory.test(value.text) || freezes.test(value.text)))
}

/** Another config that this one takes its values from, memory settings among them. */
const inherits = /^(?:extends|inherits?(?:_from)?|_base_|(?:base|parent)_config)$/
/** `train_type: custom_qlora` */
export const choosesMethod =
  /^(?:(?:train|training|finetun(?:e|ing)|fine_tun(?:e|ing)|tuning|tuner)_(?:type|method|mode|strategy)|fine_?tun(?:e|ing)|transfer_(?:type|mode))$/
/** `fine_tune: head_only` */
const freezes =
  /^(?:froz\w*|partial\w*|(?:linear|probe)[-_ ]?\w*|(?:head|classifier|top|last)[-_ ]?\w*|feature[-_ ]?extract\w*|bitfit)$/i
const savesMemory = /lora|dora|adapter|quant|[48]_?bit|freez/i

/** Keys for what FSDP does by default. */
function isUsual(name: string, value: Field['value']): boolean {
  if (/^(?:fsdp_)?sharding_strategy$/.test(name)) {
    return (
      (value.kind === 'text' && /^(?:FULL_SHARD|1)$/.test(value.text)) ||
      (value.kind === 'number' && value.number === 1)
    )
  }
  return /^(?:fsdp_)?reshard_after_forward$/.test(name) && value.kind === 'flag' && value.flag
}

function sectionsIn({ value }: Field): readonly Section[] {
  if (value.kind === 'mapping') return [value.section]
  if (value.kind !== 'list') return []
  return value.items.flatMap(item => (item.kind === 'mapping' ? [item.section] : []))
}

/** Values that turn a feature off: `false`, `none`, 0, a parallel size of one, or a disabled mapping. */
function isOff(value: Field['value']): boolean {
  switch (value.kind) {
    case 'empty':
      return true
    case 'flag':
      return !value.flag
    case 'number':
      return value.number <= 1
    case 'text':
      return /^(?:|none|no|null|false|off|disabled?|auto|0|1)$/i.test(value.text.trim())
    case 'list':
      return value.items.length === 0
    case 'mapping':
      return isDisabled(value) || [...value.section.fields.values()].every(field => isOff(field.value))
    case 'open':
      return false
  }
}

/** A mapping that is disabled by its own key. */
function isDisabled(value: Field['value']): boolean {
  if (value.kind !== 'mapping') return false
  return ['enabled', 'enable', 'use', 'active'].some(key => {
    const said = value.section.fields.get(key)?.value
    return said?.kind === 'flag' && !said.flag
  })
}
