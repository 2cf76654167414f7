/** What a script asks of transformers' and TRL's own classes of arguments: `torch.bfloat16 if training_args.bf16 else None`. */

import { argumentsClass, isModelConfig } from '../library.ts'
import type { Evaluator } from './evaluator.ts'
import { open } from './sites.ts'
import type { Instance, LibraryCall, Value } from './values.ts'

/** Undefined for other objects, and for what only the library's release says. */
export function ofArguments(object: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  const of = argumentsClass(object.name)
  if (of === undefined) return ofModelConfig(object, name, evaluator)
  return (
    given(object, name, evaluator) ??
    unaskedTraining(object, name, evaluator) ??
    (of === 'transformers' ? byDefault(object, name) : madeByTrl(object, name, evaluator))
  )
}

/** By the call, or by the command line that was parsed into it. */
function given(object: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  if (object.call === undefined) return object.set?.get(name) ?? evaluator.passed.get(name)
  const { values, unknown } = evaluator.argumentsOfMade(object)
  const written = values.get(name)
  if (written !== undefined || unknown === undefined) return written
  return open(object.site, object, `what is unpacked from ${unknown} may set ${name}`)
}

const switchedOffByTrl: ReadonlySet<string> = new Set(['use_peft', 'use_dora', 'load_in_4bit', 'load_in_8bit'])
const unsetByTrl: ReadonlySet<string> = new Set([
  'attn_implementation',
  'torch_dtype',
  'lora_target_modules',
  'lora_modules_to_save',
])

/** TRL 1.13 trainer/model_config.py. */
function ofModelConfig(object: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  if (!isModelConfig(object.name)) return undefined
  const written = given(object, name, evaluator)
  if (object.call === undefined && !isToldWhole(evaluator)) return written
  const { module, from, to } = object
  // Called torch_dtype before 0.23, it was unset, for which transformers 4 took float32 too.
  if (written === undefined && name === 'dtype')
    return {
      module,
      from,
      to,
      kind: 'text',
      text: 'float32',
      remarks: ["Weights in float32, the default of TRL's ModelConfig."],
    }
  if (written === undefined && unsetByTrl.has(name)) return { module, from, to, kind: 'none', remarks: [] }
  if (written !== undefined || !switchedOffByTrl.has(name)) return written
  return { module, from, to, kind: 'flag', flag: false, remarks: [] }
}

/** The example scripts' own switch, off unless the command line says otherwise (transformers 5.18 training_args.py do_train). */
function unaskedTraining(object: LibraryCall | Instance, name: string, evaluator: Evaluator): Value | undefined {
  const isParsed = object.kind === 'call' ? object.call === undefined : object.isParsed
  if (name !== 'do_train' || !isParsed || !isToldWhole(evaluator)) return undefined
  const { module, from, to } = object
  return { module, from, to, kind: 'flag', flag: false, remarks: [] }
}

/** Whether a launcher starts the script with everything on the command line, none of it in a file. */
function isToldWhole({ passed }: Evaluator): boolean {
  const names = [...passed.names]
  return names.length > 0 && !names.some(each => each === 'config' || /\.(?:json|ya?ml)$/.test(each))
}

/** transformers 5.18 training_args.py. */
const switchedOff: ReadonlySet<string> = new Set(['bf16', 'fp16', 'gradient_checkpointing'])

/** Of a class of the repository's own that inherits from transformers' arguments. */
export function inheritedDefault(object: Instance, name: string, evaluator: Evaluator): Value | undefined {
  const base = evaluator.classes.libraryBase(object.scope)
  if (base === undefined || argumentsClass(base) === undefined) return undefined
  return (
    unaskedTraining(object, name, evaluator) ??
    (argumentsClass(base) === 'transformers' ? byDefault(object, name) : undefined)
  )
}

function byDefault(object: LibraryCall | Instance, name: string): Value | undefined {
  if (!switchedOff.has(name)) return undefined
  const remark = `${name} is off, as by default: the command line may switch it on.`
  const { module, from, to, call } = object
  return { module, from, to, kind: 'flag', flag: false, remarks: call === undefined ? [remark] : [] }
}

/** TRL 1.13 trainer/base_config.py: bf16 is on unless fp16 is, since 0.19 where neither is written. */
function madeByTrl(object: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  if (name !== 'bf16' && name !== 'fp16') return undefined
  const other = given(object, name === 'bf16' ? 'fp16' : 'bf16', evaluator)
  return other?.kind === 'flag' && other.flag ? { ...other, flag: false } : undefined
}
