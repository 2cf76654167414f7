/**
 * Recognises files that a finished run leaves: W&B's and Hydra's config.yaml, ms-swift's args.json, Ultralytics' args.yaml, manifests and
 * exports. They repeat a training's arguments, mostly beside its results, and no training starts from them.
 */
import type { Field, Section } from '../text/section.ts'

/** `wandb/run-20240102_030405-abc/files/config.yaml`, and copies of it a folder below `wandb`. */
const wandbPath = /(?:^|\/)wandb\/(?:(?:offline-)?run-[^/]+|latest-run|[^/]+)\/(?:files\/)?config\.ya?ml$/i

/**
 * Lightning 2.6 loggers/tensorboard.py: `lightning_logs/version_0/hparams.yaml`; accelerate 1.15 tracking.py TensorBoardTracker:
 * `logs/text2image/1700182436.0744355/hparams.yml`, in a folder named by the seconds since 1970.
 */
const hparamsPath = /(?:^|\/)(?:version_\d{1,9}\/hparams\.yaml|\d{10}(?:\.\d{1,9})?\/hparams\.yml)$/

/** Hydra 1.3, hydra.output_subdir: `outputs/2024-01-02/03-04-05/.hydra/config.yaml`. */
const hydraPath = /(?:^|\/)\.hydra\/[^/]+\.ya?ml$/

/** `results/seed2025/run.json`, `all_results.json` (Trainer.save_metrics of transformers): what stands there is written by a program. */
function isAmongResults(path: string): boolean {
  const [name = '', ...folders] = path.split('/').toReversed()
  if (!/\.json$/i.test(name)) return false
  return (
    /(?:^|[_-])(?:results|metrics)\.json$/i.test(name) || folders.some(folder => /^(?:results|metrics)$/i.test(folder))
  )
}

/** As deep as a record's own keys stand, and as many mappings as are looked through. */
const LEVELS = 2
const MAX_SECTIONS = 100

/** Keys for times of a finished run. */
const momentKeys =
  /^(?:(?:created|started|finished|completed|ended|exported|generated|recorded|saved|run|trained|training)_?(?:at|on|utc|time|date)|(?:start|end|finish|completion|export|creation)_?(?:time|date)|timestamp|datetime)(?:_utc)?$/i
const moment = /^\d{4}-\d\d-\d\d[T _]\d\d[:-]?\d\d|^\d{8}[T_-]\d{4}/
/** Seconds since 1970, of this century. */
const EARLIEST_SECONDS = 1e9

/** Keys for results, and for the environment of a run. */
const outcomeKeys =
  /^(?:(?:\w+_)?(?:results?|metrics|history|artifacts|summary)|outcome|provenance|environment|hardware|system_info|host(?:name)?|git(?:_\w+)?|commit(?:_\w+)?|(?:duration|elapsed|runtime|wall|training_time)(?:_\w+)?|(?:epoch|step|train|eval|val)_losses|(?:python|torch|cuda)_version|(?:(?:package|library)_)?versions|cuda_available|exit_code|(?:run|experiment)_id|data(?:set)?_(?:sha256|hash)|(?:data|dataset|system|training)_(?:info|stats|progress|summary))$/i
const stateKeys = /^(?:status|state|phase)$/i
const ended = /^(?:completed?|finished|succeeded|success|failed|crashed|killed|stopped|done|ok)$/i

/** Numbers that only a run can have measured, in a mapping that says so. */
const resultSection = /(?:^|\.)(?:\w+_)?(?:results?|metrics)$/i
const measured =
  /^(?:(?:train|eval|test|val|valid|validation|final|best)_(?:loss|accuracy|acc|f1|perplexity|runtime|samples_per_second|steps_per_second)(?:_final|_best)?|(?:loss|perplexity|runtime|wall_clock|throughput)(?:_\w+)?|peak_\w+|tokens_per_sec\w*)$/i

/** A loss to more digits than anyone types. */
const MEASURED_DIGITS = 8
const isOfLoss = /(?:^|_)loss(?:_|$)/i

/** Why it is one, as a sentence; undefined for what may be a config. */
export function whyRecord(document: Section, path: string): string | undefined {
  if (isOfWandb(document)) return `${recorded} by Weights & Biases: every key holds its value under "value".`
  const writer = document.at('swift_version')
  if (writer !== undefined)
    return `${recorded}: ${shown(writer)} is of the arguments that ms-swift writes beside its checkpoints.`
  const folder = document.at('imgsz') && document.at('mode') && document.at('save_dir')
  if (folder?.value.kind === 'text')
    return `${recorded}: ${shown(folder)} is of the arguments that Ultralytics writes beside its results.`
  const log = document.at('renderer_name') && document.at('log_path')
  if (log !== undefined)
    return `${recorded}: ${shown(log)} is of the arguments that Tinker's cookbook writes beside its logs, of a training on other machines.`
  const iterations = path.endsWith('adapter_config.json') ? document.at('iters') : undefined
  if (iterations !== undefined)
    return `${recorded}: ${shown(iterations)} is of the arguments that mlx-lm writes beside its adapters.`
  if (wandbPath.test(path)) return `${recorded} by Weights & Biases, in whose folder it stands.`
  if (hydraPath.test(path)) return `${recorded} by Hydra, in whose folder it stands.`
  if (hparamsPath.test(path)) return `${recorded}: its name and folder are those of a log for TensorBoard.`
  if (isAmongResults(path)) return `${recorded}: it stands among results, which programs write.`
  const sections = document.nested(LEVELS).slice(0, MAX_SECTIONS)
  const result = sections
    .filter(({ name }) => resultSection.test(name))
    .flatMap(fieldsOf)
    .find(isMeasured)
  const fields = sections.flatMap(fieldsOf)
  const seen = result ?? fields.find(isMeasuredLoss)
  if (seen !== undefined) return `${recorded}: ${shown(seen)} was measured in one.`
  const [first, second] = path.endsWith('.json') ? fieldsOf(document).filter(isMeasured) : []
  if (second !== undefined && first !== undefined)
    return `${recorded}: ${shown(first)} and ${shown(second)} were measured in one.`
  const saved = sections.find(isSavedAdapter)?.at('peft_type')
  if (saved !== undefined) return `${recorded}: ${shown(saved)} is of adapters that peft saved after one.`
  const when = fields.find(isMoment)
  if (when !== undefined && path.endsWith('metadata.json')) return `${recorded}: ${shown(when)} says when it was.`
  const what = when && fields.find(field => isOutcome(field, when))
  return when && what && `${recorded}: ${shown(when)} says when it was, beside ${shown(what)}.`
}

const recorded = 'It is a record of a run, not a training config'

/** `{ desc: null, value: 8 }` under each key, beside `wandb_version` and `_wandb`. */
function isOfWandb(document: Section): boolean {
  const fields = fieldsOf(document)
  const values = fields.filter(({ value }) => value.kind === 'mapping' && isValue(value.section))
  const others = fields.filter(field => !values.includes(field) && !/^_?wandb/.test(field.key))
  return values.length >= 2 && others.length === 0
}

function isValue({ fields }: Section): boolean {
  return fields.has('value') && [...fields.keys()].every(key => key === 'value' || key === 'desc')
}

/** peft 0.21, PeftModel.save_pretrained: what is saved beside trained adapters says that they are for inference. */
function isSavedAdapter(section: Section): boolean {
  const inference = section.at('inference_mode')?.value
  return section.at('peft_type') !== undefined && inference?.kind === 'flag' && inference.flag
}

function isMeasured({ key, value }: Field): boolean {
  return measured.test(key) && value.kind === 'number'
}

function isMeasuredLoss({ key, value }: Field): boolean {
  const digits = value.kind === 'number' ? String(value.number).replaceAll(/\D/g, '').length : 0
  return digits >= MEASURED_DIGITS && isOfLoss.test(key)
}

function isMoment({ key, value }: Field): boolean {
  if (!momentKeys.test(key)) return false
  return value.kind === 'number' ? value.number >= EARLIEST_SECONDS : value.kind === 'text' && moment.test(value.text)
}

function isOutcome(field: Field, when: Field): boolean {
  const { key, value } = field
  if (stateKeys.test(key)) return value.kind === 'text' && ended.test(value.text)
  const isAnother = momentKeys.test(key) && key !== when.key && isMoment(field)
  return isAnother || (outcomeKeys.test(key) && value.kind !== 'empty')
}

function fieldsOf({ fields }: Section): readonly Field[] {
  return [...fields.values()]
}

function shown({ name, at }: Field): string {
  return `${name.slice(0, 100)} (line ${at.line})`
}
