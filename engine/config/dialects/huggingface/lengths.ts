/** Tokens of a sample, or pixels of an image: where a config sets them, and what its trainer takes where it does not. */
import { wordList } from '../../../base/word-list.ts'
import { familyOf, readsSound } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { LEAST_SAMPLES, SAMPLES_PER_SECOND, USUAL_SECONDS } from '../../../training/sound.ts'
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { type InputFields, MAX_SEQUENCE, readInputSize, type UnwrittenLength } from '../../fields/model-fields.ts'
import type { Field } from '../../text/section.ts'
import type { Training } from '../../trainer/method.ts'
import type { Arguments } from './arguments.ts'
import { lengthWithCompletions } from './completions.ts'
import { TRL_LENGTH } from './fine-tuning.ts'
import type { TaskChoice } from './task.ts'
import { runsTrl } from './trl.ts'
import { isTrlBefore } from './trl-release.ts'

/** run_clm.py's default for a missing block_size. */
const DEFAULT_BLOCK = 1_024

/** The defaults of run_summarization.py and run_translation.py for missing lengths. */
const DEFAULT_SOURCE = 1_024
const DEFAULT_TARGET = 128

const sequenceKeys = wordList(`
  max_seq_length max_length model_max_length block_size max_source_length max_seq_len cutoff_len sequence_length
`)
/** What stands for the length of a transcript; lengths of sources are seconds of sound. */
const transcriptKeys = ['max_target_length', 'max_label_length', 'max_labels_length']

/** What a script says by padding to `max_length` without a length: no setting of the Trainer's. */
export const FILLS_UP = 'fills_up_text'

export function readLengths(
  reader: FieldReader,
  trainerArguments: Arguments,
  {
    choice,
    model,
    training: { method },
  }: {
    readonly choice: TaskChoice | undefined
    readonly model: CatalogueModel | undefined
    readonly training: Training
  },
) {
  const { find } = trainerArguments
  const completionLength = method?.kind === 'online' ? method.completionLength : undefined
  if (model !== undefined && readsSound(model.config)) return readInputSize(reader, model, soundOf(trainerArguments))
  const transcribes = model !== undefined && familyOf(model.config).transcribes === true
  const filled = filledLength(find(FILLS_UP), model)
  const size = readInputSize(reader, model, {
    sequenceLength:
      completionLength === undefined ? (find(...(transcribes ? transcriptKeys : sequenceKeys)) ?? filled) : undefined,
    imageSize: find('image_size'),
    ...(transcribes ? longestTranscript(trainerArguments) : unwrittenLength(reader, trainerArguments, choice, method)),
    ...(completionLength !== undefined && { length: lengthWithCompletions(reader, find, completionLength) }),
  })
  return { ...size, ...(transcribes ? {} : readTarget(reader, trainerArguments, choice)) }
}

/** The tokenizers of models with a table of positions let texts be as long as that. */
function filledLength(field: Field | undefined, model: CatalogueModel | undefined): Field | undefined {
  const limit = model?.positionLimit
  if (field === undefined || limit === undefined) return undefined
  const assumption = `Sequences of ${limit} tokens: text is filled up to the tokenizer's own limit, taken to be the model's.`
  return { ...field, value: { kind: 'number', number: limit }, assumptions: [...(field.assumptions ?? []), assumption] }
}

/** What transformers' example scripts cut sound to, in seconds; what the calls of feature extractors cut it to, in samples. */
function soundOf({ find, declared }: Arguments): InputFields {
  // Of `lm_head` alone, a thousandth of the model: as many as there are letters.
  find('vocab_size')
  const seconds = find('max_duration_in_seconds', 'max_length_seconds')
  const samples = find('max_length')
  // A shorter one is a transcript's.
  const isOfSound = samples?.value.kind !== 'number' || samples.value.number >= LEAST_SAMPLES
  return {
    sequenceLength: seconds === undefined ? (isOfSound ? samples : undefined) : inSamples(seconds),
    imageSize: undefined,
    length: { tokens: USUAL_SECONDS * SAMPLES_PER_SECOND, isKnown: declared === undefined },
  }
}

function inSamples(seconds: Field): Field {
  const { value } = seconds
  if (value.kind !== 'number') return seconds
  return { ...seconds, value: { ...value, number: Math.round(value.number * SAMPLES_PER_SECOND) } }
}

/** TRL's trainers cut by themselves, and so do the example scripts; of others, only their code says. */
function unwrittenLength(
  reader: FieldReader,
  trainerArguments: Arguments,
  choice: TaskChoice | undefined,
  method: TrainingMethod | undefined,
): { readonly length?: UnwrittenLength } {
  const isKnown = trainerArguments.declared === undefined
  // reward_config.py: none before.
  if (method?.kind === 'reward' && runsTrl(trainerArguments) && !isTrlBefore(reader, trainerArguments, '0.14'))
    return { length: { tokens: TRL_LENGTH, isKnown: true } }
  if (choice?.task === 'seq2seq-lm') return { length: { tokens: DEFAULT_SOURCE, isKnown } }
  if (choice?.task !== 'causal-lm') return {}
  return {
    length: runsTrl(trainerArguments) ? { tokens: TRL_LENGTH, isKnown: true } : { tokens: DEFAULT_BLOCK, isKnown },
  }
}

/** Of a model that writes down what it hears: by default as long as the model's own limit. */
function longestTranscript({ declared }: Arguments): { readonly length: UnwrittenLength } {
  return { length: { tokens: MAX_SEQUENCE, isKnown: declared === undefined } }
}

function readTarget(
  reader: FieldReader,
  { find, declared }: Arguments,
  choice: TaskChoice | undefined,
): { readonly targetLength?: number } {
  if (choice?.task !== 'seq2seq-lm') return {}
  const written = find('max_target_length')
  // The settings give one length for source and target, which the team has chosen knowingly.
  const isOpen = written === undefined && declared !== undefined && !reader.supplies('sequence_length')
  if (isOpen) reader.leavesLengthOpen = true
  const targetLength = reader.settle(
    'targetLength',
    written,
    field => reader.wholeNumber(field, { max: MAX_SEQUENCE }),
    {
      value: DEFAULT_TARGET,
      source: "run_summarization.py's default",
      assumption: `Targets of ${DEFAULT_TARGET} tokens: the config sets no max_target_length.`,
    },
  )
  return { targetLength }
}
