/** What ms-swift trains a model for: swift/model/model_meta.py get_model_info_meta, swift/model/register.py get_model. */
import { isAudioModel, isVisionLanguageModel } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readLabels } from '../../fields/model-fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn, tellOfLigerNorms } from '../../trainer/method.ts'

/** Of a model that classifies texts. */
export interface Classes {
  readonly labels: number
  /** What makes it one. */
  readonly field: Field
}

/** `seq_cls`, which a number of labels means too where no task is named. A reward model's task and label are of `rlhf_type`. */
export function readClasses(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
): Classes | undefined {
  const [task, labels] = [document.at('task_type'), written(document.at('num_labels'))]
  const name = reader.text(written(task))
  const field = name === undefined ? labels : task
  const isReward = document.at('rlhf_type')?.source === 'rm'
  if (field === undefined || name === 'causal_lm' || (isReward && (name ?? 'seq_cls') === 'seq_cls')) return undefined
  const classifies = (name === undefined || name === 'seq_cls') && document.at('rlhf_type') === undefined
  if (!classifies || !isTextDecoder(model)) {
    const what = classifies ? 'Classification with this model' : field.key
    return reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for ms-swift`, leaveOut)
  }
  if (labels === undefined) {
    const message = 'task_type seq_cls needs num_labels, without which ms-swift does not start'
    return reader.refuse(field, 'not-in-file', message, 'Set num_labels.')
  }
  refuseBeside(reader, document)
  return { labels: readLabels(reader, labels, 'sequence-classification'), field }
}

/** Losses of its own, and the rows that it divides into texts before the head (swift/trainers/mixin.py). */
function refuseBeside(reader: FieldReader, document: Section): void {
  const joined = ['packing', 'padding_free'].map(key => document.at(key)).filter(field => isOn(reader, field))
  for (const field of [document.at('loss_type'), ...joined]) {
    if (field === undefined) continue
    reader.refuse(field, 'unsupported-setting', `${field.key} with seq_cls is not modelled yet for ms-swift`, leaveOut)
  }
  tellOfLigerNorms(reader, document.at('use_liger_kernel'))
}

/** Encoders' checkpoints are in float32, and towers are classified by code of its own. */
function isTextDecoder(model: CatalogueModel | undefined): boolean {
  if (model === undefined) return true
  const isText = !isVisionLanguageModel(model.config) && !isAudioModel(model.config)
  return isText && ['causal-lm', 'sequence-classification'].every(task => model.tasks.some(each => each === task))
}

/** What is written empty has its default. */
function written(field: Field | undefined): Field | undefined {
  return field?.value.kind === 'empty' ? undefined : field
}
