/** Weights that a script freezes by itself: which parts of the model then train. */
import { readsSound } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { Task } from '../../../training/choices.ts'
import { MAX_PATTERNS } from '../../../training/parameter-pattern.ts'
import type { TrainedPart } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field } from '../../text/section.ts'

export interface FrozenByHand {
  /** Where the first part is frozen. */
  readonly field: Field
  /** Patterns of the names of what trains, none where nothing stays frozen; undefined where that is not known. */
  readonly trained: (model: CatalogueModel, task: Task) => readonly string[] | undefined
  /** By the model's own `freeze_feature_encoder`, without which sound requires gradients whatever is frozen. */
  readonly freesSound?: boolean
}

export function readFrozenByHand(
  reader: FieldReader,
  { field, trained, freesSound = false }: FrozenByHand,
  model: CatalogueModel | undefined,
  task: Task | undefined,
  checkpoints: boolean,
): TrainedPart | undefined {
  if (model === undefined) return undefined
  const hasSound = readsSound(model.config)
  // Of text, checkpointing makes the embeddings' output require gradients; sound has none.
  const isOpen = task === undefined || (checkpoints && !hasSound)
  const names = isOpen ? undefined : trained(model, task)
  if (names === undefined || names.length > MAX_PATTERNS) return refuseFrozen(reader, field)
  if (names.length === 0) return undefined
  const inputGradients = hasSound && !freesSound
  return reader.note<TrainedPart>('trainable', { names: [...names], inputGradients, keepsType: true }, field)
}

export function refuseFrozen(reader: FieldReader, field: Field): undefined {
  return reader.refuse(
    field,
    'unsupported-setting',
    'Weights are frozen here in a way that is not counted for scripts yet',
    'Exclude this file for now: add it to ignore in .github/memorymark.yml.',
  )
}
