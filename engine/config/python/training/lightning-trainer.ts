/** The arguments of Lightning 2.5's Trainer, in the keys of transformers' Trainer. */
import { type Field, type FieldValue, Section } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { deviceCount } from '../values/trainer-attributes.ts'
import { type LibraryCall, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'

export interface TrainerFields {
  readonly settings: readonly Field[]
  readonly notUnderstood: readonly Field[]
}

/** Lightning 2.5 trainer/trainer.py, in the keys of transformers' Trainer. */
export function trainerFields(trainer: LibraryCall, file: Module, evaluator: Evaluator): TrainerFields {
  const { values: given, unknown } = trainer.call
    ? evaluator.argumentsOf(trainer.call, trainer.site)
    : { values: new Map<string, Value>(), unknown: undefined }
  const accumulation = given.get('accumulate_grad_batches')
  const hidden =
    unknown === undefined ? [] : [openField(trainer, 'fp16', `what is unpacked from ${unknown} may set it`, file)]
  const strategy = strategyFields(given.get('strategy') ?? given.get('accelerator'), file)
  return {
    settings: [
      ...precisionFields(given.get('precision'), file),
      ...(accumulation === undefined
        ? []
        : [{ ...fieldOf('gradient_accumulation_steps', accumulation, file), name: 'accumulate_grad_batches' }]),
      ...deviceFields(given, file),
      ...acceleratorFields(given.get('accelerator'), file),
      ...strategy.settings,
      ...hidden,
    ],
    notUnderstood: [...strategy.notUnderstood, ...pluginFields(given.get('plugins'), file)],
  }
}

function precisionFields(value: Value | undefined, file: Module): readonly Field[] {
  if (value === undefined || value.kind === 'none') return []
  const written = value.kind === 'number' ? String(value.number) : value.kind === 'text' ? value.text : undefined
  const said = (key: string, flag: Field['value']) => [saidBy(value, key, flag, file, 'precision')]
  switch (written) {
    case '32':
    case '32-true':
      return said('fp16', { kind: 'flag', flag: false })
    case '16':
    case '16-mixed':
      return said('fp16', { kind: 'flag', flag: true })
    case 'bf16':
    case 'bf16-mixed':
      return said('bf16', { kind: 'flag', flag: true })
    case 'bf16-true':
      return said('torch_dtype', { kind: 'text', text: 'bfloat16' })
    default:
      return [
        openField(value, 'fp16', value.kind === 'open' ? value.why : `it is ${shownAt(value.module, value)}`, file),
      ]
  }
}

/** Lightning 2.6 plugins/precision: one of them in the place of what `precision` says. Others tell of clusters and of checkpoints. */
function pluginFields(value: Value | undefined, file: Module): readonly Field[] {
  if (value === undefined || value.kind === 'none') return []
  const written = value.module.text.slice(value.from, value.to)
  return /precision/i.test(written)
    ? [saidBy(value, 'plugins', { kind: 'text', text: 'plugins' }, file, 'plugins')]
    : []
}

function deviceFields(given: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const devices = given.get('devices') ?? given.get('gpus')
  const count = deviceCount(given)
  if (devices === undefined || count === undefined) return []
  return [saidBy(devices, 'num_processes', { kind: 'number', number: count }, file, 'devices')]
}

/** Until 1.6 it also named strategies. */
function acceleratorFields(value: Value | undefined, file: Module): readonly Field[] {
  return value?.kind === 'text' ? [fieldOf('accelerator', value, file)] : []
}

function strategyFields(value: Value | undefined, file: Module): TrainerFields {
  const name = value?.kind === 'text' ? value.text : value?.kind === 'call' ? libraryName(value.name).name : undefined
  const isPlain =
    name === undefined
      ? value === undefined
      : /^(?:auto|gpu|cuda|cpu|mps|ddp\w*|DDPStrategy|single_device|dp_?)$/.test(name)
  if (value === undefined || isPlain) return { settings: [], notUnderstood: [] }
  if (value.kind === 'open') return { settings: [openField(value, 'fsdp', value.why, file)], notUnderstood: [] }
  const [deepSpeed, stage] = /^deepspeed(?:_stage_([123]))?$/.exec(value.kind === 'text' ? value.text : '') ?? []
  if (deepSpeed !== undefined) return { settings: [stageField(value, stage, file)], notUnderstood: [] }
  return {
    settings: [],
    notUnderstood: [saidBy(value, 'strategy', { kind: 'text', text: name ?? '' }, file, 'strategy')],
  }
}

/** Lightning 2.6 strategies/deepspeed.py: stage 2 where the name has none, and what it gives DeepSpeed besides. */
function stageField(strategy: Value, stage: string | undefined, file: Module): Field {
  const said = (key: string, value: FieldValue) => saidBy(strategy, key, value, file, 'strategy')
  const zero = Section.of([
    said('stage', { kind: 'number', number: Number(stage ?? 2) }),
    said('overlap_comm', { kind: 'flag', flag: true }),
    said('reduce_bucket_size', { kind: 'number', number: 200_000_000 }),
    said('sub_group_size', { kind: 'number', number: 1_000_000_000_000 }),
  ])
  return said('deepspeed', {
    kind: 'mapping',
    section: Section.of([said('zero_optimization', { kind: 'mapping', section: zero })]),
  })
}
