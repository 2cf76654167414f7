/** Methods that learn from the model's own completions: what the dialects that configure TRL's trainers share. */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leaveOut, SETTINGS_PATH } from '../fields/supplied.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { isOn, ordinary, type Training } from './method.ts'

type Online = Extract<TrainingMethod, { kind: 'online' }>
type Generation = Online['generation']

export interface CompletionFields {
  readonly completionLength: Field | undefined
  /** The weight of the KL divergence from the reference, which is not loaded if this is zero. */
  readonly beta: Field | undefined
  readonly perPrompt: Field | undefined
  readonly perGeneration: Field | undefined
  readonly rewards: Field | undefined
  /** Turns on Liger's loss, in releases that have it. */
  readonly liger: Field | undefined
}

export interface CompletionTerms {
  readonly generation: Generation
  /** Samples of a step on one GPU, and the GPUs: one, and open, where only the launcher says how many. */
  readonly step: { readonly samples: number; readonly gpus: number; readonly areGpusOpen: boolean }
  readonly hasAdapter: boolean
  readonly tempersInPlace: boolean
  /** Whether the trainer generates for each micro-batch by itself; `step.samples` are its own then. */
  readonly ofEachBatch?: true | undefined
  readonly comparesFeatures?: boolean
  /** Whether the trainer is given a model that already has adapters, and copies them. */
  readonly copiesAdapters?: boolean
  /** Where the config sets none; 0 when absent. */
  readonly defaultBeta?: number
  /** Tokens of a completion where the config sets none; those of TRL's GRPOConfig when absent. */
  readonly defaultLength?: number
  /** Completions of a prompt where the config sets none; those of TRL's GRPOConfig when absent. */
  readonly defaultPerPrompt?: number
}

/** GRPOConfig's and RLOOConfig's max_completion_length, and what it was before TRL 1.10 (trl#6264). */
const DEFAULT_COMPLETION_LENGTH = 512
const COMPLETION_LENGTH_BEFORE_1_10 = 256
export const DEFAULT_PER_PROMPT = 8

export function readCompletions(
  reader: FieldReader,
  field: Field,
  fields: CompletionFields,
  terms: CompletionTerms,
): Training {
  const {
    generation,
    step,
    hasAdapter,
    comparesFeatures = false,
    tempersInPlace,
    ofEachBatch,
    defaultBeta = 0,
    defaultPerPrompt = DEFAULT_PER_PROMPT,
    defaultLength,
    copiesAdapters = false,
  } = terms
  if (namesRewardModel(reader, fields.rewards)) return ordinary
  const tokens = fields.completionLength && reader.wholeNumber(fields.completionLength, { max: 10_000_000 })
  const completionLength = tokens ?? defaultLength ?? defaultCompletionLength(reader)
  const all = fields.perGeneration && reader.wholeNumber(fields.perGeneration, { max: MAX_BATCH })
  const completions = all === undefined ? step.samples : Math.max(1, Math.floor(all / step.gpus))
  if (completions > MAX_BATCH) {
    const message = `${completions} completions at a time are more than any GPU can hold`
    reader.refuse(field, 'out-of-range', message, `Use at most ${MAX_BATCH}.`)
    return ordinary
  }
  const diverges = fields.beta === undefined ? defaultBeta !== 0 : isNotZero(fields.beta)
  const hasReference = diverges || comparesFeatures
  const ofAdapters = copiesAdapters && !comparesFeatures ? 'adapters-copy' : 'adapters-off'
  const reference = hasReference ? (hasAdapter ? ofAdapters : 'copy') : 'none'
  if (comparesFeatures && diverges && !hasAdapter) {
    const message = 'A reference model in addition to the frozen feature network is not modelled yet'
    reader.refuse(fields.beta, 'unsupported-training', message, 'Train adapters, or set beta: 0.')
    return ordinary
  }
  const compared = { perPrompt: fields.perPrompt, defaultPerPrompt, completions, gpus: step.gpus }
  if (!isWhole(reader, { ...compared, mayFitOthers: all === undefined && step.areGpusOpen })) return ordinary
  tell(reader, { completionLength, completions, generation, reference, ofEachBatch })
  const method = {
    kind: 'online',
    reference,
    completionLength,
    completions,
    ...(ofEachBatch && { ofEachBatch }),
    generation,
    tempersInPlace,
    comparesFeatures,
  } as const
  reader.note('method', method, field)
  return { method, ...readStreamedLoss(reader, fields.liger) }
}

/**
 * `steps_per_generation`: whether the completions of a whole step are generated at once, or those of each micro-batch by themselves.
 * With any other number, changing the micro-batch changes how many are generated, which may be refused.
 */
export function readGenerating(
  reader: FieldReader,
  field: Field | undefined,
  gradientAccumulation: number,
): 'of-each-batch' | 'of-a-step' | undefined {
  const steps = field === undefined ? undefined : reader.wholeNumber(field, { max: MAX_BATCH })
  if (steps === undefined || steps === gradientAccumulation) return 'of-a-step'
  if (steps === 1) return 'of-each-batch'
  const message = `steps_per_generation ${steps} with an accumulation of ${gradientAccumulation} is not modelled yet`
  return reader.refuse(field, 'unsupported-setting', message, 'Write generation_batch_size instead.')
}

function defaultCompletionLength(reader: FieldReader): number {
  return reader.isTrlBefore('1.10') ? COMPLETION_LENGTH_BEFORE_1_10 : DEFAULT_COMPLETION_LENGTH
}

interface Compared {
  readonly perPrompt: Field | undefined
  readonly defaultPerPrompt: number
  readonly completions: number
  readonly gpus: number
  /** On another number of GPUs there would be other completions, and that number is open. */
  readonly mayFitOthers: boolean
}

/** TRL 1.13 trainer/grpo_config.py __post_init__: the trainer raises for completions that are no whole number of groups. */
function isWhole(reader: FieldReader, compared: Compared): boolean {
  const { perPrompt, defaultPerPrompt, completions, gpus, mayFitOthers } = compared
  const group = (perPrompt && reader.wholeNumber(perPrompt, { max: MAX_BATCH })) ?? defaultPerPrompt
  if ((completions * gpus) % group === 0) return true
  const onGpus = gpus === 1 ? 'one GPU' : `${gpus} GPUs`
  const takes = `multiples of ${group} completions at a time, the number per prompt; ${completions * gpus} on ${onGpus} is not one`
  if (perPrompt === undefined) {
    reader.assume(`The trainer takes only ${takes}.`)
    return true
  }
  if (mayFitOthers) {
    reader.assume(
      `The trainer takes only ${takes}, so this runs on another number of GPUs: set gpus for this path in the overrides of ${SETTINGS_PATH}.`,
    )
    return true
  }
  const message = `The trainer takes only ${takes}, so the training would not start`
  const fix = `Change the batch size or the number per prompt; if it runs on other than ${onGpus}, set gpus for this path in the overrides of ${SETTINGS_PATH}.`
  reader.refuse(perPrompt, 'unsupported-setting', message, fix)
  return false
}

/** TRL trainer/grpo_trainer.py compute_liger_loss. */
function readStreamedLoss(reader: FieldReader, liger: Field | undefined): Pick<Training, 'fusedLoss'> {
  if (liger === undefined || !isOn(reader, liger)) return {}
  reader.assume(
    "Liger's loss goes through the logits in pieces, as from liger-kernel 0.8 on; before, it holds those of a whole completion. TRL computes this pass in the type of the weights, without autocast.",
  )
  return { fusedLoss: reader.note('fusedLoss', true, liger) }
}

interface Told extends Pick<Online, 'completionLength' | 'completions' | 'generation' | 'reference'> {
  readonly ofEachBatch: true | undefined
}

const references: Readonly<Record<Online['reference'], string>> = {
  none: 'No reference model is loaded, because beta is 0.',
  'adapters-off': 'The reference is the same model with its adapters disabled.',
  'adapters-copy': 'The reference is the same model with a frozen copy of its adapters.',
  copy: 'The reference is a frozen copy of the model.',
}

function tell(reader: FieldReader, { completionLength, completions, generation, reference, ofEachBatch }: Told): void {
  reader.assume(
    `Sequences end in completions of up to ${completionLength} tokens; prompt lengths depend on the data. ${references[reference]}`,
  )
  reader.assume(generations(generation, completions))
  reader.assume(
    'Throughput is that of the training step; the time that generation takes is not modelled. Reward functions are assumed to use no GPU memory.',
  )
  reader.assume(
    ofEachBatch
      ? 'The completions of each micro-batch are generated and compared by themselves: the trainer takes only multiples of the number per prompt.'
      : 'Recommendations keep the effective batch: it is the number of completions that are generated and compared at a time.',
  )
}

function generations(generation: Generation, completions: number): string {
  switch (generation.kind) {
    case 'server':
      return 'A vLLM server on its own GPUs generates the completions.'
    case 'vllm':
      return generation.sleeps
        ? `vLLM generates the completions in ${percent(generation.share)} of this GPU, and releases that memory while the model trains.`
        : `vLLM generates the completions, and always holds ${percent(generation.share)} of this GPU for that.`
    case 'transformers':
      return `transformers' generate produces ${completions} completions at once, with a key/value cache for all of them.`
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function isNotZero({ value }: Field): boolean {
  return value.kind === 'number' && value.number !== 0
}

/** A name with a slash is a Hub model, which is loaded as well; any other is a Python function. */
function namesRewardModel(reader: FieldReader, field: Field | undefined): boolean {
  if (field === undefined) return false
  const values = field.value.kind === 'list' ? field.value.items : [field.value]
  const model = values.find(value => value.kind === 'text' && value.text.includes('/'))
  if (model?.kind !== 'text') return false
  const message = `The memory of the reward model ${quote(model.text)} is not modelled yet`
  reader.refuse(field, 'unsupported-training', message, leaveOut)
  return true
}
