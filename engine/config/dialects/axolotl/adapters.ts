/** Axolotl's adapters, and partial training without them. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { readTargets, type Targets } from '../../trainer/adapter.ts'
import type { Training } from '../../trainer/method.ts'
import { readLisa, readUnfrozen } from '../../trainer/trained-part.ts'

export function readTrainable(reader: FieldReader, document: Section, checkpoints: boolean): TrainingSpec['trainable'] {
  const unfrozen = readUnfrozen(reader, document.at('unfrozen_parameters'), checkpoints)
  // core/builders/causal.py: LISA is on where both are set.
  if (unfrozen !== undefined || document.at('lisa_step_interval') === undefined) return unfrozen
  return readLisa(reader, document.at('lisa_n_layers'), checkpoints)
}

export function readsAdapter(reader: FieldReader, field: Field | undefined): boolean {
  const adapter = reader.text(field)
  if (adapter === undefined || adapter === '') return false
  if (adapter === 'lora' || adapter === 'qlora') return true
  reader.refuse(field, 'unsupported-setting', `The adapter ${quote(adapter)} is not modelled yet`, 'Use lora or qlora.')
  return true
}

/** TRL's GRPOTrainer casts adapters over quantised weights to bfloat16. */
export function areLowered(document: Section, { method }: Training): boolean {
  if (method?.kind !== 'online') return false
  return ['load_in_4bit', 'load_in_8bit'].some(key => {
    const value = document.at(key)?.value
    return value?.kind === 'flag' && value.flag
  })
}

export function targetsOf(reader: FieldReader, document: Section): Targets {
  const isAll = reader.flag(document.at('lora_target_linear')) === true
  return isAll ? 'all' : (readTargets(reader, document.at('lora_target_modules')) ?? 'usual')
}
