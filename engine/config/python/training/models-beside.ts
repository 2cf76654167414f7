/** What a trainer is given besides the model that it trains: other models, and what is not told from its call. */
import { wordSet } from '../../../base/word-list.ts'
import type { Field } from '../../text/section.ts'
import { argumentsClass } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { LibraryCall, Located, Value } from '../values/values.ts'
import { fieldOf, saidBy } from './fields.ts'
import { modelChain } from './model-chain.ts'
import { MODEL_PARAMETERS } from './model-loading.ts'

/** Arguments of trainers that hold no model, or one that is read elsewhere. */
const withoutModel = wordSet(`
  model ref_model reward_model reward_funcs reward_processing_classes value_model judge args processing_class tokenizer
  train_dataset eval_dataset data_collator compute_metrics callbacks peft_config formatting_func optimizers model_init
`)

/** A teacher, or another model beside the trained one, that a trainer of the script's own is given, or an object that it is given. */
export function modelsBeside(
  given: ReadonlyMap<string, Value>,
  trained: LibraryCall | undefined,
  file: Module,
  evaluator: Evaluator,
  fields: readonly Field[],
): readonly Field[] {
  const handed = [...given].flatMap(([name, value]) => (withoutModel.has(name) ? [] : [value]))
  const inside = handed.flatMap(value =>
    value.kind === 'instance' && value.call !== undefined
      ? [...evaluator.argumentsOf(value.call, value.site).values.values()]
      : [],
  )
  const loadsOf = (value: Value): readonly LibraryCall[] => {
    const { loaded } = modelChain(value, evaluator)
    return loaded?.kind === 'call' ? [loaded] : []
  }
  // Without adapters, a reference is read as the copy that it is. With them, TRL takes it for the model with its adapters disabled.
  const reference = given.get('ref_model')
  const references = (reference === undefined ? [] : loadsOf(reference)).filter(
    loaded => isOther(loaded, trained, evaluator) || (fields.some(adapts) && isLoadedApart(loaded, trained)),
  )
  const models = [...handed, ...inside].flatMap(loadsOf).filter(loaded => isLoadedApart(loaded, trained))
  return [...models, ...references]
    .slice(0, 1)
    .map(other =>
      saidBy(other, 'another model', { kind: 'text', text: 'model' }, file, 'Another model that is loaded here'),
    )
}

const MAX_FRAMES = 10

/** By another call, or by the same one of a function that is called twice. */
export function isLoadedApart(loaded: LibraryCall, trained: LibraryCall | undefined): boolean {
  if (loaded.from !== trained?.from || loaded.module !== trained.module) return true
  let [one, other] = [loaded.site.frame, trained.site.frame]
  for (let level = 0; level < MAX_FRAMES && (one ?? other) !== undefined; level++) {
    if (one?.call?.from !== other?.call?.from) return true
    ;[one, other] = [one?.site?.frame, other?.site?.frame]
  }
  return false
}

/** By their names. */
function isOther(loaded: LibraryCall, trained: LibraryCall | undefined, evaluator: Evaluator): boolean {
  const [name, other] = [loaded, trained].map(each => {
    if (each?.call === undefined) return undefined
    const { values } = evaluator.argumentsOf(each.call, each.site, [MODEL_PARAMETERS[0]])
    const given = MODEL_PARAMETERS.flatMap(parameter => values.get(parameter) ?? [])[0]
    return given?.kind === 'text' ? given.text : undefined
  })
  return name !== undefined && other !== undefined && name !== other
}

/** Of the script, or passed by its launcher. */
function adapts({ key, value }: Field): boolean {
  return key === 'use_peft' && value.kind !== 'empty' && !(value.kind === 'flag' && !value.flag)
}

/**
 * Arguments of the trainer that may hold what memory hangs on: a reference beside adapters that is not followed, and a config of TRL or
 * transformers under a name that no trainer takes (`config=GRPOConfig(…)`).
 */
export function handedOtherwise(
  given: ReadonlyMap<string, Value>,
  file: Module,
  evaluator: Evaluator,
  fields: readonly Field[],
): readonly Field[] {
  const hasAdapters = fields.some(adapts)
  return [...given].flatMap(([name, value]) => {
    const isReference = name === 'ref_model' && hasAdapters && isUnfollowed(value, evaluator)
    const isConfig = name !== 'args' && value.kind === 'call' && argumentsClass(value.name) !== undefined
    return isReference || isConfig ? [saidBy(value, name, { kind: 'text', text: name }, file)] : []
  })
}

/** What is unpacked into the trainer's call and not known, as evaluating the call names it: `"options" (line 3)`. */
export function unpackedInto(unknown: string | undefined, here: Located, file: Module): readonly Field[] {
  const unpacked = unknown?.replace(/ \(line \d+\)$/, '')
  return unpacked === undefined ? [] : [saidBy(here, unpacked, { kind: 'text', text: unpacked }, file)]
}

function isUnfollowed(value: Value, evaluator: Evaluator): boolean {
  return value.kind !== 'none' && modelChain(value, evaluator).loaded?.kind !== 'call'
}

/** Batch sizes that no config of transformers or TRL takes: a script that gives one is written for another trainer, or for none. */
export function foreignBatchSizes(args: Value | undefined, file: Module, evaluator: Evaluator): readonly Field[] {
  if (args?.kind !== 'call' || args.call === undefined) return []
  const { values } = evaluator.argumentsOf(args.call, args.site)
  return [...values].flatMap(([name, value]) =>
    /^(?:(?:mini|micro|train)_)?batch_size$/.test(name) ? [fieldOf(name, value, file)] : [],
  )
}
