/** What Unsloth's `from_pretrained` loads where its arguments do not say it. Source: unsloth 2025 models/. */
import { typeOfGpu } from '../../dialects/huggingface/declared.ts'
import type { Field } from '../../text/section.ts'
import type { Module } from '../syntax/module.ts'
import type { LibraryCall, Value } from '../values/values.ts'
import { fieldOf, saidBy } from './fields.ts'

/**
 * unsloth 2025 models/loader.py: 4-bit weights unless told otherwise, and the type that the GPU computes in; models/llama.py and
 * vision.py: block constants of 4-bit weights are quantised too.
 */
export function unslothFields(loaded: LibraryCall, values: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const isFull = values.get('full_finetuning')
  const eight = values.get('load_in_8bit')
  const isFour =
    values.get('load_in_4bit') === undefined &&
    !(isFull?.kind === 'flag' && isFull.flag) &&
    !(eight?.kind === 'flag' && eight.flag)
  const byDefault = { ...loaded, remarks: ["4-bit weights, Unsloth's default: load_in_4bit is not set."] }
  const length = values.get('max_seq_length')
  const dtype = values.get('dtype')
  const at = 'FastLanguageModel.from_pretrained'
  return [
    ...(isFour ? [saidBy(byDefault, 'load_in_4bit', { kind: 'flag', flag: true }, file, at)] : []),
    ...(values.has('quantization_config')
      ? []
      : [saidBy(loaded, 'bnb_4bit_use_double_quant', { kind: 'flag', flag: true }, file, at)]),
    length === undefined
      ? saidBy(
          { ...loaded, remarks: ["Sequences of 2048 tokens, Unsloth's default."] },
          'max_seq_length',
          { kind: 'number', number: 2_048 },
          file,
          at,
        )
      : fieldOf('max_seq_length', length, file),
    ...(dtype === undefined || dtype.kind === 'none'
      ? [saidBy(loaded, 'torch_dtype', { kind: 'text', text: typeOfGpu }, file, at)]
      : []),
  ]
}

/** What its loaders take by default, and `get_peft_model` decides anew. */
export function isUnslothDefault({ key, value }: Field): boolean {
  return key === 'use_gradient_checkpointing' && value.kind === 'text' && value.text === 'unsloth'
}

/** unsloth 2025 models/loader_utils.py get_model_name: of its own copies in 4 bits it then loads the model that they are of. */
export function inFullPrecision(model: Value | undefined): Value | undefined {
  if (model?.kind !== 'text') return model
  return { ...model, text: model.text.replace(/^(unsloth\/.+?)(?:-unsloth)?-bnb-4bit$/i, '$1') }
}
