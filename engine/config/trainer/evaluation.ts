/**
 * Whether a Trainer evaluates in the middle of the training, and in which batches: transformers 5.18 training_args.py,
 * whose names TRL's and LLaMA-Factory's arguments share. What is not plainly written is left open, and never makes a
 * config unreadable.
 */

import { MAX_BATCH } from '../../training/batch-size.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

/** TrainingArguments.per_device_eval_batch_size. */
const DEFAULT_BATCH = 8
const MAX_SAMPLES = 1_000_000_000
const MAX_LENGTH = 10_000_000
const MAX_BEAMS = 1_000

type Find = (...keys: string[]) => Field | undefined

/** What the tool's own code settles. */
interface Evaluated {
  /** Its metrics keep no logits, whatever the config says. */
  readonly keepsNoLogits?: boolean
  /** Whether a fused loss is fused in evaluations too; not known where absent. */
  readonly fusesLoss?: boolean | undefined
  /** Where the config sets no batch size. */
  readonly defaultBatch?: number
  /** In place of the Trainer's own default, where that is what counts. */
  readonly inPlaceOfDefault?: number | undefined
  /** The model's `model_type`: its checkpoint brings its own generation settings. */
  readonly modelType?: string | undefined
}

/** Undefined where nothing is evaluated, or in batches of a size that is not written as a number. */
export function readEvaluation(
  reader: FieldReader,
  find: Find,
  {
    keepsNoLogits = false,
    fusesLoss,
    defaultBatch = DEFAULT_BATCH,
    inPlaceOfDefault = DEFAULT_BATCH,
    modelType,
  }: Evaluated = {},
): TrainingSpec['evaluation'] {
  const asked = [find('eval_strategy', 'evaluation_strategy'), find('do_eval'), find('eval_on_start')].find(asks)
  if (asked === undefined || (isOfSteps(asked) && endsBefore(find) && !isOn(find('eval_on_start')))) return undefined
  const written = find('per_device_eval_batch_size', 'per_gpu_eval_batch_size')
  const batch = written === undefined ? defaultBatch : countIn(written, MAX_BATCH)
  if (batch === undefined) return undefined
  const microBatch = batch === DEFAULT_BATCH ? inPlaceOfDefault : batch
  // evaluation_loop: with batch_eval_metrics each batch's logits are let go of before the next.
  const accumulation = isOn(find('batch_eval_metrics')) ? 1 : countIn(find('eval_accumulation_steps'), MAX_BATCH)
  const samples = countIn(find('max_eval_samples'), MAX_SAMPLES)
  const evaluation = {
    microBatch,
    ...(accumulation !== undefined && { accumulation }),
    ...(samples !== undefined && { samples }),
    ...(isOn(find('predict_with_generate')) && { generates: readGeneration(reader, find, modelType) }),
    ...((keepsNoLogits || isOn(find('prediction_loss_only'))) && { lossOnly: true as const }),
    ...(fusesLoss !== undefined && { fusesLoss }),
  }
  return reader.note('evaluation', evaluation, written ?? asked)
}

/** transformers' example scripts take the second names where Seq2SeqTrainingArguments leaves them open. */
function readGeneration(
  reader: FieldReader,
  find: Find,
  modelType: string | undefined,
): { readonly maxLength?: number; readonly beams: number } {
  const maxLength = countIn(find('generation_max_length') ?? find('val_max_target_length'), MAX_LENGTH)
  const asked = countIn(find('generation_num_beams') ?? find('num_beams'), MAX_BEAMS)
  const beams = asked ?? beamsOfCheckpoint(reader, modelType)
  return { ...(maxLength !== undefined && { maxLength }), beams }
}

/** `num_beams` of the config.json of facebook/bart-base, which GenerationConfig.from_model_config takes over. */
const BEAMS_OF_BART = 4

/** What Seq2SeqTrainer generates with, where its arguments say nothing, is the checkpoint's. */
function beamsOfCheckpoint(reader: FieldReader, modelType: string | undefined): number {
  if (modelType === 'bart') {
    reader.assume(
      `Evaluations generate with ${BEAMS_OF_BART} beams, as facebook/bart-base asks for: the config sets none.`,
    )
    return BEAMS_OF_BART
  }
  if (/^(?:mbart|marian|pegasus|m2m_100)$/.test(modelType ?? ''))
    reader.assume(
      "Evaluations are counted with one beam: the config sets none, and the checkpoint's own generation settings, which may ask for several, are not read.",
    )
  return 1
}

/** A strategy but `no`, or a switch that is on. */
function asks(field: Field | undefined): boolean {
  return isOn(field) || (field?.value.kind === 'text' && /^(?:steps|epoch)$/i.test(field.value.text))
}

function isOfSteps({ value }: Field): boolean {
  return value.kind === 'text' && /^steps$/i.test(value.text)
}

/** DefaultFlowCallback.on_step_end evaluates at every multiple of `eval_steps`: here the training ends before the first. */
function endsBefore(find: Find): boolean {
  const [every, last] = [countIn(find('eval_steps'), MAX_SAMPLES), countIn(find('max_steps'), MAX_SAMPLES)]
  return every !== undefined && last !== undefined && every > last
}

function isOn(field: Field | undefined): boolean {
  return field?.value.kind === 'flag' && field.value.flag
}

/** Undefined where it is not written as a number up to `max`. */
export function countIn(field: Field | undefined, max: number): number | undefined {
  if (field?.value.kind !== 'number') return undefined
  const { number } = field.value
  return Number.isInteger(number) && number >= 1 && number <= max ? number : undefined
}
