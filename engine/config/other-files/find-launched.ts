/**
 * How a config or a script is started: the launchers of the repository that name it, the arguments they override it with, and the
 * number of processes. Looked for beside the config, above it, in the folders for scripts there and at the root; YAML only where
 * its name or its folder's sounds like a job.
 */
import { posix } from 'node:path'
import { firstOf, oncePerList } from '../folder-list.ts'
import { isYamlPath, mayAsk, mayBeJob, soundsLikeJob } from '../job/quick-look.ts'
import { agreedCard } from '../job/request.ts'
import { isNotebookPath, isPythonPath } from '../python/quick-look.ts'
import type { SourceFile } from '../reading.ts'
import { bearing } from '../shell/arguments.ts'
import { isLauncherPath, mayLaunch } from '../shell/quick-look.ts'
import type { Launching } from '../shell/started-by-launchers.ts'
import type { Sources } from '../sources.ts'
import { plain } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { type Launched, notLaunched } from './launched.ts'

/** Texts that are looked through for the name. */
const MAX_LAUNCHERS = 20
const MAX_JOBS = 10
/** Each may be large. */
const MAX_NOTEBOOKS = 3
const notebookFolders = ['.', 'notebooks']
const MAX_SHOWN = 4

function launcherFolders(path: string): readonly string[] {
  const own = posix.dirname(path)
  const above = posix.normalize(posix.join(own, '..'))
  const folders = [
    own,
    above,
    ...['scripts', 'slurm', 'jobs', 'bin'].flatMap(name => [posix.join(own, name), name]),
    posix.join(above, 'scripts'),
    '.',
  ]
  return [...new Set(folders)].filter(folder => !folder.startsWith('..') && !folder.startsWith('/'))
}

/** Beside the folders of launchers. */
const jobFolders = ['k8s', 'kubernetes', '.github/workflows']

interface Near {
  /** How many there are, of which the first were read. */
  readonly launchers: number
  readonly jobs: number
  readonly read: readonly SourceFile[]
}

/** Of many, those that sound like a training are read, and not those that evaluate. */
interface LikelyFirst {
  readonly likely: readonly string[]
  readonly others: readonly string[]
}

function likelyFirst(paths: readonly string[]): LikelyFirst {
  const sounds = (path: string) => /train|tun|launch|sft|dpo|grpo|lora/i.test(posix.basename(path))
  return { likely: paths.filter(sounds), others: paths.filter(path => !sounds(path)) }
}

const launchersIn = oncePerList(paths => likelyFirst(paths.filter(isLauncherPath)))
const notebooksIn = oncePerList(paths => likelyFirst(paths.filter(isNotebookPath)))
const jobsIn = oncePerList(paths => paths.filter(soundsLikeJob))

async function filesNear(
  path: string,
  { readFile, listFolder }: Required<Pick<Sources, 'readFile' | 'listFolder'>>,
): Promise<Near> {
  const own = posix.dirname(path)
  const listed = (folders: readonly string[]) =>
    Promise.all([...new Set(folders)].map(async folder => ({ folder, names: await listFolder(folder) })))
  const [near, ofJobs] = await Promise.all([listed([...launcherFolders(path), ...notebookFolders]), listed(jobFolders)])
  const launchers = near.map(({ folder, names }) => launchersIn(names, folder))
  const notebooks = near
    .filter(({ folder }) => folder === own || notebookFolders.includes(folder))
    .map(({ folder, names }) => notebooksIn(names, folder))
  const jobs = [...near, ...ofJobs].map(({ folder, names }) => jobsIn(names, folder))
  const firstFew = (lists: readonly LikelyFirst[], most: number) =>
    firstOf([...lists.map(({ likely }) => likely), ...lists.map(({ others }) => others)], most, path)
  const paths = [
    ...firstFew(launchers, MAX_LAUNCHERS),
    ...firstOf(jobs, MAX_JOBS, path),
    ...firstFew(notebooks, MAX_NOTEBOOKS),
  ]
  const texts = await Promise.all(paths.map(each => readFile(each)))
  const read = paths.flatMap((each, index): SourceFile[] => {
    const text = texts[index]
    return text === undefined ? [] : [{ path: each, text }]
  })
  return {
    launchers: launchers.reduce((sum, { likely, others }) => sum + likely.length + others.length, 0),
    jobs: jobs.reduce((sum, { length }) => sum + length, 0),
    read,
  }
}

/** The files that ask for a GPU and may start the launcher at `path`. */
export async function jobsNear(path: string, { readFile, listFolder }: Sources): Promise<readonly SourceFile[]> {
  if (readFile === undefined || listFolder === undefined) return []
  const { read } = await filesNear(path, { readFile, listFolder })
  return read.filter(({ text }) => mayAsk(text))
}

export async function findLaunched(path: string, { readFile, listFolder }: Sources): Promise<Launched> {
  if (readFile === undefined || listFolder === undefined) return notLaunched
  const { launchers, jobs, read } = await filesNear(path, { readFile, listFolder })
  const naming = read.filter(each => isNaming(each, posix.basename(path)))
  if (naming.length === 0) return startedBeside(path, read)
  const { launchingsOf } = await import('../shell/started-by-launchers.ts')
  return chosen(await launchingsOf(path, naming, { readFile, jobs: read.filter(({ text }) => mayAsk(text)) }), {
    launchers,
    jobs,
  })
}

/** What starts nothing with the config itself may start its neighbours with a script. */
async function startedBeside(path: string, read: readonly SourceFile[]): Promise<Launched> {
  const folders = path.split('/').slice(-3, -1)
  const isConfig = !isPythonPath(path) && !isLauncherPath(path)
  const may = isConfig ? read.filter(each => folders.some(folder => isNaming(each, `${folder}/`))) : []
  if (may.length === 0) return notLaunched
  const { scriptsBeside } = await import('../shell/started-by-launchers.ts')
  const beside = scriptsBeside(path, may).slice(0, MAX_SHOWN)
  return beside.length === 0 ? notLaunched : { ...notLaunched, startedBeside: beside }
}

function isNaming({ path, text }: SourceFile, name: string): boolean {
  const may = isYamlPath(path) ? mayBeJob : mayLaunch
  return text.includes(name) && may(text)
}

/** A script's settings may depend on an argument for which no parser was found, so what it does is unknown. */
export function withUndeclared(launched: Launched, undeclared: readonly string[] = []): Launched {
  const names = undeclared.filter(key => bearing({ key }))
  if (names.length === 0) return launched
  const sentence = `The script is started with ${namesShown(names.map(name => ({ name })))}, for which no option is found in it, so that nothing blocks.`
  return { ...launched, isUnclear: true, assumptions: [...launched.assumptions, sentence] }
}

function chosen(all: readonly Launching[], listed: { readonly launchers: number; readonly jobs: number }): Launched {
  const [first] = all
  if (first === undefined) return notLaunched
  const cut = [
    ...remarkOnCut(listed.launchers, MAX_LAUNCHERS, 'launchers'),
    ...remarkOnCut(listed.jobs, MAX_JOBS, 'job files'),
  ]
  const files = [...new Map(all.flatMap(each => each.files).map(file => [file.path, file])).values()].slice(
    0,
    MAX_SHOWN,
  )
  const card = agreedCard(all.flatMap(each => each.card ?? []))
  const isOne = all.every(each => each.said === first.said)
  if (!isOne) {
    const places = all.slice(0, MAX_SHOWN).map(({ place }) => place)
    const more = all.length > MAX_SHOWN ? ` and ${all.length - MAX_SHOWN} more` : ''
    const isSameNumber = all.every(({ gpus }) => gpus?.source === first.gpus?.source)
    const fields = agreedOn(all)
    const shared = fields.length === 0 ? '' : `, with ${namesShown(fields)} as all of them pass it`
    const sentence = `It is started with different arguments (${places.join('; ')}${more}), and is read as the file says${shared}, so that nothing blocks.`
    return {
      ...notLaunched,
      fields,
      gpus: isSameNumber ? first.gpus : undefined,
      card,
      isUnclear: true,
      assumptions: [sentence, ...cut],
      files,
    }
  }
  const set = [...first.fields, ...first.passed]
  const arguments_ = set.length === 0 ? '' : ` with ${namesShown(set)}`
  return {
    fields: first.fields,
    passed: first.passed,
    ...(first.startedWith && { startedWith: first.startedWith }),
    gpus: first.gpus,
    ...(first.visible && { visible: first.visible }),
    ...(first.told && { told: first.told }),
    card,
    isUnclear: first.isUnclear,
    assumptions: [`Started by ${first.place}${arguments_}.`, ...first.assumptions, ...cut],
    files,
  }
}

/** What every launcher sets to the same value. */
function agreedOn([first, ...others]: readonly Launching[]): readonly Field[] {
  const isSame = (field: Field) =>
    others.every(({ fields }) => fields.findLast(({ key }) => key === field.key)?.source === field.source)
  return first?.fields.filter(isSame) ?? []
}

function namesShown(named: readonly { readonly name: string }[]): string {
  const names = named.map(({ name }) => plain(name))
  return `${names.slice(0, 6).join(', ')}${names.length > 6 ? ` and ${names.length - 6} more` : ''}`
}

function remarkOnCut(listed: number, most: number, what: string): string[] {
  return listed > most ? [`Of ${listed} ${what} near it, ${most} were looked through for those that start it.`] : []
}
