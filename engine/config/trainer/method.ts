/** Training methods as configs enable them: preferences, rewards, and what is not modelled. */
import type { TrainingSpec } from '../../training/spec.ts'
import type { LogProbabilityStyle, TrainingMethod } from '../../training/training-method.ts'
import type { FieldReader } from '../fields/fields.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

/** What a method changes in the spec. */
export type Training = Pick<TrainingSpec, 'method' | 'dropout' | 'fusedLoss'>

/** The model's own loss on labels. */
export const ordinary: Training = {}

type Reference = Extract<TrainingMethod, { kind: 'preference' }>['reference']

export interface PreferenceTerms {
  readonly reference: Reference
  readonly style: LogProbabilityStyle
  readonly withCrossEntropy?: boolean
  /** TRL and LLaMA-Factory turn it off (`disable_dropout`). */
  readonly keepsDropout?: boolean
}

const references: Readonly<Record<Reference, string>> = {
  none: 'there is no reference model',
  'adapters-off': 'the reference is the same model with its adapters disabled',
  copy: 'the reference is a frozen copy of the model',
}

/** Where `liger` turns on Liger's loss for a method, whose chunks are modelled for the model's own loss alone. */
export function tellOfWholeLogits(reader: FieldReader, liger: Field | undefined): void {
  if (!isOn(reader, liger)) return
  reader.assumeMore(
    "The logits are counted in full, although Liger's loss processes them in chunks: the estimate is high.",
  )
}

/** DPO and its variants. */
export function preference(reader: FieldReader, field: Field, terms: PreferenceTerms): Training {
  const { reference, style, withCrossEntropy = false, keepsDropout = false } = terms
  reader.assume(
    `Each sample is two sequences, the chosen and the rejected response, in one forward pass; ${references[reference]}.`,
  )
  const method = { kind: 'preference', reference, logProbabilities: style, withCrossEntropy } as const
  return noted(reader, field, method, keepsDropout)
}

export function kto(reader: FieldReader, field: Field, { reference, style }: PreferenceTerms): Training {
  reader.assume(
    `KTO: with each sample, an unrelated response also goes through the model, without gradients; ${references[reference]}.`,
  )
  return noted(reader, field, { kind: 'kto', reference, logProbabilities: style }, false)
}

type Head = Extract<TrainingMethod, { kind: 'reward' }>['head']

const heads: Readonly<Record<Head, string>> = {
  score: 'Each sample is two sequences, the chosen and the rejected response; a score head replaces the output layer.',
  value:
    'Each sample is two sequences, the chosen and the rejected response; a value head is added next to the output layer.',
  steps: 'A head that scores every step replaces the output layer.',
}

/** Where `liger` turns on Liger's kernels, none of which is the loss. */
export function tellOfLigerNorms(reader: FieldReader, liger: Field | undefined): void {
  if (!isOn(reader, liger)) return
  reader.assumeMore(
    "Norms and products are counted as transformers has them; Liger's kernels keep less of them: the estimate is high.",
  )
}

/** Reward models. */
export function reward(reader: FieldReader, field: Field, head: Head): Training {
  reader.assume(heads[head])
  // TRL's RewardConfig.disable_dropout is on; LLaMA-Factory's stage has no such switch.
  return noted(reader, field, { kind: 'reward', head }, head === 'value')
}

function noted(reader: FieldReader, field: Field, method: TrainingMethod, keepsDropout: boolean): Training {
  reader.note('method', method, field)
  return keepsDropout ? { method } : { method, dropout: reader.note('dropout', false, 'disabled by the method') }
}

/** A frozen copy that regularises the policy, in addition to a weighted cross-entropy. */
export function asft(reader: FieldReader, field: Field): Training {
  reader.assume('A frozen copy of the model processes the same batch, and its logits are held at the same time.')
  return noted(reader, field, { kind: 'asft' }, true)
}

/** Masked diffusion. */
export function maskedDiffusion(reader: FieldReader, field: Field): Training {
  reader.assume(
    'Every token is counted as masked, as in the heaviest diffusion step; samples generated between steps are not counted.',
  )
  return noted(reader, field, { kind: 'masked-diffusion' }, true)
}

/** A teacher model from the catalogue, in addition to the student. */
export function distillation(reader: FieldReader, field: Field, teacher: string, chunks: number): Training {
  reader.assume(
    `The teacher ${quote(teacher)} processes the same batch without gradients, and its logits are held at the same time as the student's.`,
  )
  return noted(reader, field, { kind: 'distillation', teacher, chunks }, true)
}

/** No config says how much memory a method needs that generates completions between its steps. */
export function refuseGeneration(reader: FieldReader, field: Field, name: string): Training {
  reader.refuse(
    field,
    'unsupported-training',
    `The memory that ${quote(name)} needs for generation is not modelled: vLLM's share of the GPU or the key/value cache, and the models that judge the completions`,
    'Exclude this config: add it to ignore in .github/memorymark.yml.',
  )
  return ordinary
}

/** Whether a switch is set and on. */
export function isOn(reader: FieldReader, field: Field | undefined): field is Field {
  return field !== undefined && reader.flag(field) === true
}
