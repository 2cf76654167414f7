/** Follows the model of a trainer back to the call that loaded it, with everything done to it in between. */

import { isModelClass, libraryName } from '../library.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { LibraryCall, Located, Value } from '../values/values.ts'
import { isSentenceModel } from './sentence-transformers.ts'
import { isVisionModel } from './vision-models.ts'

export interface ModelChain {
  /** The call that loaded it, or its name where the trainer loads it by that. */
  readonly loaded: LibraryCall | (Value & { readonly kind: 'text' }) | undefined
  /** Where it is neither. */
  readonly unknown: Value | undefined
  readonly peftConfig: Value | undefined
  /** Unsloth's `get_peft_model`. */
  readonly unslothAdapter: LibraryCall | undefined
  /** Adapters of an earlier run. */
  readonly trainedAdapter: LibraryCall | undefined
  /** `prepare_model_for_kbit_training` */
  readonly prepared: LibraryCall | undefined
  /** The trainer that prepares it so itself. */
  readonly castBack?: Located
  readonly cast: Cast | undefined
  /** What the reader must know of how it was found, one sentence each. */
  readonly remarks: readonly string[]
}

/** `.half()` and its kin, which cast the weights. */
export interface Cast {
  readonly by: LibraryCall
  /** Undefined where that is not told: by what runs, or because adapters are cast with the weights. */
  readonly to: 'float16' | 'bfloat16' | 'float32' | undefined
}

const MAX_LINKS = 12

/** Adapters become part of the weights that they are for. */
const merges = /\.merge_and_unload$/
/** What is merged afterwards; AutoPeftModel loads its weights by what a folder says. */
const putsOn = /(?:^|\.)(?:PeftModel\w*\.from_pretrained|get_peft_model)$/

/** Methods that give the same model. */
const passesOn = /\.(?:to|cuda|train|eval|to_bettertransformer|requires_grad_|float|half|bfloat16)$/
/** Functions that give the model that is their first argument, some with a row or two more for new tokens. */
const wraps =
  /(?:^|\.)(?:compile|prepare|prepare_model|DataParallel|DistributedDataParallel|FullyShardedDataParallel|prepare_model_for_kbit_training|prepare_model_for_int8_training|get_peft_model|for_training|for_inference|amp\.initialize|setup_chat_format|clone_chat_template)$/

export function modelChain(value: Value | undefined, evaluator: Evaluator): ModelChain {
  let chain: ModelChain = {
    loaded: undefined,
    unknown: undefined,
    peftConfig: undefined,
    unslothAdapter: undefined,
    trainedAdapter: undefined,
    prepared: undefined,
    cast: undefined,
    remarks: [],
  }
  let current = value
  let isMerged = false
  for (let link = 0; link < MAX_LINKS && current !== undefined; link++) {
    // A field keeps its own.
    if (current.kind === 'call') chain = { ...chain, remarks: [...chain.remarks, ...current.remarks] }
    if (current.kind === 'text') return { ...chain, loaded: current }
    if (current.kind !== 'call') return { ...chain, unknown: current }
    const { name } = current
    if (isLoad(current)) return { ...chain, loaded: current }
    if (passesOn.test(name) && current.object !== undefined) {
      chain = { ...chain, cast: chain.cast ?? castBy(current, evaluator) }
      current = current.object
      continue
    }
    if (merges.test(name) && current.object !== undefined) {
      isMerged = true
      current = current.object
      continue
    }
    const { name: last } = libraryName(name)
    if (isMerged && putsOn.test(name)) {
      current = argument(current, 'model', 0, evaluator)
      continue
    }
    if (/^AutoPeftModel|^PeftModel/.test(name.split('.').at(-2) ?? '')) chain = { ...chain, trainedAdapter: current }
    else if (last === 'get_peft_model' && name.startsWith('unsloth.')) chain = { ...chain, unslothAdapter: current }
    else if (!wraps.test(name)) return { ...chain, unknown: current }
    if (last === 'get_peft_model' && chain.cast !== undefined)
      chain = { ...chain, cast: { ...chain.cast, to: undefined } }
    if (last.startsWith('prepare_model_for')) chain = { ...chain, prepared: current }
    if (last === 'get_peft_model' && !name.startsWith('unsloth.')) {
      const peftConfig = argument(current, 'peft_config', 1, evaluator)
      chain = { ...chain, peftConfig, remarks: [...chain.remarks, ...(peftConfig?.remarks ?? [])] }
    }
    current = argument(current, 'model', 0, evaluator)
  }
  return { ...chain, unknown: current ?? value }
}

export function isLoad(call: LibraryCall): boolean {
  if (isVisionModel(call) || isSentenceModel(call)) return true
  const { name } = call
  const [method, ...rest] = name.split('.').toReversed()
  const loaded = rest.toReversed().join('.')
  return method === 'from_pretrained' && (isModelClass(loaded) || openClass.test(loaded))
}

/** `config_class, model_class, tokenizer_class = MODEL_CLASSES[args.model_type]`, as transformers' older examples choose it. */
const openClass = /(?:^|[._])model_class$/

export function hasOpenClass(call: LibraryCall): boolean {
  return openClass.test(classLoaded(call))
}

/** `X.from_pretrained` → X. */
export function classLoaded({ name }: LibraryCall): string {
  return name.split('.').slice(0, -1).join('.')
}

const castTo: ReadonlyMap<string, Cast['to']> = new Map<string, Cast['to']>([
  ['half', 'float16'],
  ['torch.half', 'float16'],
  ['torch.float16', 'float16'],
  ['bfloat16', 'bfloat16'],
  ['torch.bfloat16', 'bfloat16'],
  ['float', 'float32'],
  ['torch.float', 'float32'],
  ['torch.float32', 'float32'],
])

/** Undefined for a call that leaves the type of weights as it is. */
export function castBy(by: LibraryCall, evaluator: Evaluator): Cast | undefined {
  const { name: method } = libraryName(by.name)
  if (/^(?:half|bfloat16|float)$/.test(method)) return { by, to: castTo.get(method) }
  if (method !== 'to' || by.call === undefined) return undefined
  const { values } = evaluator.argumentsOf(by.call, by.site)
  for (const [key, given] of values) {
    if (given.kind === 'symbol' && /^torch\.(?:b?float|half|double)/.test(given.name))
      return { by, to: castTo.get(given.name) }
    const isOpen = given.kind === 'open' || given.kind === 'call'
    if (isOpen && /dtype/.test(`${key} ${given.module.text.slice(given.from, given.to)}`)) return { by, to: undefined }
  }
  return undefined
}

/** An argument of a call by its name or its position. */
export function argument(call: LibraryCall, name: string, position: number, evaluator: Evaluator): Value | undefined {
  if (call.call === undefined) return undefined
  const names = Array.from({ length: position + 1 }, (_, index) => (index === position ? name : String(index)))
  return evaluator.argumentsOf(call.call, call.site, names).values.get(name)
}

export function isOfUnsloth({ unslothAdapter, loaded }: ModelChain): boolean {
  return unslothAdapter !== undefined || (loaded?.kind === 'call' && loaded.name.startsWith('unsloth.'))
}
