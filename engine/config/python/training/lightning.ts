/** `L.Trainer(...).fit(module, datamodule)`, where the module holds one model of a library. */

import { plain } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { isTrainer } from '../values/trainer-attributes.ts'
import type { LibraryCall, Located, Value } from '../values/values.ts'
import { accumulationFields } from './accumulation.ts'
import { batchOfLoader, loadedBatch } from './data-loaders.ts'
import { fieldOf } from './fields.ts'
import { heldModel } from './held-model.ts'
import { trainerFields } from './lightning-trainer.ts'
import { ownLoop } from './loop.ts'
import { precisionFields } from './loop-settings.ts'
import { argument } from './model-chain.ts'
import { configuredOptimizers } from './optimizers.ts'
import type { FoundTraining } from './transformers.ts'

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
  if (!isTrainer(trainer)) return undefined
  // What it fits may ask for it.
  evaluator.trainer = trainer
  const { values } = evaluator.argumentsOf(expression, site, ['model', 'train_dataloaders', 'val', 'datamodule'])
  const data = [values.get('datamodule'), values.get('train_dataloaders')].find(
    value => value !== undefined && value.kind !== 'none',
  )
  return fittedTraining({ call, to: expression.to, trainer, fitted: values.get('model'), data, evaluator })
}

/** A module that a trainer fits to the batches of a data module, or to its own. */
export interface Fit {
  /** By which the training is known. */
  readonly call: Call
  readonly to: number
  readonly trainer: LibraryCall
  readonly fitted: Value | undefined
  readonly data: Value | undefined
  /** Of the settings, where the module makes none. */
  readonly optimizer?: Value | undefined
  /** `Lightning` where code calls fit(). */
  readonly dialect?: string
  readonly evaluator: Evaluator
}

export function fittedTraining(fit: Fit): FoundTraining {
  const { call, to, trainer, data, evaluator } = fit
  const fitted = uncompiled(fit.fitted, evaluator)
  const { module, at } = call
  evaluator.trainer = trainer
  evaluator.fittedData = data
  if (fitted?.kind !== 'instance') return { kind: 'none', why: whyNoModule(fitted) }
  const selves = [fitted, ...(data?.kind === 'instance' ? [data] : [])]
  const classes = selves.flatMap(({ scope }) => [scope, ...evaluator.classes.bases(scope)])
  const modules = [...new Set([module, ...classes.map(scope => scope.module)])]
  evaluator.unused = modulesBeside(classes, modules, evaluator)
  const held = heldModel(fitted, evaluator)
  if (held.kind === 'none') return held
  const batch =
    batchOfLoader(data, BATCH, module, evaluator) ??
    loadedBatch(modules, BATCH, module, evaluator, selves) ??
    batchOfLibrary(data, module, evaluator)
  if (batch === undefined) return { kind: 'none', why: 'its batches are loaded by others' }
  const here: Located = { module, from: at, to, remarks: [] }
  const { settings, notUnderstood } = trainerFields(trainer, module, evaluator)
  return ownLoop({
    dialect: fit.dialect ?? 'Lightning',
    loop: 'lightning',
    call,
    here,
    modules,
    batch,
    optimizers: configuredOptimizers(fitted, fit.optimizer, evaluator),
    settings: [...settings, ...ofSteps(settings, modules, evaluator)],
    notUnderstood,
    model: held.model,
    holder: held.head && { of: fitted, head: held.head },
    evaluator,
  })
}

/** What a module's own steps say where the trainer does not: autocast in training_step(), steps that it takes by hand. */
function ofSteps(said: readonly Field[], modules: readonly Module[], evaluator: Evaluator): readonly Field[] {
  const isSaid = (keys: RegExp) => said.some(({ key }) => keys.test(key))
  const first = (read: typeof precisionFields) =>
    modules.map(each => read(each, evaluator)).find(({ length }) => length > 0) ?? []
  return [
    ...(isSaid(/^(?:fp16|bf16|torch_dtype)$/) ? [] : first(precisionFields)),
    ...(isSaid(/^gradient_accumulation_steps$/) ? [] : first(accumulationFields)),
  ]
}

/** A file may define a module for each of several trainings. */
function modulesBeside(used: readonly Scope[], files: readonly Module[], evaluator: Evaluator): ReadonlySet<Scope> {
  const others = files.flatMap(({ classes }) => [...classes.values()]).filter(scope => !used.includes(scope))
  return new Set(others.filter(scope => /\bLightning(?:Data)?Module$/.test(evaluator.classes.libraryBase(scope) ?? '')))
}

/** `torch.compile(module)` is that module. */
function uncompiled(value: Value | undefined, evaluator: Evaluator): Value | undefined {
  return value?.kind === 'call' && value.name === 'torch.compile' ? argument(value, 'model', 0, evaluator) : value
}

function whyNoModule(fitted: Value | undefined): string {
  if (fitted?.kind === 'open') return fitted.why
  return fitted?.kind === 'call' && fitted.call !== undefined
    ? `its model comes from ${plain(fitted.name)}, which is not in the repository`
    : 'its model is made by others'
}

/** Of a library's data module, whose argument says it by its name. */
function batchOfLibrary(data: Value | undefined, file: Module, evaluator: Evaluator): Field | undefined {
  if (data?.kind !== 'call' || data.call === undefined) return undefined
  const { values } = evaluator.argumentsOf(data.call, data.site)
  const given = values.get('batch_size') ?? values.get('train_batch_size')
  return given && fieldOf(BATCH, given, file)
}
