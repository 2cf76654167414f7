/** `L.Trainer(...).fit(module, datamodule)`, where the module holds one model of a library. */
import type { Field } from '../section.ts'
import { loadedBatch } from './data-loaders.ts'
import type { Evaluator } from './evaluator.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { heldModel } from './held-model.ts'
import { libraryName } from './library.ts'
import { ownLoop } from './loop.ts'
import { type Call, callExpression, type Module } from './module.ts'
import { optimizersIn } from './optimizers.ts'
import type { FoundTraining } from './transformers.ts'
import { type Located, shownAt, type Value } from './values.ts'

const BATCH = 'per_device_train_batch_size'
const MAX_CALLS = 20

export function lightningTrainings(module: Module, evaluator: Evaluator): readonly FoundTraining[] {
  const calls = (module.calls.get('fit') ?? []).slice(0, MAX_CALLS)
  return calls.flatMap(call => trainingOf(call, evaluator) ?? [])
}

function trainingOf(call: Call, evaluator: Evaluator): FoundTraining | undefined {
  const { module, scope, at, branches } = call
  const site = { module, scope, at, branches }
  const expression = callExpression(call)
  if (expression?.callee.kind !== 'attribute' || evaluator.isReached(call, site).isReached === false) return undefined
  const trainer = evaluator.evaluate(expression.callee.object, site)
  if (!isTrainer(trainer) || trainer.call === undefined) return undefined
  const { values: given, unknown } = evaluator.argumentsOf(trainer.call, trainer.site)
  const { values } = evaluator.argumentsOf(expression, site, ['model', 'train_dataloaders', 'val', 'datamodule'])
  const fitted = values.get('model')
  if (fitted?.kind !== 'instance') return { kind: 'none', why: 'its model is made by others' }
  const data = [values.get('datamodule'), values.get('train_dataloaders')].find(value => value?.kind === 'instance')
  const selves = [fitted, ...(data?.kind === 'instance' ? [data] : [])]
  const modules = [...new Set([module, ...selves.map(self => self.scope.module)])]
  const held = heldModel(fitted, evaluator)
  if (held.kind === 'none') return held
  const batch = loadedBatch(modules, BATCH, module, evaluator, selves)
  if (batch === undefined) return { kind: 'none', why: 'its batches are loaded by others' }
  const here: Located = { module, from: at, to: expression.to, remarks: [] }
  const settings = trainerFields(given, unknown, trainer, module)
  return ownLoop({
    dialect: 'Lightning',
    loop: 'lightning',
    call,
    here,
    modules,
    batch,
    optimizers: optimizersIn(fitted.scope.module, evaluator),
    ...settings,
    model: held.model,
    holder: held.head && { of: fitted, head: held.head },
    evaluator,
  })
}

function isTrainer(value: Value): value is Value & { readonly kind: 'call' } {
  if (value.kind !== 'call') return false
  const { library, name } = libraryName(value.name)
  return (library === 'lightning' || library === 'pytorch_lightning') && name === 'Trainer'
}

interface TrainerFields {
  readonly settings: readonly Field[]
  readonly notUnderstood: readonly Field[]
}

/** Lightning 2.5 trainer/trainer.py, in the keys of transformers' Trainer. */
function trainerFields(
  given: ReadonlyMap<string, Value>,
  unknown: string | undefined,
  trainer: Located,
  file: Module,
): TrainerFields {
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
      ...strategy.settings,
      ...hidden,
    ],
    notUnderstood: strategy.notUnderstood,
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

/** `auto` and -1 take every GPU of the machine. */
function deviceFields(given: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const devices = given.get('devices') ?? given.get('gpus')
  const nodes = given.get('num_nodes')
  const count =
    devices?.kind === 'list' ? devices.items.length : devices?.kind === 'number' ? devices.number : undefined
  if (devices === undefined || count === undefined || count < 1) return []
  const machines = nodes?.kind === 'number' ? nodes.number : 1
  return [saidBy(devices, 'num_processes', { kind: 'number', number: count * machines }, file, 'devices')]
}

function strategyFields(value: Value | undefined, file: Module): TrainerFields {
  const name = value?.kind === 'text' ? value.text : value?.kind === 'call' ? libraryName(value.name).name : undefined
  const isPlain =
    name === undefined
      ? value === undefined
      : /^(?:auto|gpu|cuda|cpu|mps|ddp\w*|DDPStrategy|single_device|dp_?)$/.test(name)
  if (value === undefined || isPlain) return { settings: [], notUnderstood: [] }
  if (value.kind === 'open') return { settings: [openField(value, 'fsdp', value.why, file)], notUnderstood: [] }
  return {
    settings: [],
    notUnderstood: [saidBy(value, 'strategy', { kind: 'text', text: name ?? '' }, file, 'strategy')],
  }
}
