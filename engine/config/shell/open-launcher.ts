/**
 * A file that starts trainings, as a training config: where the arguments of its command say the batch size themselves. Where they
 * name a config, that config is read with them instead.
 */
import { posix } from 'node:path'
import type { Problem } from '../../base/errors.ts'
import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import type { Dialect } from '../dialect.ts'
import { customKeys } from '../dialects/custom-keys.ts'
import { argumentsOf } from '../dialects/huggingface/arguments.ts'
import { huggingface } from '../dialects/huggingface.ts'
import { litgpt } from '../dialects/litgpt.ts'
import { llamafactory } from '../dialects/llamafactory.ts'
import { msSwift } from '../dialects/ms-swift.ts'
import { openRlhf } from '../dialects/openrlhf.ts'
import { torchtitan } from '../dialects/torchtitan.ts'
import { ultralytics } from '../dialects/ultralytics.ts'
import { unmodelledLaunch, unmodelledTools } from '../dialects/unmodelled-tools.ts'
import { ownVerl, verl } from '../dialects/verl.ts'
import { jobRequest, processesOn } from '../job/job.ts'
import type { AskedCard } from '../job/request.ts'
import { withVerlDefaults } from '../other-files/verl-defaults.ts'
import { withTrainerDefaults } from '../other-files/verl-own-trainer.ts'
import type { Reading, ReadTraining, SeveralTrainings, SourceFile } from '../reading.ts'
import type { Sources } from '../sources.ts'
import { plain, plainSentence } from '../text/quote.ts'
import { type Field, Section } from '../text/section.ts'
import {
  chosenIndex,
  counted,
  MAX_TRAININGS,
  noneChosen,
  type TrainingPlace,
  tooManyTrainings,
} from '../training-place.ts'
import { type AccelerateFile, accelerateFile } from './accelerate.ts'
import { argumentFields, bearing, gpusField, isForConfig, remarkOnHidden, visibleField } from './arguments.ts'
import { changedFolders } from './changed-folder.ts'
import { commandsIn } from './commands.ts'
import type { Given } from './given.ts'
import type { Launch } from './launch.ts'
import { launchOf } from './launch-of-command.ts'
import { mayLaunch } from './quick-look.ts'
import { ShellText } from './shell-text.ts'
import { shellIn } from './snippets.ts'
import { type HiddenSettings, type StartedScript, startedScript } from './started-script.ts'

export interface Launches {
  readonly shell: ShellText
  readonly launches: readonly Launch[]
  /** The GPU that the job of the file asks for. */
  readonly card: AskedCard | undefined
}

/** Of a launcher whose arguments are all that there is. */
export interface OpenLauncher {
  readonly kind: 'open'
  readonly dialect: Dialect
  readonly why: string
  readonly document: Section
  /** How many GPUs train, where the launch says. */
  readonly gpus: Field | undefined
  /** How many GPUs one process sees, where they are several. */
  readonly visible: Field | undefined
  readonly card: AskedCard | undefined
  /** Sentences for the reader of the result. */
  readonly assumptions: readonly string[]
}

export function launchesIn(file: SourceFile): Launches {
  const text = file.text.replace(/^\uFEFF/, '')
  const shell = new ShellText(file.path, shellIn(file.path, text))
  if ((file.sizeBytes ?? text.length) > MAX_CONFIG_BYTES || !mayLaunch(text))
    return { shell, launches: [], card: undefined }
  const job = jobRequest(file)
  const launches = commandsIn(shell, job?.variables).flatMap(command => launchOf(command) ?? [])
  const folderAt = changedFolders(shell.text)
  return {
    shell,
    launches: launches.map(launch => ({
      ...withSweeps(launch),
      processes: processesOn(job, launch),
      folder: folderAt(launch.at),
    })),
    card: job?.card,
  }
}

/** Hydra's `--multirun model=a,b`: one run for each, so that none of them is the value. */
function withSweeps(launch: Launch): Launch {
  if (!launch.arguments.some(({ name }) => /^(?:-m|--multirun)$/.test(name))) return launch
  return {
    ...launch,
    arguments: launch.arguments.map(argument => ({
      ...argument,
      values: argument.values.map(value =>
        /^[^-]/.test(argument.name) && value.why === undefined && /^[^,[{("']+,[^[{("']+$/.test(value.text)
          ? { ...value, why: `${plain(argument.name)} is swept over ${plain(value.text)}` }
          : value,
      ),
    })),
  }
}

/** Which of the trainings it is, of a launcher that starts several. */
interface OneOfSeveral {
  readonly training?: ReadTraining
}

export async function openLauncher(
  file: SourceFile,
  sources: Pick<Sources, 'readFile'>,
): Promise<
  ((OpenLauncher | StartedScript) & OneOfSeveral) | SeveralTrainings | Exclude<Reading, { kind: 'training-config' }>
> {
  const { shell, launches, card } = launchesIn(file)
  const { training } = file
  const distinct: (Opened | StartedScript)[] = []
  let elsewhere: StartedScript | undefined
  // Where one is asked for, those after it are not opened.
  const isFound = () => training !== undefined && chosenIndex(placesOf(distinct, shell), training) >= 0
  for (const launch of launches) {
    const started =
      configNamed(launch) === undefined ? await startedScript(launch, { shell, file, sources }) : undefined
    if (started?.kind === 'evaluates') continue
    const hidden = started?.kind === 'hidden' ? started : undefined
    const script = started?.kind === 'script' ? started : undefined
    if (script !== undefined && !script.isBatchHere) elsewhere ??= script
    else {
      const accelerate = await accelerateFile(launch, shell, sources)
      const one = script ?? openLaunch(launch, { shell, card, accelerate, hidden })
      if (one !== undefined && distinct.every(({ said }) => said !== one.said))
        distinct.push(one.kind === 'open' ? await withVerl(one, file, sources) : one)
    }
    if (isFound()) break
  }
  const places = placesOf(distinct, shell)
  if (distinct.length > MAX_TRAININGS) {
    const at = shell.positionOf(distinct[0]?.launch.at ?? 0)
    return { kind: 'unreadable', problems: [tooManyTrainings(distinct.length, shell.path, at)] }
  }
  if (distinct.length > 1 && training === undefined) return { kind: 'several-trainings', trainings: places }
  const index = chosenIndex(places, training)
  const [chosen, place] = [distinct[index], places[index]]
  if (chosen !== undefined && place !== undefined) {
    const unknown =
      chosen.kind === 'open' ? (unknownConfig(chosen.launch, shell) ?? hiddenIn(chosen, shell)) : undefined
    const ofSeveral = training && { training: { ...place, isOnly: false } }
    return unknown === undefined
      ? { ...chosen, ...ofSeveral }
      : { kind: 'unreadable', problems: [unknown], ...ofSeveral }
  }
  if (distinct.length > 0) return { kind: 'not-a-training-config', why: noneChosen(places) }
  return { kind: 'not-a-training-config', why: elsewhere ? whyElsewhere(elsewhere, shell) : whyNone(launches, shell) }
}

interface Opened extends OpenLauncher {
  readonly launch: Launch
  readonly hidden: HiddenSettings | undefined
  /** The same for the same settings. */
  readonly said: string
}

/** What verl's settings are where the command says nothing, by files of the repository. */
async function withVerl(opened: Opened, file: SourceFile, sources: Pick<Sources, 'readFile'>): Promise<Opened> {
  const { dialect, document, launch } = opened
  const isOwn = dialect === ownVerl && launch.target.kind === 'script'
  if (!isOwn && dialect !== verl) return opened
  const found = isOwn
    ? await withTrainerDefaults(document, launch.target.path, file, sources)
    : await withVerlDefaults(document, file, sources)
  if (found === undefined) return opened
  return { ...opened, dialect: verl, document: found.document, assumptions: [...opened.assumptions, found.sentence] }
}

interface Around {
  readonly shell: ShellText
  readonly card: AskedCard | undefined
  readonly accelerate: AccelerateFile | undefined
  readonly hidden: HiddenSettings | undefined
}

function openLaunch(launch: Launch, { shell, card, accelerate, hidden }: Around): Opened | undefined {
  const dialect = dialectsOf(launch)
  const own = argumentFields(launch, shell)
  const fields = [...own, ...(accelerate === undefined ? [] : besides(own, accelerate))]
  if (dialect.length === 0 || configNamed(launch) !== undefined) return undefined
  // Dotted keys are paths: `model.lora_rank=8`.
  const document = Section.of([]).overridden(fields)
  const recognised = dialect
    .map(each => ({ each, why: each === msSwift ? namesModel(document) : each.recognise(document) }))
    .find(({ why }) => why !== undefined)
  if (recognised?.why === undefined) return undefined
  // A script of the team's own may have another default than the Trainer, or a name of its own for it.
  const { target } = launch
  const isOwnScript = target.kind === 'script' && !isExample.test(target.path)
  if (target.kind === 'script' && !isOwnScript && !asksToTrain(document)) return undefined
  if (isOwnScript && asksToTest(document)) return undefined
  if (isOwnScript && recognised.each === huggingface && argumentsOf(document).batchSize === undefined) return undefined
  const line = shell.lineOf(launch.at)
  const script = target.kind === 'script' ? target.path : undefined
  return {
    kind: 'open',
    dialect: recognised.each,
    why: `${launch.launcher} on line ${line}, with ${recognised.why}`,
    document,
    gpus: gpusField(launch.processes, shell, launch.at) ?? accelerate?.gpus,
    visible: visibleField(launch.processes, shell),
    card,
    assumptions: [
      ...(script === undefined
        ? []
        : [
            `Only the arguments of ${launch.launcher} on line ${line} are read: what ${plain(script)} sets itself is not, so that nothing blocks.`,
          ]),
      ...(launch.copy === undefined
        ? []
        : [`${plain(launch.copy)} is taken for a copy of OpenRLHF's, by its options, so that nothing blocks.`]),
      ...remarkOnHidden(launch),
      ...(accelerate?.assumptions ?? []),
    ],
    launch,
    hidden,
    said: fields
      .filter(bearing)
      .map(({ key, source }) => `${key}=${source}`)
      .toSorted()
      .join('\n'),
  }
}

/** What Accelerate's file says and the arguments do not. */
function besides(own: readonly Field[], { fields, precision }: AccelerateFile): readonly Field[] {
  const isMixed = own.some(({ key, value }) => /^(?:bf|fp)16$/.test(key) && !(value.kind === 'flag' && !value.flag))
  const without = [...fields, ...(precision === undefined || isMixed ? [] : [precision])]
  return without.filter(({ key }) => own.every(each => each.key !== key))
}

/** transformers' example scripts, which take the Trainer's arguments and defaults. */
const isExample =
  /(?:^|\/)run_(?:clm|mlm|plm|glue|xnli|ner|qa|swag|summarization|translation|classification|image_classification)\.py$/

/** They only evaluate and predict without it. */
function asksToTrain(document: Section): boolean {
  const asked = document.at('do_train')?.value
  return asked !== undefined && !(asked.kind === 'flag' && !asked.flag)
}

/** Options of scripts of a team's own that say what a run is for, and those that alone say that it does not train. */
const purposes = ['mode', 'run_mode', 'task_type', 'phase', 'job_type', 'action', 'do', 'run_type']
const tests =
  /^(?:only_)?(?:test|eval|evaluate|evaluation|predict|prediction|infer|inference|generate|export)(?:_?only)?$/i
const switches =
  /^(?:(?:test|eval|evaluate|predict|infer|inference)_only|only_(?:test|eval|evaluate|predict|infer|inference))$/

function asksToTest(document: Section): boolean {
  const named = purposes.some(key => {
    const value = document.at(key)?.value
    return value?.kind === 'text' && tests.test(value.text)
  })
  return named || [...document.fields.values()].some(({ key, value }) => switches.test(key) && isOn(value))
}

function isOn(value: Field['value']): boolean {
  return value.kind === 'flag' ? value.flag : value.kind === 'number' && value.number === 1
}

/** The command itself says which tool it is, and that it trains. */
function namesModel(document: Section): string | undefined {
  return ['model', 'model_type', 'model_id_or_path'].find(key => document.at(key) !== undefined)
}

function dialectsOf({ target }: Launch): readonly Dialect[] {
  if (target.kind === 'script') return [ownVerl, ...unmodelledTools, llamafactory, huggingface, customKeys]
  if (target.kind === 'refused') return [unmodelledLaunch(target.tool)]
  switch (target.tool) {
    case 'litgpt':
      return [litgpt]
    case 'llamafactory':
      return [llamafactory]
    case 'ms-swift':
      return [msSwift]
    case 'openrlhf':
      return [openRlhf]
    case 'ultralytics':
      return [ultralytics]
    case 'verl':
      return [verl]
    case 'torchtitan':
      return [torchtitan]
    case 'axolotl':
    case 'torchtune':
      return []
  }
}

/** The config that a launch names, as it writes the path. */
export function configNamed(launch: Launch): string | undefined {
  const found = configsOf(launch).find(({ why }) => why === undefined)
  return found && posix.normalize(found.text)
}

/** The words of a launch that name configs. */
function configsOf({ positional, hidden = [], arguments: all, target }: Launch): readonly Given[] {
  if (target.kind === 'refused') return []
  const named = all.filter(isForConfig).flatMap(({ values }) => values)
  return [...positional, ...named, ...hidden].filter(({ text }) => /\.(?:ya?ml|json|toml)$/i.test(text))
}

/** What a config holds whose name only a run can tell, the arguments beside it do not say. */
function unknownConfig(launch: Launch, shell: ShellText): Problem | undefined {
  const [config] = configsOf(launch)
  if (config?.why === undefined) return undefined
  return {
    code: 'not-in-file',
    message: `The config that ${plain(launch.launcher)} is started with cannot be determined: ${plainSentence(config.why)}`,
    fix: 'Name it without what only a run can tell, or check the config itself.',
    file: shell.path,
    ...shell.positionOf(launch.at),
  }
}

/** What a script does to memory itself, the arguments do not say: adapters make a training many times smaller. */
function hiddenIn({ launch, hidden }: Opened, shell: ShellText): Problem | undefined {
  if (hidden === undefined) return undefined
  const script = plain(hidden.path)
  return {
    code: 'not-in-file',
    message: `What is trained cannot be determined from the arguments of ${plain(launch.launcher)}: ${script} ${hidden.what} (line ${hidden.line}), in ways that are not followed`,
    fix: 'Exclude this file for now: add it to ignore in .github/memorymark.yml.',
    file: shell.path,
    ...shell.positionOf(launch.at),
  }
}

function whyNone(launches: readonly Launch[], shell: ShellText): string {
  const refusal = launches.find(({ target }) => target.kind === 'refused')
  if (refusal?.target.kind === 'refused')
    return `It starts ${refusal.target.tool} (${refusal.launcher}, line ${shell.lineOf(refusal.at)}), whose settings are not read yet.`
  const named = launches
    .map(launch => ({ launch, config: configNamed(launch) }))
    .find(({ config }) => config !== undefined)
  if (named?.config !== undefined)
    return `It starts a training with ${plain(named.config)} (line ${shell.lineOf(named.launch.at)}), which is checked with its arguments.`
  return 'It starts no training whose arguments set a batch size and a model.'
}

function whyElsewhere({ launch, path }: StartedScript, shell: ShellText): string {
  return `It starts ${plain(path)} (line ${shell.lineOf(launch.at)}), which is checked with its arguments.`
}

/** Named after what is started. */
function placesOf(opened: readonly Pick<Opened, 'launch'>[], shell: ShellText): readonly TrainingPlace[] {
  const places = opened.map(({ launch: { target, launcher, at } }) => {
    const { line, cell } = shell.positionOf(at)
    return { name: plain(target.kind === 'script' ? target.path : launcher), line, ...(cell && { cell }) }
  })
  return counted(places)
}
