/** Training methods as configs switch them on: preferences, rewards, and what is not modelled. */
import type { FieldReader } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Field } from '../section.ts'
import type { LogProbabilityStyle, TrainingMethod, TrainingSpec } from '../spec.ts'

/** What a method changes in the spec. */
export type Training = Pick<TrainingSpec, 'method' | 'dropout'>

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
  none: 'no reference model runs beside',
  'adapters-off': 'the reference is the same model with its adapters off',
  copy: 'a frozen copy of the model is the reference',
}

/** DPO and its kin. */
export function preference(reader: FieldReader, field: Field, terms: PreferenceTerms): Training {
  const { reference, style, withCrossEntropy = false, keepsDropout = false } = terms
  reader.assume(
    `Each sample is two sequences, the chosen and the rejected answer, in one forward pass; ${references[reference]}.`,
  )
  const method = { kind: 'preference', reference, logProbabilities: style, withCrossEntropy } as const
  return noted(reader, field, method, keepsDropout)
}

export function kto(reader: FieldReader, field: Field, { reference, style }: PreferenceTerms): Training {
  reader.assume(
    `KTO: an unrelated answer goes through the model beside each sample, without gradients; ${references[reference]}.`,
  )
  return noted(reader, field, { kind: 'kto', reference, logProbabilities: style }, false)
}

type Head = Extract<TrainingMethod, { kind: 'reward' }>['head']

const heads: Readonly<Record<Head, string>> = {
  score:
    'Each sample is two sequences, the chosen and the rejected answer; a score takes the place of the output layer.',
  value:
    'Each sample is two sequences, the chosen and the rejected answer; a value head stands beside the output layer.',
  steps: 'A score of every step takes the place of the output layer.',
}

/** Reward models. */
export function reward(reader: FieldReader, field: Field, head: Head): Training {
  reader.assume(heads[head])
  // TRL's RewardConfig.disable_dropout is on; LLaMA-Factory's stage has no such switch.
  return noted(reader, field, { kind: 'reward', head }, head === 'value')
}

function noted(reader: FieldReader, field: Field, method: TrainingMethod, keepsDropout: boolean): Training {
  reader.note('method', method, field)
  return keepsDropout ? { method } : { method, dropout: reader.note('dropout', false, 'turned off by the method') }
}

/** A frozen copy that the policy is held to, beside a weighted cross-entropy. */
export function anchored(reader: FieldReader, field: Field): Training {
  reader.assume('A frozen copy of the model reads the same batch; its logits stand beside those that are trained.')
  return noted(reader, field, { kind: 'anchored' }, true)
}

/** Masked diffusion. */
export function denoising(reader: FieldReader, field: Field): Training {
  reader.assume(
    'Every token is counted as masked, as in the heaviest step of the diffusion; samples that are generated between steps are not counted.',
  )
  return noted(reader, field, { kind: 'denoising' }, true)
}

/** A teacher of the catalogue beside the student. */
export function distillation(reader: FieldReader, field: Field, teacher: string, chunks: number): Training {
  reader.assume(
    `The teacher ${quote(teacher)} reads the same batch, without gradients; its logits stand beside the student's.`,
  )
  return noted(reader, field, { kind: 'distillation', teacher, chunks }, true)
}

/** What a method that generates answers between its steps holds is in no config. */
export function refuseGeneration(reader: FieldReader, field: Field, name: string): Training {
  reader.refuse(
    field,
    'unsupported-training',
    `What ${quote(name)} holds while it generates answers is not modelled: vLLM's share of the GPU, or the key/value cache of the answers, and the models that judge them`,
    'Leave this config out: add it to ignore in .github/memorymark.yml.',
  )
  return ordinary
}

/** A switch that is read and on. */
export function isOn(reader: FieldReader, field: Field | undefined): field is Field {
  return field !== undefined && reader.flag(field) === true
}
