/** A Python file as a training config: which training it starts, and with which settings. Nothing is executed. */
import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import { ultralytics } from '../dialects/ultralytics.ts'
import { notModelled } from '../dialects/unmodelled-tools.ts'
import type { FileReading, Reading, ReadTraining, SourceFile } from '../reading.ts'
import type { Sources } from '../sources.ts'
import { plain, plainSentence } from '../text/quote.ts'
import type { Section } from '../text/section.ts'
import {
  chosenIndex,
  counted,
  MAX_TRAININGS,
  noneChosen,
  type TrainingChoice,
  type TrainingPlace,
  tooManyTrainings,
} from '../training-place.ts'
import { trainerOf } from './library.ts'
import { calledName, type OpenScript, ofTrainer } from './open-training.ts'
import { isNotebookPath, mayTrain } from './quick-look.ts'
import { withoutCells } from './syntax/marimo.ts'
import { type Call, callExpression, type Module, type ModuleOptions } from './syntax/module.ts'
import { MAX_NOTEBOOK_BYTES, notebookOf } from './syntax/notebook.ts'
import { parsedModule } from './syntax/parsed-modules.ts'
import { decoratedGpu } from './training/decorated-gpu.ts'
import { neverTrains } from './training/evaluating.ts'
import { positionOf, saidBy } from './training/fields.ts'
import { lightningTrainings } from './training/lightning.ts'
import { loopTraining } from './training/loop.ts'
import { type FoundTraining, fitTraining, type Training, trainingOf } from './training/transformers.ts'
import { detectorTraining } from './training/ultralytics.ts'
import { unmodelledTraining } from './training/unmodelled-libraries.ts'
import { declareParameters } from './values/called-by-options.ts'
import { declareOptions } from './values/command-line.ts'
import { Evaluator } from './values/evaluator.ts'
import { Modules } from './values/modules.ts'
import { PassedValues } from './values/passed-arguments.ts'
import { siteAt } from './values/sites.ts'
import { placeIn } from './values/values.ts'

/** `asksCallers`: what calls its functions, in other files, decides. */
export type Opened = (OpenScript | Exclude<FileReading, { kind: 'training-config' }>) & {
  readonly asksCallers?: boolean
  /** The config that it is read for is one of those that Hydra composes for it. */
  readonly composesRead?: boolean
  /** Why the training that it starts is not read: a clause. */
  readonly because?: string
  readonly hasOwnLayers?: boolean
}

/** With the files of the repository that it imports settings from. `callers`: those that call what it holds. */
export async function openScript(
  file: SourceFile,
  sources: Pick<Sources, 'readFile'>,
  callers: readonly SourceFile[] = [],
): Promise<Opened> {
  const module = moduleIn(file)
  if (module === undefined) return startsNone
  const calling = callers.map(({ path, text }) => parsedModule(path, text))
  const modules = new Modules([module, ...calling])
  const passed = new PassedValues(file.passed)
  const all = [module, ...calling]
  const found = await modules.settle((): Opened => {
    const evaluator = new Evaluator(modules.find, passed, modules.findSettings, modules.all, file.lacksBf16)
    const script = opened(module, evaluator, file.training)
    if (script === startsNone || script === trainsNothing) return script
    for (const each of all) declareParameters(each, evaluator, passed)
    return { ...script, asksCallers: evaluator.asksCallers, composesRead: evaluator.composesRead }
  }, sources)
  for (const each of [module, ...calling]) declareOptions(each, passed)
  return found.kind === 'open' ? { ...found, undeclared: passed.undeclared } : found
}

/** As it is started. */
export const trainsNothing: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  why: 'Its trainer trains nothing, as it is started: it only evaluates, predicts or stands there.',
}

function moduleIn(file: SourceFile): Module | undefined {
  const { path, text, sizeBytes = text.length, readFor } = file
  const isCut = file.sizeBytes !== undefined && file.sizeBytes > utf8Bytes(text)
  if (isNotebookPath(path)) {
    const notebook = sizeBytes > MAX_NOTEBOOK_BYTES || isCut ? undefined : notebookOf(text)
    return notebook && mayTrain(notebook.text) ? moduleWith(path, notebook.text, { notebook }) : undefined
  }
  if (sizeBytes > MAX_CONFIG_BYTES || !mayTrain(text)) return undefined
  const python = text.replace(/^\uFEFF/, '')
  return moduleWith(path, withoutCells(python) ?? python, { readFor })
}

function moduleWith(path: string, text: string, options: ModuleOptions): Module | undefined {
  return text.length > MAX_CONFIG_BYTES ? undefined : parsedModule(path, text, options)
}

/** Nothing that a launcher passes makes it a training. */
export const startsNone: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  why: "It trains with no trainer of transformers, TRL, Unsloth or Ultralytics' YOLO, and has no loop around a model of a library.",
}

function opened(module: Module, evaluator: Evaluator, choice: TrainingChoice | undefined): Opened {
  const called = trainersIn(module, evaluator)
  const own = called.length === 0 ? [...lightningTrainings(module, evaluator), ...loopsIn(module, evaluator)] : []
  const found = [...called, ...own]
  const modelled = startsIn(module, evaluator, found)
  const starts = modelled.length > 0 ? modelled : unmodelledStarts(module, evaluator)
  const places = placesOf(starts.map(({ call }) => call))
  if (starts.length > MAX_TRAININGS) {
    const at = positionOf(module, starts[0]?.call.at ?? 0)
    return { kind: 'unreadable', problems: [tooManyTrainings(starts.length, module.path, at)] }
  }
  if (starts.length > 1 && choice === undefined) return { kind: 'several-trainings', trainings: places }
  const index = chosenIndex(places, choice)
  const [start, place] = [starts[index], places[index]]
  if (start !== undefined && place !== undefined) {
    const card = decoratedGpu(start.call)
    return { ...start.open({ ...place, isOnly: starts.length === 1 }), ...(card && { card }) }
  }
  if (starts.length > 0) return { kind: 'not-a-training-config', why: noneChosen(places) }
  const [none] = found
  return none?.kind === 'none'
    ? {
        kind: 'not-a-training-config',
        why: `Its training is set up by others: ${plainSentence(none.why)}.`,
        because: plainSentence(none.why),
        ...(none.hasOwnLayers && { hasOwnLayers: true }),
      }
    : evaluates(module, evaluator)
      ? trainsNothing
      : startsNone
}

/** A training that the file starts. */
interface Start {
  readonly call: Call
  open(training: ReadTraining): OpenScript
}

/** In the order of the file. */
function startsIn(module: Module, evaluator: Evaluator, found: readonly FoundTraining[]): readonly Start[] {
  const trainings = distinct(found.flatMap(each => (each.kind === 'training' ? [each.training] : [])))
  const detectors = (module.calls.get('train') ?? []).slice(0, MAX_TRAINERS).flatMap(call => {
    const section = evaluator.mayRun(call) ? detectorTraining(call, evaluator) : undefined
    return section === undefined ? [] : [{ call, section }]
  })
  const starts: readonly Start[] = [
    ...trainings.map(each => ({
      call: each.call,
      open: (training: ReadTraining) => ofTrainer(each, module, training, evaluator.unsureRemarks),
    })),
    ...distinctSections(detectors).map(({ call, section }) => ({
      call,
      open: (training: ReadTraining) => ofDetector(section, call, module, training),
    })),
  ]
  return starts.toSorted((a, b) => a.call.at - b.call.at)
}

function unmodelledStarts(module: Module, evaluator: Evaluator): readonly Start[] {
  const found = unmodelledTraining(module, evaluator)
  if (found === undefined) return []
  const { library, call } = found
  const here = { module, from: call.at, to: call.node.to, remarks: [] }
  const open = (training: ReadTraining): OpenScript => ({
    kind: 'open',
    dialect: library,
    why: `a model of ${library} on ${placeIn(module, call.at)}, beside a training loop`,
    model: undefined,
    deepSpeed: undefined,
    batchSize: undefined,
    training,
    read: reader => {
      const field = saidBy(here, 'model', { kind: 'text', text: library }, module)
      reader.refuse(field, ...notModelled(`It trains a model of ${library}`))
      return { kind: 'unreadable', problems: reader.problems }
    },
  })
  return [{ call, open }]
}

/** Named after what is called and the function that it stands in. */
function placesOf(calls: readonly Call[]): readonly TrainingPlace[] {
  const places = calls.map(call => {
    const { module, scope, at } = call
    const around = scope.kind === 'function' && scope.name !== 'main' ? ` in ${scope.name}()` : ''
    const { line, cell } = positionOf(module, at)
    return { name: plain(`${calledName(call)}${around}`), line, ...(cell && { cell }) }
  })
  return counted(places)
}

function loopsIn(module: Module, evaluator: Evaluator): readonly FoundTraining[] {
  const loop = loopTraining(module, evaluator)
  return loop === undefined ? [] : [loop]
}

function trainersIn(module: Module, evaluator: Evaluator): readonly FoundTraining[] {
  const fitted = ['fit', 'old_fit'].flatMap(name => (module.calls.get(name) ?? []).slice(0, MAX_TRAINERS))
  const made = [...module.calls].flatMap(([name, calls]) => {
    return trainerCalls(name, calls).flatMap(call => {
      const trainer = trainerNamed(call, evaluator)
      if (trainer === undefined) return undecidedTrainer(call, evaluator)
      if (neverTrains(call, evaluator) || !evaluator.mayRun(call)) return []
      return [trainingOf(call, trainer, evaluator)]
    })
  })
  const fits = fitted.flatMap(call => (evaluator.mayRun(call) ? (fitTraining(call, evaluator) ?? []) : []))
  return [...made, ...fits]
}

/** Whether it makes trainers, and trains with none of them. */
function evaluates(module: Module, evaluator: Evaluator): boolean {
  const calls = [...module.calls].flatMap(([name, all]) => trainerCalls(name, all))
  return calls.some(call => trainerNamed(call, evaluator) !== undefined && neverTrains(call, evaluator))
}

/** As many calls of one class as are looked into. */
const MAX_TRAINERS = 20

/** A call with the Trainer's arguments of a class that a run chooses. */
function undecidedTrainer(call: Call, evaluator: Evaluator): readonly FoundTraining[] {
  const expression = callExpression(call)
  const site = siteAt(call)
  const callee = expression && evaluator.evaluate(expression.callee, site)
  if (expression === undefined || callee?.kind !== 'open' || !evaluator.mayRun(call)) return []
  const given = evaluator.argumentsOf(expression, site).values.get('args')
  const isTrainers =
    given?.kind === 'call' && /^(?:transformers|trl)\.(?:\w+\.)*\w+(?:Arguments|Config)$/.test(given.name)
  return isTrainers
    ? [
        {
          kind: 'none',
          why: `which trainer it makes on ${placeIn(call.module, call.at)} is not certain: ${callee.why}`,
        },
      ]
    : []
}

/** Calls that may make a trainer: by the name of the class, or by the data that it is given where its name does not say so. */
function trainerCalls(name: string, calls: readonly Call[]): readonly Call[] {
  const looked = calls.slice(0, MAX_TRAINERS)
  if (/Trainer/.test(name)) return looked
  return looked.filter(call =>
    callExpression(call)?.arguments.some(each => each.kind === 'keyword' && each.name === 'train_dataset'),
  )
}

function trainerNamed(call: Call, evaluator: Evaluator) {
  const callee = callExpression(call)?.callee
  const value = callee && evaluator.evaluate(callee, siteAt(call))
  if (value?.kind === 'symbol') return trainerOf(value.name)
  const base = value?.kind === 'class' ? evaluator.classes.libraryBase(value.scope) : undefined
  return base === undefined ? undefined : trainerOf(base)
}

/** The same settings twice are one training. */
function distinct(trainings: readonly Training[]): readonly Training[] {
  return [
    ...new Map(trainings.toReversed().map(each => [said(each.document) + each.declared.trainer, each])).values(),
  ].toReversed()
}

function distinctSections<T extends { readonly section: Section }>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map(each => [said(each.section), each])).values()]
}

/** What a section says, wherever it stands. */
function said({ fields }: Section): string {
  const counted = [...fields.values()].filter(({ key }) => !withoutBearing.test(key))
  return counted
    .map(({ key, value, source }) => `${key}=${value.kind}:${source}`)
    .toSorted()
    .join('\n')
}

const withoutBearing =
  /^(?:output_dir|run_name|seed|data_seed|learning_rate|num_train_epochs|max_steps|logging_\w+|save_\w+|eval_\w+|evaluation_\w+|report_to|warmup_\w+|weight_decay|project|name|epochs|hub_\w+|push_to_hub|do_\w+|load_best_\w+|metric_\w+|lr\w*|data|exist_ok|resume|patience|greater_is_better|per_device_eval_batch_size)$/

function ofDetector(section: Section, call: Call, module: Module, training: ReadTraining): OpenScript {
  return {
    kind: 'open',
    dialect: ultralytics.name,
    why: `train() of Ultralytics on ${placeIn(module, call.at)}`,
    model: ultralytics.modelField(section),
    deepSpeed: undefined,
    batchSize: section.at('batch'),
    training,
    read: (reader, lookUp, deepSpeed) => ultralytics.read(section, reader, lookUp, deepSpeed),
  }
}
