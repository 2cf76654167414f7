import { readsSound } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { type Task, tasks } from '../../../training/choices.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { checkTask } from '../../fields/model-fields.ts'
import { oneOf, quote } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'

export type Find = (...keys: string[]) => Field | undefined

export interface TaskChoice {
  readonly task: Task
  /** Classes that the task implies. */
  readonly labels?: number
}

/** Our names and the Hub's pipeline tags. */
const taskNames: ReadonlyMap<string, Task> = new Map<string, Task>([
  ...tasks.map(task => [task, task] as const),
  ['text-classification', 'sequence-classification'],
  ['sentiment-analysis', 'sequence-classification'],
  ['ner', 'token-classification'],
  ['fill-mask', 'masked-lm'],
  ['mlm', 'masked-lm'],
  ['text-generation', 'causal-lm'],
  ['clm', 'causal-lm'],
  ['summarization', 'seq2seq-lm'],
  ['translation', 'seq2seq-lm'],
  ['text2text-generation', 'seq2seq-lm'],
  ['automatic-speech-recognition', 'seq2seq-lm'],
  // Whisper's own words.
  ['transcribe', 'seq2seq-lm'],
  ['translate', 'seq2seq-lm'],
])

/** Classes of the GLUE tasks as run_glue.py names them; stsb is a regression. */
const glueLabels: ReadonlyMap<string, number> = new Map([
  ['cola', 2],
  ['mnli', 3],
  ['mrpc', 2],
  ['qnli', 2],
  ['qqp', 2],
  ['rte', 2],
  ['sst2', 2],
  ['stsb', 1],
  ['wnli', 2],
])

/** What the config says, else what its other arguments imply, else the model's default task. */
export function readTask(reader: FieldReader, find: Find, model: CatalogueModel | undefined): TaskChoice | undefined {
  const written = find('task')
  // A section of that name describes the team's task, and names none of transformers'.
  const field = reader.fieldFor('task', written?.value.kind === 'mapping' ? undefined : written)
  const named = readNamedTask(reader, field, model) ?? readTaskName(find('task_name'))
  if (model === undefined) return named
  if (named !== undefined) {
    checkTask(reader, field ?? find('task_name'), named.task, model)
    return named
  }
  const inferred = inferTask(find)
  const meant = inferred && readsSound(model.config) ? tasksOfSound.get(inferred) : inferred
  if (meant !== undefined && model.tasks.includes(meant)) return { task: meant }
  if (field === undefined || isDataSets(field))
    reader.assume(`The task is ${model.defaultTask}: the config does not name one.`)
  return { task: model.defaultTask }
}

/** What names that others share mean of sound: Wav2Vec2ForSequenceClassification classifies it. */
const tasksOfSound: ReadonlyMap<string, Task> = new Map<string, Task>([
  ['automatic-speech-recognition', 'ctc'],
  ['sequence-classification', 'audio-classification'],
])

function readNamedTask(
  reader: FieldReader,
  field: Field | undefined,
  model: CatalogueModel | undefined,
): TaskChoice | undefined {
  const name = reader.text(field)
  if (name === undefined) return undefined
  const said = name.toLowerCase().replaceAll('_', '-')
  const ofSound = model && readsSound(model.config) ? tasksOfSound.get(said) : undefined
  const task = ofSound ?? taskNames.get(said)
  if (task !== undefined) return { task }
  const glue = glueTask(name)
  if (glue !== undefined) return glue
  // An option of the script's own may name a data set by it.
  if (field === undefined || field.name.startsWith('-') || isDataSets(field)) return undefined
  return reader.refuse(field, 'unsupported-task', `The task ${quote(name)} is not supported`, `Use ${oneOf(tasks)}.`)
}

/** `SubtaskA`, `task_2b`, `SemEval-2024` */
const namesDataSet = /^(?:(?:sub)?(?:task|track)[-_ ]?(?:\d+[a-z]?|[a-e])|semeval[-_ ]?\w*)$/i

function isDataSets({ value }: Field): boolean {
  return value.kind === 'text' && namesDataSet.test(value.text)
}

/** What run_ner.py takes as a task_name. */
const tokenTasks: ReadonlySet<string> = new Set(['ner', 'pos', 'chunk'])

/** A task_name outside GLUE and run_ner.py is a data set's, and says nothing. */
function readTaskName(field: Field | undefined): TaskChoice | undefined {
  if (field?.value.kind !== 'text') return undefined
  const { text } = field.value
  return tokenTasks.has(text.toLowerCase()) ? { task: 'token-classification' } : glueTask(text)
}

function glueTask(name: string): TaskChoice | undefined {
  const labels = glueLabels.get(name.toLowerCase().replaceAll('-', ''))
  return labels === undefined ? undefined : { task: 'sequence-classification', labels }
}

/** Judging by arguments that only run_mlm.py, or only run_clm.py and TRL's SFT trainer, accept. */
function inferTask(find: Find): Task | undefined {
  const mlm = find('mlm')?.value
  if (mlm?.kind === 'flag') return mlm.flag ? 'masked-lm' : 'causal-lm'
  if (find('mlm_probability', 'line_by_line') !== undefined) return 'masked-lm'
  if (find('dataset_text_field', 'packing', 'block_size') !== undefined) return 'causal-lm'
  return find('num_labels') === undefined ? undefined : 'sequence-classification'
}
