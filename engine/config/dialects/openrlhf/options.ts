/** The options of OpenRLHF's commands, by their names since 0.10.2 (`--train.micro_batch_size`) and before (`--micro_train_batch_size`). */
import type { Field, Section } from '../../text/section.ts'

/** The key under which a launch says which command it runs: `train_sft`. */
export const COMMAND = 'openrlhf_command'

const newer = {
  pretrain: ['model', 'model_name_or_path'],
  ref_pretrain: ['ref', 'model_name_or_path'],
  ref_offload: ['ref', 'offload'],
  micro_train_batch_size: ['train', 'micro_batch_size'],
  train_batch_size: ['train', 'batch_size'],
  max_len: ['data', 'max_len'],
  gradient_checkpointing: ['model', 'gradient_checkpointing_enable'],
  gradient_checkpointing_use_reentrant: ['model', 'gradient_checkpointing_reentrant'],
  aux_loss_coef: ['model', 'aux_loss_coef'],
  zero_stage: ['ds', 'zero_stage'],
  param_dtype: ['ds', 'param_dtype'],
  zpg: ['ds', 'zpg'],
  adam_offload: ['ds', 'adam_offload'],
  attn_implementation: ['ds', 'attn_implementation'],
  experts_implementation: ['ds', 'experts_implementation'],
  use_liger_kernel: ['ds', 'use_liger_kernel'],
  grad_accum_dtype: ['ds', 'grad_accum_dtype'],
  overlap_comm: ['ds', 'overlap_comm'],
  deepcompile: ['ds', 'deepcompile'],
  ds_tensor_parallel_size: ['ds', 'tensor_parallel_size'],
  ring_attn_size: ['ds', 'ring_attn_size'],
  packing_samples: ['ds', 'packing_samples'],
  load_in_4bit: ['ds', 'load_in_4bit'],
  lora_rank: ['ds', 'lora', 'rank'],
  lora_dropout: ['ds', 'lora', 'dropout'],
  target_modules: ['ds', 'lora', 'target_modules'],
} as const satisfies Readonly<Record<string, readonly [string, string, ...string[]]>>

export type Option = keyof typeof newer

export function optionIn(document: Section, name: Option): Field | undefined {
  const path: readonly [string, ...string[]] = newer[name]
  return document.at(...path) ?? document.at(name)
}

/** Sections and key as they are written, where the command has the newer names. */
export function placeOf(name: Option, isNewer: boolean): { readonly at: readonly string[]; readonly key: string } {
  const path: readonly string[] = isNewer ? newer[name] : [name]
  return { at: path.slice(0, -1), key: path.at(-1) ?? name }
}

/** Whether the command has the names that 0.10.2 brought. */
export function hasNewerNames(document: Section): boolean {
  return ['model', 'data', 'train', 'ds'].some(section => document.at(section)?.value.kind === 'mapping')
}
