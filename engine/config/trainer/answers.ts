/** Methods whose trainer lets the model answer and learns from that: what the dialects that configure TRL's trainers share. */
import type { FieldReader } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Field } from '../section.ts'
import { MAX_BATCH, type TrainingMethod } from '../spec.ts'
import { isOn, ordinary, type Training } from './method.ts'

type Answers = Extract<TrainingMethod, { kind: 'answers' }>
type Generation = Answers['generation']

export interface AnswerFields {
  readonly answerLength: Field | undefined
  /** KL divergence from the reference, which is not loaded where it is zero. */
  readonly beta: Field | undefined
  readonly perPrompt: Field | undefined
  readonly perGeneration: Field | undefined
  readonly rewards: Field | undefined
  readonly liger: Field | undefined
}

export interface AnswerTerms {
  readonly generation: Generation
  /** Samples of a step on one GPU, and the GPUs, as far as the config says. */
  readonly step: { readonly samples: number; readonly gpus: number }
  readonly hasAdapter: boolean
  readonly tempersInPlace: boolean
  readonly comparesFeatures?: boolean
  /** Whether the trainer gets a model that has its adapters already, and copies them. */
  readonly copiesAdapters?: boolean
  /** Where the config sets none; 0 when absent. */
  readonly defaultBeta?: number
}

/** TRL's GRPOConfig. */
const DEFAULT_ANSWER_LENGTH = 512
const DEFAULT_PER_PROMPT = 8

export function readAnswers(reader: FieldReader, field: Field, fields: AnswerFields, terms: AnswerTerms): Training {
  const {
    generation,
    step,
    hasAdapter,
    comparesFeatures = false,
    tempersInPlace,
    defaultBeta = 0,
    copiesAdapters = false,
  } = terms
  if (namesRewardModel(reader, fields.rewards)) return ordinary
  if (isOn(reader, fields.liger)) {
    reader.assume(
      "The logits are counted whole, though Liger's loss goes through them in chunks: the estimate is high.",
    )
  }
  const tokens = fields.answerLength && reader.wholeNumber(fields.answerLength, { max: 10_000_000 })
  const answerLength = tokens ?? DEFAULT_ANSWER_LENGTH
  const all = fields.perGeneration && reader.wholeNumber(fields.perGeneration, { max: MAX_BATCH })
  const count = all === undefined ? step.samples : Math.max(1, Math.floor(all / step.gpus))
  if (count > MAX_BATCH) {
    const message = `${count} answers at a time are more than any GPU holds`
    reader.refuse(field, 'out-of-range', message, `Make ${MAX_BATCH} at most.`)
    return ordinary
  }
  const diverges = fields.beta === undefined ? defaultBeta !== 0 : isNotZero(fields.beta)
  const hasReference = diverges || comparesFeatures
  const ofAdapters = copiesAdapters && !comparesFeatures ? 'adapters-copy' : 'adapters-off'
  const reference = hasReference ? (hasAdapter ? ofAdapters : 'copy') : 'none'
  if (comparesFeatures && diverges && !hasAdapter) {
    const message = 'A reference beside the frozen copy that features are compared with is not modelled yet'
    reader.refuse(fields.beta, 'unsupported-training', message, 'Train adapters, or set beta: 0.')
    return ordinary
  }
  tell(reader, { ...fields, answerLength, count, generation, reference, gpus: step.gpus })
  const method = {
    kind: 'answers',
    reference,
    answerLength,
    count,
    generation,
    tempersInPlace,
    comparesFeatures,
  } as const
  reader.note('method', method, field)
  return { method }
}

interface Told extends Pick<Answers, 'answerLength' | 'count' | 'generation' | 'reference'> {
  readonly perPrompt: Field | undefined
  readonly gpus: number
}

const references: Readonly<Record<Answers['reference'], string>> = {
  none: 'No reference model is loaded, as beta is 0.',
  'adapters-off': 'The reference is the same model with its adapters off.',
  'adapters-copy': 'The reference is the same model under a frozen copy of its adapters.',
  copy: 'A frozen copy of the model is the reference.',
}

function tell(reader: FieldReader, { answerLength, count, generation, reference, perPrompt, gpus }: Told): void {
  reader.assume(
    `Answers of up to ${answerLength} tokens are the ends of the sequences: how long prompts are is for the data to say. ${references[reference]}`,
  )
  reader.assume(generations(generation, count))
  reader.assume(
    'Samples a second are those of the step over the answers: how long making them takes is not modelled. Reward functions are counted as holding nothing on the GPU.',
  )
  reader.assume(
    'The effective batch stays as it is in any recommendation: it is how many answers are made and compared at a time.',
  )
  const group = (perPrompt && reader.wholeNumber(perPrompt, { max: MAX_BATCH })) ?? DEFAULT_PER_PROMPT
  if ((count * gpus) % group === 0) return
  reader.assume(
    `The trainer asks for a multiple of ${group} answers at a time, so many as there are to a prompt; ${count * gpus} on ${gpus === 1 ? 'one GPU' : `${gpus} GPUs`} are none.`,
  )
}

function generations(generation: Generation, count: number): string {
  switch (generation.kind) {
    case 'server':
      return 'A vLLM server on GPUs of its own makes the answers.'
    case 'vllm':
      return generation.sleeps
        ? `vLLM makes the answers in ${percent(generation.share)} of this GPU, and lets that go while the model trains.`
        : `vLLM makes the answers, and always holds ${percent(generation.share)} of this GPU for that.`
    case 'transformers':
      return `transformers' generate makes ${count} answers at once, with a key/value cache of all of them.`
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function isNotZero({ value }: Field): boolean {
  return value.kind === 'number' && value.number !== 0
}

/** A name with a slash is a model of the Hub, which is loaded beside; any other is a Python function's. */
function namesRewardModel(reader: FieldReader, field: Field | undefined): boolean {
  if (field === undefined) return false
  const values = field.value.kind === 'list' ? field.value.items : [field.value]
  const model = values.find(value => value.kind === 'text' && value.text.includes('/'))
  if (model?.kind !== 'text') return false
  const message = `What the reward model ${quote(model.text)} holds beside the training is not modelled yet`
  reader.refuse(field, 'unsupported-training', message, 'Leave this config out of the check for now.')
  return true
}
