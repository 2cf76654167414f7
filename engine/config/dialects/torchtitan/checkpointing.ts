/** torchtitan/distributed/activation_checkpoint.py: what the forward pass keeps of each block, and what is computed again. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { Choices, FieldReader } from '../../fields/fields.ts'
import type { Field, Section } from '../../text/section.ts'
import { refuse } from './settings.ts'

type Checkpointing = Pick<TrainingSpec, 'gradientCheckpointing'> & {
  readonly checkpointEvery?: number
  readonly selectiveCheckpoints?: true
}

const modes: Choices<'none' | 'full' | 'selective' | 'memory_budget'> = new Map([
  ['none', 'none'],
  ['full', 'full'],
  ['selective', 'selective'],
  ['memory_budget', 'memory_budget'],
])

export function readCheckpointing(reader: FieldReader, document: Section): Checkpointing {
  const [field, option] = [
    document.at('activation_checkpoint', 'mode'),
    document.at('activation_checkpoint', 'selective_ac_option'),
  ]
  const mode = field === undefined ? 'selective' : reader.choice(field, modes)
  if (mode === 'memory_budget' && field !== undefined) refuse(reader, field, `${field.name} of ${field.source}`)
  const from = field ?? "torchtitan's default"
  if (mode === 'none') return { gradientCheckpointing: reader.note('gradientCheckpointing', false, from) }
  const gradientCheckpointing = reader.note('gradientCheckpointing', true, from)
  return { gradientCheckpointing, ...(mode === 'selective' && selection(reader, option)) }
}

/** `op`, or the blocks of which one is checkpointed: 2 by default, and 0 for every one. */
function selection(reader: FieldReader, option: Field | undefined): Omit<Checkpointing, 'gradientCheckpointing'> {
  if (option?.value.kind === 'text' && option.value.text === 'op')
    return { selectiveCheckpoints: reader.note('selectiveCheckpoints', true, option) }
  const isDigits = option?.value.kind === 'text' && /^\d{1,4}$/.test(option.value.text)
  const written =
    isDigits && option ? { ...option, value: { kind: 'number', number: Number(option.value.text) } as const } : option
  const every = written === undefined ? 2 : (reader.wholeNumber(written, { min: 0, max: 1_000 }) ?? 1)
  return every > 1 ? { checkpointEvery: reader.note('checkpointEvery', every, option ?? "torchtitan's default") } : {}
}
