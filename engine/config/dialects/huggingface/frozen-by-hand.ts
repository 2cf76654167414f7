/** Weights that a script freezes by itself: which parts of the model then train. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { Task } from '../../../training/choices.ts'
import type { TrainedPart } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field } from '../../text/section.ts'

export interface FrozenByHand {
  /** Where the first part is frozen. */
  readonly field: Field
  /** In the order in which they run. */
  readonly switches: readonly Switch[]
}

/** `requires_grad` of the parameters of a part. */
export interface Switch {
  /** From the model to the part, as the script writes it: `bert`, `model.encoder`, `get_encoder()`; empty for all of it. */
  readonly path: string
  readonly trains: boolean
}

interface Parts {
  readonly task: Task
  /** What gradients need not reach where it is frozen. */
  readonly lower: readonly string[]
  /** The modules above it, with the other names that libraries have for them. */
  readonly upper: Readonly<Record<string, readonly string[]>>
}

const ofText = 'sequence-classification'
const ofImages = 'image-classification'
const roberta: Parts = { task: ofText, lower: ['base_model', 'roberta'], upper: { classifier: [] } }

/** The classes of transformers 5.18, with `fc` of torchvision and timm, `heads` of torchvision, `head` of timm. */
const partsOf: Readonly<Record<string, Parts>> = {
  bert: { task: ofText, lower: ['base_model', 'bert'], upper: { classifier: [] } },
  roberta,
  'xlm-roberta': roberta,
  distilbert: { task: ofText, lower: ['base_model', 'distilbert'], upper: { pre_classifier: [], classifier: [] } },
  modernbert: { task: ofText, lower: ['base_model', 'model'], upper: { head: [], classifier: [] } },
  resnet: { task: ofImages, lower: ['base_model', 'resnet'], upper: { classifier: ['fc'] } },
  vit: { task: ofImages, lower: ['base_model', 'vit'], upper: { classifier: ['head', 'heads', 'heads.head'] } },
  convnext: { task: ofImages, lower: ['base_model', 'convnext'], upper: { classifier: [] } },
  // The output layer is the decoder's table of words.
  whisper: { task: 'seq2seq-lm', lower: ['model.encoder', 'get_encoder()'], upper: { 'model.decoder': [] } },
  // The words are the encoder's too, and the output layer is their table.
  t5: { task: 'seq2seq-lm', lower: ['encoder', 'get_encoder()'], upper: { decoder: [] } },
}

export function readFrozenByHand(
  reader: FieldReader,
  { field, switches }: FrozenByHand,
  model: CatalogueModel | undefined,
  task: Task | undefined,
  checkpoints: boolean,
): TrainedPart | undefined {
  if (model === undefined) return undefined
  const parts = partsOf[model.family]
  const trained = parts && parts.task === task && !checkpoints ? trainedOf(parts, switches) : undefined
  if (trained === undefined) return refuseFrozen(reader, field)
  const names = trained.map(name => `${name.replaceAll('.', '\\.')}\\.`)
  return reader.note<TrainedPart>('trainable', { names, inputGradients: false, keepsType: true }, field)
}

/** Modules above a lower part that stays frozen. Undefined where something else trains, or nothing. */
function trainedOf({ lower, upper }: Parts, switches: readonly Switch[]): readonly string[] | undefined {
  const [below] = lower
  const all = [below, ...Object.keys(upper)]
  const frozen = new Set<string | undefined>()
  for (const { path, trains } of switches) {
    const found = lower.includes(path)
      ? below
      : Object.keys(upper).find(name => name === path || upper[name]?.includes(path))
    if (found === undefined && path !== '') return undefined
    for (const each of path === '' ? all : [found]) {
      if (trains) frozen.delete(each)
      else frozen.add(each)
    }
  }
  const trained = Object.keys(upper).filter(name => !frozen.has(name))
  return frozen.has(below) && trained.length > 0 ? trained : undefined
}

export function refuseFrozen(reader: FieldReader, field: Field): undefined {
  return reader.refuse(
    field,
    'unsupported-setting',
    'Weights are frozen here in a way that is not counted for scripts yet',
    'Exclude this file for now: add it to ignore in .github/memorymark.yml.',
  )
}
