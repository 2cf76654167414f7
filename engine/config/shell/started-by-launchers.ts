/** The launches of one config or script in the launchers that name it. */
import { posix } from 'node:path'
import { type JobAround, jobsAround } from '../job/around.ts'
import { isJobFile } from '../job/quick-look.ts'
import { type AskedCard, agreedCard } from '../job/request.ts'
import type { Launched } from '../other-files/launched.ts'
import type { StartedWith } from '../other-files/loading-script.ts'
import type { SourceFile } from '../reading.ts'
import { isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { plain } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { type AccelerateFile, accelerateFile } from './accelerate.ts'
import {
  argumentFields,
  bearing,
  gpusField,
  isForConfig,
  passedArguments,
  remarkOnHidden,
  visibleField,
} from './arguments.ts'
import type { Launch } from './launch.ts'
import { configNamed, launchesIn } from './open-launcher.ts'
import type { ShellText } from './shell-text.ts'
import type { StartedScript } from './started-script.ts'

export interface Launching extends Launched {
  /** `torchrun in run.sh, line 3` */
  readonly place: string
  /** The same for the same settings. */
  readonly said: string
}

type ReadFile = (path: string) => Promise<string | undefined>

const MAX_LAUNCHES = 50
const ofLauncher = /^(?:nproc_per_node|nnodes|num_processes|launcher|standalone|master_port|mode)$/

export async function launchingsOf(
  path: string,
  launchers: readonly SourceFile[],
  { readFile, jobs }: { readonly readFile: ReadFile; readonly jobs: readonly SourceFile[] },
): Promise<readonly Launching[]> {
  const found: Launching[] = []
  for (const file of launchers) {
    const { shell, launches, card } = launchesIn(file)
    const starting = launches.slice(0, MAX_LAUNCHES).flatMap(launch => {
      const kind = startedBy(launch, path, file.path)
      return kind === undefined ? [] : [{ launch, kind }]
    })
    const around = card === undefined && starting.length > 0 ? jobsAround(file.path, jobs) : []
    for (const { launch, kind } of starting) {
      const where = { shell, file, card: card ?? agreedCard(around.map(job => job.card)), around, readFile }
      found.push(await launchingOf(launch, kind, where))
    }
  }
  return found
}

function startedBy(launch: Launch, path: string, launcherPath: string): 'config' | 'script' | undefined {
  const config = configNamed(launch)
  if (config !== undefined && isPlausibleName(config))
    return placesFromLauncher(config, launcherPath, launch.folder).includes(path) ? 'config' : undefined
  if (launch.target.kind !== 'script' || !isPlausibleName(launch.target.path)) return undefined
  return placesFromLauncher(launch.target.path, launcherPath, launch.folder).includes(path) ? 'script' : undefined
}

/** The scripts that the launchers start with other configs of its folder, or of the one around it, as if they were given it. */
export function scriptsBeside(path: string, launchers: readonly SourceFile[]): readonly StartedWith[] {
  const own = posix.dirname(path)
  const folders = [own, posix.dirname(own)].filter(folder => folder !== '.')
  const found = launchers.flatMap(launcher =>
    launchesIn(launcher)
      .launches.slice(0, MAX_LAUNCHES)
      .flatMap((launch): readonly StartedWith[] => {
        const config = configNamed(launch)
        if (config === undefined || !isPlausibleName(config) || launch.target.kind !== 'script') return []
        const isNear = placesFromLauncher(config, launcher.path, launch.folder).some(place =>
          folders.includes(posix.dirname(place)),
        )
        const values = [{ text: path, from: 0, remarks: [] }]
        return isNear ? [{ script: launch.target.path, passed: [{ name: 'config', values, launcher, from: 0 }] }] : []
      }),
  )
  return [...new Map(found.map(each => [each.script, each])).values()]
}

/** Where the configs and scripts may stand that the file starts. */
export function placesStartedBy(file: SourceFile): readonly string[] {
  const { launches } = launchesIn(file)
  const places = launches.slice(0, MAX_LAUNCHES).flatMap(launch => {
    const named = configNamed(launch) ?? (launch.target.kind === 'script' ? launch.target.path : undefined)
    return named === undefined || !isPlausibleName(named) ? [] : placesFromLauncher(named, file.path, launch.folder)
  })
  return [...new Set(places)]
}

interface Where {
  readonly shell: ShellText
  readonly file: SourceFile
  readonly card: AskedCard | undefined
  /** The jobs that start the file, where it asks for no GPU itself. */
  readonly around: readonly JobAround[]
  readonly readFile: ReadFile
}

function isNamedFile({ key, value }: Field): boolean {
  return key === 'deepspeed' && value.kind !== 'mapping'
}

/** With what DeepSpeed's file says in place of its name: only the Trainer opens such a file itself. */
function withDeepSpeed(accelerate: AccelerateFile | undefined): readonly Field[] {
  const { fields = [], deepSpeed } = accelerate ?? {}
  if (deepSpeed === undefined) return fields
  return fields.map(field =>
    isNamedFile(field) ? { ...field, value: { kind: 'mapping', section: deepSpeed.settings } } : field,
  )
}

async function launchingOf(
  launch: Launch,
  kind: 'config' | 'script',
  { shell, file, card, around, readFile }: Where,
): Promise<Launching> {
  const written = argumentFields(launch, shell, file.path).filter(
    field => !ofLauncher.test(field.key) && !isForConfig(field),
  )
  // A job's variables are mostly given by the command that submits it.
  const isJob = isJobFile(file)
  const isOpen = ({ value }: Field) => isJob && value.kind === 'open'
  const unknown = written.filter(isOpen).filter(bearing)
  const own = written.filter(field => !isOpen(field))
  const passed = passedArguments(launch, { path: file.path, text: file.text.replace(/^\uFEFF/, '') }).filter(
    ({ values }) => !(isJob && values.some(({ why }) => why !== undefined)),
  )
  const accelerate = await accelerateFile(launch, shell, { readFile })
  const place = `${plain(launch.launcher)} in ${file.path}, line ${shell.lineOf(launch.at)}`
  const deciding = own.filter(bearing)
  // What Accelerate divides is no argument of the script. A file of DeepSpeed's that it names may not be there.
  const ofScript = launch.target.kind === 'script' ? accelerate : undefined
  const divided = withDeepSpeed(ofScript)
  const isDivided = divided.length > 0 && !divided.some(isNamedFile)
  const isOfScript = kind === 'script' && divided.length > 0
  const precision = ofScript?.precision
  const told = [...(isDivided ? divided : []), ...(precision === undefined ? [] : [precision])]
  const dividing = plain(accelerate?.file?.path ?? launch.launcher)
  const unread = !isOfScript
    ? []
    : [
        isDivided
          ? `${dividing} divides the training, whatever else the script makes of it, so that nothing blocks.`
          : `What ${dividing} says of sharding is not read beside the script, so that nothing blocks.`,
      ]
  const fields = kind === 'script' ? [] : [...(ofScript?.fields ?? []), ...own]
  const counted = gpusField(launch.processes, shell, launch.at)
  const gpus = (counted !== undefined && isOpen(counted) ? undefined : counted) ?? accelerate?.gpus
  return {
    place,
    fields,
    passed: kind === 'script' ? passed : [],
    ...(told.length > 0 && { told }),
    ...(kind === 'config' &&
      launch.target.kind === 'script' && { startedWith: { script: launch.target.path, passed } }),
    gpus,
    visible: visibleField(launch.processes, shell),
    card,
    isUnclear: unknown.length > 0 || remarkOnHidden(launch).length > 0 || isOfScript || accelerate?.isUnclear === true,
    assumptions: [
      ...unread,
      ...remarkOnUnknown(unknown),
      ...remarkOnHidden(launch),
      ...(accelerate?.assumptions ?? []),
    ],
    files: [
      file,
      ...around.map(job => job.file),
      ...[accelerate?.file, isDivided ? accelerate?.deepSpeed?.file : undefined].filter(each => each !== undefined),
    ],
    said: [...deciding, ...told, ...(gpus === undefined ? [] : [gpus])]
      .map(({ key, source }) => `${key}=${source}`)
      .toSorted()
      .join('\n'),
  }
}

function remarkOnUnknown(unknown: readonly Field[]): string[] {
  if (unknown.length === 0) return []
  const names = unknown.slice(0, 6).map(({ name }) => plain(name))
  return [`Its arguments ${names.join(', ')} are only known when it runs, so that nothing blocks.`]
}

/** Of a launcher that is read as a config, how it starts its script. */
export async function launchedHere(
  { launch, path, isOfTrl, script }: StartedScript,
  file: SourceFile,
  { readFile = async () => undefined }: Pick<Sources, 'readFile'>,
  jobs: readonly SourceFile[],
): Promise<Launched> {
  const { shell, card: own } = launchesIn(file)
  const around = own === undefined ? jobsAround(file.path, jobs) : []
  const where = { shell, file, card: own ?? agreedCard(around.map(job => job.card)), around, readFile }
  const { gpus, visible, told, card, isUnclear, assumptions, files } = await launchingOf(launch, 'script', where)
  const line = shell.lineOf(launch.at)
  const sentence = isOfTrl
    ? `${plain(launch.launcher)} on line ${line} is read as TRL 1.13 runs it: the repository has no ${plain(path)}, and its lines are those of what MemoryMark reads in its place.`
    : `The training of ${plain(path)}, line ${script.training.line}, is read with the arguments of ${plain(launch.launcher)} on line ${line}.`
  return {
    fields: [],
    passed: [],
    gpus,
    visible,
    ...(told && { told }),
    card,
    isUnclear,
    assumptions: [sentence, ...assumptions],
    files: files.filter(({ path: each }) => each !== file.path),
  }
}
