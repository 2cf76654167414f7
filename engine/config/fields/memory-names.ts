/**
 * Names of keys that are memory settings in some tool: quantisation, adapters, checkpointing, sharding, lengths, precision. What they
 * say of a key that nobody has read holds for every tool.
 */
import { wordList } from '../../base/word-list.ts'

/** Judges by the key's name alone. */
export function soundsLikeMemory(key: string): boolean {
  if (key.length > LONGEST_KEY) return false
  const name = withUnderscores(key)
  return looksLikeMemory.test(name) && !withoutBearing.test(name)
}

/** No setting has a longer name, and the patterns below take time with its square. */
const LONGEST_KEY = 200

export function withUnderscores(key: string): string {
  return key.replaceAll('-', '_')
}

/** Another config that this one takes its values from, memory settings among them. */
export const inherits = /^(?:extends|inherits?(?:_from)?|_base_?|(?:base|parent)_config)$/

/** `train_type: custom_qlora` */
export const choosesMethod =
  /^(?:(?:train|training|finetun(?:e|ing)|fine_tun(?:e|ing)|tuning|tuner)_(?:type|method|mode|strategy)|fine_?tun(?:e|ing)|transfer_(?:type|mode))$/

/** Names of methods in which more is held than a model and its loss. */
export const choosesObjective = /^(?:(?:train|training|rl|run|finetuning)_)?(?:stage|method|algo|algorithm|objective)$/
export const holdsMore =
  /(?:^|[-_ ])(?:grpo|gspo|ppo|rlhf|rlaif|rloo|reinforce|dpo|ipo|orpo|simpo|kto|gkd|distill|distillation)(?:$|[-_ ])/i

/** A loss over several texts of a sample, each of which goes through the model. */
export const choosesLoss = /(?:^|_)(?:loss|criterion)(?:_(?:fn|type|name|function))?$/
export const pairsTexts =
  /triplet|contrastive|siamese|info_?nce|cos(?:ine)?_?(?:embedding|sim)|mnrl|multiple_?negatives/i

const looksLikeMemory =
  /quant|(?:^|_)(?:4|8|16)_?bit|(?:^|_)bits$|(?:^|_)bnb_|lora|peft|adapter|^target_modules$|checkpointing|(?:gradient|grad|activation)_?(?:checkpoints?|ckpt)$|recompute|offload|shard|fsdp|deepspeed|zero|max_(?:\w{1,40}_)?len|seq(?:uence)?_len|context_len|cutoff_len|model_max_length|dtype|(?:^|_)(?:fp|bf)(?:8|16|32)|(?:^|_)(?:nf4|int4|int8|gptq|awq|hqq|amp)(?:$|_)|precision|liger|packing|attn_impl|flash|freeze|unfreeze|(?:vision|image|video|audio|speech)_(?:tower|encoder)$|galore|lomo|badam|reentrant|parallel|(?:^|_)(?:torch_?)?compiled?(?:_model|_backend|_mode)?$|dynamo_backend|^(?:auto_find_batch_size|split_batches)$|upcast|^shift_attn$|^tiled_mlp$|chunked_cross_entropy$|^vocab(?:ulary)?_size$|^num_hidden_layers$|^layers_to_transform$|^layer_replication$|^rank$|^(?:rank|layers)_pattern$|(?:scatter|sonic)moe|^experts_impl|onebit|^max_memory$|^gpu_memory_limit$|^unsloth_cross_entropy_loss$|^teacher(?:_model\w*)?$/i

/** Of adapters, generation, data and logging: nothing that training holds in memory, or nothing of note. Patterns of whole names. */
const namesWithoutBearing = [
  // Adapters, beside their shape.
  'lora_?alpha lora_?bias lora_task_type use_?rslora init_lora_weights loraplus_\\w+ peft_type \\w*use_rslora \\w*fan_in_fan_out',
  'lora_(?:model_dir|path|name|weights|scale|scaling|seed) lora_on_cpu adapter_name(?:_or_path)? lora_init\\w*',
  // What only names a type of computation or of storage, or a threshold.
  'llm_int8_\\w+ compute_dtype fp16_opt_level fp16_backend half_precision_backend (?:fp|bf)16_full_eval fp16_scale\\w* amp_opt_level',
  'matmul_precision float32_matmul\\w* low_cpu_mem_usage zero_grad\\w* zero_division zero_shot\\w* fake_quant_after_n_steps',
  'gptq_disable_\\w+',
  // FSDP options besides its sharding strategy, and kernels that save little: if they are ignored, the estimate is high.
  'fsdp_(?:version|state_dict_type|auto_wrap_policy|transformer_layer_cls_to_wrap|min_num_params|backward_prefetch)',
  'fsdp_(?:forward_prefetch|limit_all_gathers|sync_module_states|cpu_ram_efficient_loading|use_orig_params)',
  'fsdp_backward_prefetch_policy fsdp_config custom_sharded_layers final_state_dict_type deepspeed_multinode_launcher',
  '(?!liger_cross_entropy)liger_\\w+ use_liger(?:_kernel)? lora_(?:qkv|o|mlp|embedding)_kernel flash_attn_(?:fuse|cross|rms)_\\w+ pad_to_sequence_len',
  'torch_empty_cache_steps offload_folder offload_state_dict',
  // How processes share work.
  'tokenizers_parallelism parallel_mode parallel_method dataparallel_\\w+ tensor_parallel_plan (?!\\w*(?:compile|dynamo)_)\\w+_backend \\w*_rank_zero\\w*',
  'ddp_find_unused_parameters find_unused_parameters \\w*num_workers dataset_num_proc (?:dataset_)?shard(?:s|_num|_idx|_count|_index)',
  // Data, lengths of what is generated, metrics, files and words.
  '(?!(?:mixed|half|amp|compute|model|training|weights?|params?|b?f(?:p|loat)?(?:8|16|32))_)\\w*_precision length_\\w+ packing_strategy train_on_\\w+ \\w+_verbose',
  'max_(?:new_tokens|length_for_\\w+) max_(?:prompt|completion)_len(?:gth)?',
  '(?:eval|test|valid|val|validation|inference|predict|generation|gen|sample|serve|vllm|reward|logging)_\\w*',
  '(?:save|merge|push|hub|log|export|output|resume|wandb|do|is|report|min|display|print)_\\w*',
  // Adapters of an earlier run, which go on training, and teachers are where such a path leads.
  '(?!(?:\\w+_)?adapter_|teacher_model)\\w*_(?:path|dir|file|url|name)',
]

const withoutBearing = new RegExp(`^(?:${namesWithoutBearing.flatMap(wordList).join('|')})$`, 'i')
