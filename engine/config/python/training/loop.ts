/** A training loop that a script writes itself around a library's model, expressed in the keys of a recipe. */
import type { Loop } from '../../../training/choices.ts'
import { type Declared, peftAdapters } from '../../dialects/huggingface/declared.ts'
import { type Field, Section } from '../../text/section.ts'
import { libraryName, taskOfClass } from '../library.ts'
import { type Call, callExpression, classAround, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { type Instance, type LibraryCall, type Located, placeIn, type Value } from '../values/values.ts'
import { accumulationFields } from './accumulation.ts'
import { adapterFields } from './adapters.ts'
import { withCastInPlace } from './cast-in-place.ts'
import { checkpointing } from './checkpointing.ts'
import { loadedBatch } from './data-loaders.ts'
import { fabricFields } from './fabric.ts'
import { openField, saidBy } from './fields.ts'
import { frozenWeights } from './frozen-weights.ts'
import { labelsOfHead, replacedLayers } from './given-layers.ts'
import { heldModel, isModule, tellHolder } from './held-model.ts'
import { iteratedBatch } from './iterated-loader.ts'
import { leftOff } from './left-off.ts'
import { loopFiles } from './loop-files.ts'
import { castInPlace, dividesBatch, imageFields, notFollowed, precisionFields } from './loop-settings.ts'
import { classLoaded, hasOpenClass, isLoad, type ModelChain, modelChain } from './model-chain.ts'
import { type Loaded, loadedFields } from './model-loading.ts'
import { staysOnProcessor } from './on-gpu.ts'
import { type FoundOptimizer, severalOptimizers } from './optimizers.ts'
import { aroundLoop, told } from './own-steps.ts'
import { processSettings } from './process-settings.ts'
import { lengthFields } from './sequence-length.ts'
import type { FoundTraining } from './transformers.ts'
import { uncountedChanges } from './uncounted-changes.ts'
import { visibleGpus } from './visible-gpus.ts'
import { isVisionModel } from './vision-models.ts'

const BATCH = 'per_device_train_batch_size'
const MAX_CALLS = 20

/** Undefined for a file that goes backward nowhere, or loads no batches, or no model that is known. */
export function loopTraining(module: Module, evaluator: Evaluator): FoundTraining | undefined {
  const files = loopFiles(module, evaluator)
  if (files === undefined) return undefined
  const { modules, start, optimizers } = files
  const loaded = loadedBatch(modules, BATCH, module, evaluator)
  if (loaded === undefined) return undefined
  const batch = iteratedBatch(start, BATCH, module, evaluator) ?? loaded
  const trained = trainedModel(module, optimizers, evaluator)
  if (trained === undefined) return undefined
  const { model, holder } = trained
  if (model.kind === 'open') return { kind: 'none', why: model.why }
  const here: Located = { module, from: start.at, to: start.node.to, remarks: [] }
  const settingsOf = (read: typeof precisionFields) =>
    modules.map(each => read(each, evaluator)).find(({ length }) => length > 0) ?? []
  const fabric = fabricFields(modules, module, evaluator)
  const written = [...modules, ...(holder === undefined ? [] : [holder.of.scope.module])]
  const processor = staysOnProcessor(written, evaluator)
    ? [saidBy(here, 'accelerator', { kind: 'text', text: 'cpu (nothing is moved to a GPU)' }, module, 'backward')]
    : []
  return ownLoop({
    dialect: 'PyTorch',
    loop: 'plain',
    call: start,
    here,
    modules,
    notUnderstood: fabric?.notUnderstood ?? [],
    batch,
    optimizers,
    settings: [...(fabric?.settings ?? settingsOf(precisionFields)), ...settingsOf(accumulationFields), ...processor],
    model,
    holder,
    evaluator,
  })
}

/** The repository's own class that holds a library's model. */
interface Holder {
  readonly of: Instance
  /** The layers that it puts on top. */
  readonly head: Located | undefined
}

export interface OwnLoop {
  readonly dialect: string
  readonly loop: Loop
  readonly call: Call
  readonly here: Located
  /** Files that the training is written in. */
  readonly modules: readonly Module[]
  readonly batch: Field
  readonly optimizers: readonly FoundOptimizer[]
  /** Of precision, accumulation, GPUs. */
  readonly settings: readonly Field[]
  readonly notUnderstood: readonly Field[]
  readonly model: Value
  readonly holder?: Holder | undefined
  readonly evaluator: Evaluator
}

export function ownLoop(loop: OwnLoop): FoundTraining {
  const { dialect, call, here, modules, optimizers, settings, evaluator } = loop
  const { module } = call
  const chain = withCastInPlace(modelChain(loop.model, evaluator), call, modules, evaluator)
  const { loaded } = chain
  if (loaded === undefined || loaded.kind === 'text') return { kind: 'none', why: 'its model is defined in the code' }
  const isVision = isVisionModel(loaded)
  const { holder } = loop
  if (
    !isVision &&
    holder?.head === undefined &&
    !hasOpenClass(loaded) &&
    taskOfClass(classLoaded(loaded)) === undefined &&
    !/ForConditionalGeneration$|ForPreTraining$/.test(classLoaded(loaded))
  )
    return {
      kind: 'none',
      why: `what is trained on top of the model (${placeIn(loaded.module, loaded.from)}) is the code's own`,
    }
  const found = loadedFields(chain, module, evaluator)
  const adapter = adapterFields(chain.peftConfig, chain, module, evaluator)
  const divided = modules.map(each => dividesBatch(each, evaluator)).find(found => found !== undefined)
  const batch =
    divided === undefined ? { ...loop.batch, name: 'batch_size' } : openField(divided.by, BATCH, divided.why, module)
  const model = found.fields.find(({ key }) => key === 'model_name_or_path')
  if (batch.value.kind === 'open' && (model === undefined || model.value.kind === 'open'))
    return { kind: 'none', why: batch.value.why }
  const labels = isVision ? labelsOfHead(loaded, module, evaluator) : []
  const named = labels.length > 0 ? found.fields.filter(({ key }) => key !== 'num_labels') : found.fields
  const fields = [...named, ...labels, ...taskOfHead(loop, loaded, found), batch, ...settings, ...adapter.fields]
  const lengthsIn = (each: Module) =>
    isVision ? imageFields(each, evaluator) : lengthFields(fields, each, evaluator, module)
  const lengths = modules.map(lengthsIn).find(({ length }) => length > 0) ?? []
  const extra = [
    ...checkpointing(fields, { chain, loaded: found, isEnabledAgain: false }, module, evaluator),
    ...lengths,
    ...optimizerFields(optimizers, here, module),
  ]
  const document = Section.of([...fields, ...extra].filter(({ value }) => value.kind !== 'empty'))
  const [optimizer] = optimizers
  const made = optimizers.length === 1 && optimizer?.kind !== undefined ? optimizer : undefined
  const visible = visibleGpus(call, evaluator)
  const frozen = frozenWeights(adapter.fields.length > 0 ? [] : modules, loaded, call, evaluator)
  const declared: Declared = {
    trainer: 'trainer',
    trainerField: saidBy(here, 'loop', { kind: 'text', text: dialect }, module, dialect),
    argumentsOf: 'transformers',
    adaptersOf: peftAdapters,
    ...(found.loadsStoredType && { loadsStoredType: found.loadsStoredType }),
    ...(frozen.byHand && { frozen: frozen.byHand }),
    ...(visible && { visible }),
    ownLoop: {
      dialect,
      loop: loop.loop,
      optimizer: made?.kind && {
        name: made.kind,
        field: saidBy(made, 'optimizer', { kind: 'text', text: made.kind }, module, made.name),
      },
    },
  }
  const notUnderstood = [
    ...[...found.notUnderstood, ...loop.notUnderstood, ...frozen.notUnderstood],
    ...replacedLayers(loaded, module, evaluator),
    ...modules.flatMap(each => notFollowed(each, evaluator)),
    ...(chain.cast === undefined ? modules.flatMap(each => castInPlace(each, evaluator)) : []),
    ...otherModels(loaded, here, loop),
  ]
  const unread = [...found.unread, ...adapter.unread]
  const assumptions = [
    ...[
      ...found.assumptions,
      ...frozen.assumptions,
      ...(holder === undefined ? [] : [tellHolder(holder.of, holder.head, evaluator)]),
    ],
    ...leftOff(fields, chain.peftConfig, [...new Set([...modules, loaded.module])], evaluator),
    ...(frozen.byHand === undefined && adapter.fields.length === 0 ? partsStepped(optimizers, evaluator) : []),
    ...aroundLoop(modules, evaluator),
    ...processSettings(fields, modules, evaluator),
    ...uncountedChanges(call, modules, adapter.fields.length > 0, evaluator),
  ]
  return { kind: 'training', training: { document, declared, call, assumptions, notUnderstood, unread } }
}

const ofImages = /^(?:ViT|DeiT|Swin|Beit|ConvNext|Dinov2|ResNet)/

/** A bare encoder under a head is trained as its class for classification is: a linear layer over one position. */
function taskOfHead({ holder, call: { module } }: OwnLoop, loaded: LibraryCall, { fields }: Loaded): readonly Field[] {
  if (holder?.head === undefined || isVisionModel(loaded) || fields.some(({ key }) => key === 'task')) return []
  const task = ofImages.test(libraryName(classLoaded(loaded)).name) ? 'image-classification' : 'sequence-classification'
  return [saidBy(holder.head, 'task', { kind: 'text', text: task }, module)]
}

/** A teacher, a reference or an encoder beside the model that trains is in memory too. One that is loaded afterwards is not. */
function otherModels(
  trained: Located,
  { module, from }: Located,
  { holder, evaluator }: Pick<OwnLoop, 'holder' | 'evaluator'>,
): readonly Field[] {
  // What the class loads besides was looked at with it.
  const isCounted = (call: Call) => holder === undefined || classAround(call.scope) === undefined
  const others = loadsIn(holder === undefined ? trained.module : module, evaluator, false, isCounted).filter(
    other =>
      !(other.from === trained.from && other.module === trained.module) &&
      !(other.module === module && other.from > from),
  )
  return others.map(other =>
    saidBy(other, 'another model', { kind: 'text', text: 'model' }, module, 'Another model that is loaded here'),
  )
}

function optimizerFields(found: readonly FoundOptimizer[], here: Located, module: Module): readonly Field[] {
  const [only, ...others] = found
  if (only === undefined || others.length > 0) return [openField(here, 'optim', severalOptimizers(found), module)]
  if (only.kind !== undefined) return []
  return [openField(only, 'optim', `it is ${only.name}, with settings whose memory is not known`, module)]
}

/** An optimizer that holds no state for the rest, whose gradients are there all the same. */
function partsStepped(optimizers: readonly FoundOptimizer[], evaluator: Evaluator): readonly string[] {
  const part = optimizers.find(({ isOfPart }) => isOfPart === true)
  return part === undefined
    ? []
    : told([`Which weights the optimizer is given (${placeIn(part.module, part.from)}) is the code's own`], evaluator)
}

interface Trained {
  readonly model: Value
  readonly holder?: Holder | undefined
}

/** Whose parameters the optimizer is given; where that is not told, the only one that the file loads or makes. */
function trainedModel(
  module: Module,
  optimizers: readonly FoundOptimizer[],
  evaluator: Evaluator,
): Trained | undefined {
  const given = optimizers.flatMap(({ model }) => (model === undefined ? [] : [model]))
  const chains = given.map(model => ({ model, chain: modelChain(model, evaluator) }))
  const known = chains.find(({ chain }) => chain.loaded !== undefined)
  if (known !== undefined) return { model: known.model }
  const unknown = chains.flatMap(({ chain }) => chain.unknown ?? [])
  const held = unknown.flatMap(value => heldBy(value, evaluator))[0]
  if (held !== undefined) return held
  // Of another model, which the code defines.
  if (unknown.some(({ kind }) => kind !== 'open')) return undefined
  const loads = loadsIn(module, evaluator)
  const [only, ...others] = loads.length === 0 ? madeIn(module, evaluator) : loads.map(model => ({ model }))
  return others.length === 0 ? only : undefined
}

function heldBy(value: Value, evaluator: Evaluator): readonly Trained[] {
  if (value.kind !== 'instance' || !isModule(value, evaluator)) return []
  const held = heldModel(value, evaluator)
  if (held.kind === 'none') return []
  return [{ model: held.model, holder: { of: value, head: held.head } }]
}

const soundsLikeModel = /model|net|classif|encod|bert|former|regress|tagger|ner|clip|vit/i

/** Objects of the repository's own classes that hold a library's model. */
function madeIn(module: Module, evaluator: Evaluator): readonly Trained[] {
  const calls = [...module.calls]
    .filter(([name]) => /^[A-Z]/.test(name) && soundsLikeModel.test(name))
    .flatMap(([, all]) => all.slice(0, MAX_CALLS))
  return calls
    .filter(call => evaluator.mayRun(call))
    .flatMap(call => {
      const expression = callExpression(call)
      return expression === undefined ? [] : heldBy(evaluator.evaluate(expression, siteAt(call)), evaluator)
    })
}

/** Wrapped ones as they are wrapped. */
function loadsIn(
  module: Module,
  evaluator: Evaluator,
  asWrapped = true,
  isCounted: (call: Call) => boolean = () => true,
): readonly Value[] {
  const called = (names: RegExp) =>
    [...module.calls]
      .filter(([name]) => names.test(name))
      .flatMap(([, calls]) => calls.slice(0, MAX_CALLS))
      .filter(call => isCounted(call) && evaluator.mayRun(call))
      .flatMap(call => {
        const expression = callExpression(call)
        return expression === undefined ? [] : [evaluator.evaluate(expression, siteAt(call))]
      })
  const adapted = asWrapped ? called(/^get_peft_model$/) : []
  if (adapted.length > 0) return adapted
  const loaded = called(/^(?:from_pretrained|create_model|get_model|[a-z][A-Za-z_]*\d\w*|convnext_\w+)$/)
  return loaded.filter((value): value is ModelChain['loaded'] & Value => value.kind === 'call' && isLoad(value))
}
