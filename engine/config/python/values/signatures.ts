/** The parameters that classes of libraries take, where a script asks for them before it passes an argument. */
import type { Evaluator } from './evaluator.ts'
import type { LibraryCall, Value } from './values.ts'

/** Ends the name of what `inspect.signature(Trainer).parameters` gives. */
const PARAMETERS = '.__parameters__'

/**
 * transformers 5 and TRL 1: what was renamed, and is set by its older name where the newer one is missing; what came with time, or
 * moved from TRL's trainers to their settings (TRL 1.10 trainer/sft_config.py, sft_trainer.py, dpo_trainer.py).
 */
const ofArguments: Readonly<Record<string, boolean>> = {
  eval_strategy: true,
  evaluation_strategy: false,
  gradient_checkpointing_kwargs: true,
  max_length: true,
  max_seq_length: false,
  use_cpu: true,
  no_cuda: false,
}
const ofSftConfig: Readonly<Record<string, boolean>> = {
  ...ofArguments,
  assistant_only_loss: true,
  completion_only_loss: true,
  dataset_text_field: true,
  packing: true,
  padding_free: true,
}
const ofTrainers: Readonly<Record<string, boolean>> = {
  processing_class: true,
  tokenizer: false,
  max_seq_length: false,
  dataset_text_field: false,
  packing: false,
}
const ofTrlTrainers: Readonly<Record<string, boolean>> = { ...ofTrainers, formatting_func: true, peft_config: true }

function parametersOf(name: string): Readonly<Record<string, boolean>> {
  if (name === 'SFTConfig') return ofSftConfig
  if (name === 'SFTTrainer') return ofTrlTrainers
  return name.endsWith('Trainer') ? ofTrainers : /(?:Arguments|Config)$/.test(name) ? ofArguments : {}
}

/** `inspect.signature(TrainingArguments.__init__).parameters` */
export function signatureParameters(object: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  if (name !== 'parameters' || !/(?:^|\.)signature$/.test(object.name) || object.call === undefined) return undefined
  const [of] = evaluator.argumentsOf(object.call, object.site).values.values()
  if (of?.kind !== 'symbol') return undefined
  return { ...of, name: `${of.name.replace(/\.__init__$/, '')}${PARAMETERS}` }
}

/** Whether a class takes a parameter; undefined for all that is not known. `parameters`: them, or the call of their `keys`. */
export function takesParameter(parameters: string, name: string): boolean | undefined {
  const [, of] =
    /(?:^|\.)([A-Z]\w*)\.__(?:parameters|dataclass_fields|annotations)__(?:\.keys)?$/.exec(parameters) ?? []
  if (of === undefined) return undefined
  const known = parametersOf(of)
  const isOfLength = /^max_/.test(name) && of.endsWith('Arguments')
  return isOfLength || !Object.hasOwn(known, name) ? undefined : known[name]
}
