/** The arguments of a launch as the fields that formats read, each with the place of its literal in the launcher's file. */

import { wordSet } from '../../base/word-list.ts'
import type { PassedArgument } from '../reading.ts'
import { plain, plainSentence } from '../text/quote.ts'
import type { Field, FieldValue } from '../text/section.ts'
import type { Given } from './given.ts'
import type { Launch, Processes } from './launch.ts'
import type { Argument } from './options.ts'
import type { ShellText } from './shell-text.ts'

/** `file`: the launcher's path, where it is another file than the one being read. */
export function argumentFields(
  { arguments: all }: Pick<Launch, 'arguments'>,
  shell: ShellText,
  file?: string,
): readonly Field[] {
  return all.map(argument => fieldOf(argument, shell, file))
}

function fieldOf(
  { key, name, values, at, remarks: own = [] }: Argument,
  shell: ShellText,
  file: string | undefined,
): Field {
  const [first] = values
  const remarks = [...new Set([...own, ...values.flatMap(value => value.remarks)].map(plainSentence))]
  const isNegated = first === undefined && /^no_./.test(key)
  return {
    key: isNegated ? key.slice(3) : key,
    name: plain(name),
    value: first === undefined ? { kind: 'flag', flag: !isNegated } : fieldValue(values, shell),
    at: shell.positionOf(first?.from ?? at),
    source: plain(values.map(({ text }) => text).join(' ') || name),
    ...(file !== undefined && { file }),
    ...(remarks.length > 0 && { assumptions: remarks }),
  }
}

function fieldValue(values: readonly Given[], shell: ShellText): FieldValue {
  const open = values.find(({ why }) => why !== undefined)
  if (open?.why !== undefined) return { kind: 'open', why: open.why }
  const [only] = values
  if (values.length === 1 && only !== undefined) return typed(only.text)
  return {
    kind: 'list',
    items: values.map(({ text, from }) => ({ ...typed(text), at: shell.positionOf(from), source: plain(text) })),
  }
}

/** As argparse and OmegaConf take it. */
function typed(text: string): FieldValue {
  if (/^-?\d{1,15}(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return { kind: 'number', number: Number(text) }
  if (/^true$/i.test(text)) return { kind: 'flag', flag: true }
  if (/^false$/i.test(text)) return { kind: 'flag', flag: false }
  if (/^(?:none|null|)$/i.test(text)) return { kind: 'empty' }
  return { kind: 'text', text }
}

/** How many GPUs train, as a field; undefined where the launch does not say. */
export function gpusField(processes: Processes, shell: ShellText, at: number): Field | undefined {
  if (processes.kind === 'unsaid' || processes.kind === 'visible') return undefined
  const place = { file: shell.path, key: 'gpus', name: processes.kind === 'count' ? plain(processes.by) : 'gpus' }
  if (processes.kind === 'open')
    return { ...place, at: shell.positionOf(at), source: '?', value: { kind: 'open', why: processes.why } }
  const { count, from, remarks = [] } = processes
  return {
    ...place,
    at: shell.positionOf(from),
    source: String(count),
    value: { kind: 'number', number: count },
    ...(remarks.length > 0 && { assumptions: remarks.map(plainSentence) }),
  }
}

/** How many GPUs one process sees, where they are several. */
export function visibleField(processes: Processes, shell: ShellText): Field | undefined {
  if (processes.kind !== 'visible') return undefined
  return gpusField({ ...processes, kind: 'count' }, shell, processes.from)
}

/** What variables hold that may be further arguments, one sentence. */
export function remarkOnHidden({ hidden = [] }: Pick<Launch, 'hidden'>): readonly string[] {
  if (hidden.length === 0) return []
  const whys = [...new Set(hidden.slice(0, 3).map(({ why = '' }) => why))].join('; ')
  return [plainSentence(`Further arguments may be in what only a run can tell, so that nothing blocks: ${whys}.`)]
}

/** Options by which scripts take the file of their settings: `--config`, `--yaml_config`, `--cfg_path`, `--training_args_file`. */
const configWords = wordSet('config configs job.config cfg conf yaml yml hparams recipe args')
const fileWords = wordSet('file path yaml yml json')
/** Of a part of the training, or of what is done beside it. */
const otherWords = wordSet(`
  accelerate adapter bnb data dataset deepspeed ds eval evaluation fsdp generation inference log logging lora model optimizer peft
  prompt quant quantization reward sweep test tokenizer val vllm wandb
`)

/** Whether the option is for the config of a training. One of a part of it, `rollout.multi_turn.tool_config_path=…`, is for another. */
export function isForConfig({ key }: Pick<Argument, 'key'>): boolean {
  const words = key.split('_')
  if (key.includes('.') && !configWords.has(words[0] ?? '')) return false
  const last = words.length > 1 && fileWords.has(words.at(-1) ?? '') ? words.at(-2) : words.at(-1)
  const isConfig = configWords.has(last ?? '') || (words.length > 1 && configWords.has(words.at(-1) ?? ''))
  return isConfig && !words.some(word => otherWords.has(word))
}

/** Arguments in which two runs may differ and still need the same memory. */
const withoutBearing =
  /^(?:output_dir|run_name|seed|data_seed|learning_rate|lr|num_train_epochs|epochs|max_steps|logging_\w+|save_\w+|eval_(?!only)\w+|report_to|warmup_\w+|weight_decay|project|name|data|dataset\w*|\w*_file|\w*_path|(?=\w*data)\w+|task_name|hub_\w+|push_to_hub|beta)$/

/** Paths and names of data have none, those of models have. */
const decides = /^(?!hub_|save_|load_best_|output_|push_)\w*(?:model|deepspeed|adapter)/

export function bearing({ key }: Pick<Field, 'key'>): boolean {
  return decides.test(key) || !withoutBearing.test(key)
}

/** As a script is given them, with the offsets of their literals. */
export function passedArguments(
  { arguments: all, positional }: Pick<Launch, 'arguments' | 'positional'>,
  launcher: PassedArgument['launcher'],
): readonly PassedArgument[] {
  // Which parameter a word without an option is for, the order decides: by no name of a parser.
  const words = positional.map(({ text, from }) => ({ name: text, values: [], launcher, from }))
  const options = all.map(({ key, values, at }) => ({
    name: key,
    values: values.map(value => ({ ...value, remarks: value.remarks.map(plainSentence) })),
    launcher,
    from: at,
  }))
  return [...options, ...words]
}
