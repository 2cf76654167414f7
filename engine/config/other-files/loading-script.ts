/**
 * The script that loads a YAML or JSON file with keys of a team's own: what the file leaves open, its code says. It is the one that
 * a launcher starts with the file, or else the only one nearby whose training takes its batch size from the file.
 */
import { posix } from 'node:path'
import { wordList } from '../../base/word-list.ts'
import { oncePerList } from '../folder-list.ts'
import type { OpenScript } from '../python/open-training.ts'
import { isPythonPath, mayTrain } from '../python/quick-look.ts'
import type { PassedArgument, SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { oneOf, plain } from '../text/quote.ts'

export interface LoadingScript {
  readonly kind: 'loads'
  /** Undefined where no script was found, only the classes that the file names. */
  readonly file: SourceFile | undefined
  readonly script: OpenScript
  readonly sentence: string
  /** Other scripts may load it instead; the verdict then never blocks. */
  readonly isUnclear?: true
}

/** The code takes the file's settings, and trains what is not known. `why`: a clause. */
export interface NotModelled {
  readonly kind: 'not-modelled'
  readonly why: string
  /** Of the repository's own: what it trains is no model of a library. */
  readonly hasOwnLayers?: boolean
}

/** How a launcher starts a script with the file: the script's path as written, and its arguments. */
export interface StartedWith {
  readonly script: string
  readonly passed: readonly PassedArgument[]
}

export interface StartedBy {
  /** The script that is started with the config. */
  readonly startedWith?: StartedWith
  /** The scripts that configs of the same folder are started with, where nothing starts this one. */
  readonly startedBeside?: readonly StartedWith[]
}

/** Scripts nearby that are looked into. */
const MAX_SCRIPTS = 8

const folders = wordList('. src scripts train training src/training src/train scripts/train scripts/training models')
/** Options by which scripts take their config. */
const options = wordList('config configs config_path config_file cfg cfg_path yaml yaml_path yaml_config config_yaml')

export async function findLoadingScript(
  file: SourceFile,
  { startedWith, startedBeside = [] }: StartedBy,
  sources: Sources,
): Promise<LoadingScript | NotModelled | undefined> {
  const { readFile, listFolder } = sources
  if (readFile === undefined) return undefined
  // What prepares data or evaluates is started with the same file.
  const loaded = startedWith && (await loadedAs(startedWith, file, sources))
  if (loaded !== undefined) return loaded
  const beside: LoadingScript[] = []
  for (const each of startedBeside) {
    const loadedBeside = await loadedAs(each, file, sources)
    if (loadedBeside?.kind === 'loads') beside.push(loadedBeside)
  }
  const [first, second] = beside
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) {
    const names = oneOf(beside.map(each => plain(each.file?.path ?? '')))
    const sentence = `${first.sentence} Which script it is started with is not known, ${names}, so that nothing blocks.`
    return { ...first, sentence, isUnclear: true }
  }
  if (listFolder === undefined) return undefined
  const near: SourceFile[] = []
  for (const path of await scriptsNear(file.path, listFolder, trainingScriptsIn)) {
    const text = await readFile(path)
    if (text !== undefined && mayTrain(text) && /config|cfg|yaml|json|hydra/i.test(text)) near.push({ path, text })
  }
  // Of several that take a config, the one that names this file loads it; of several that do, the one that is called like it.
  const naming = near.filter(({ text }) => text.includes(posix.basename(file.path)))
  const called = naming.filter(({ path }) => stemOf(path) === stemOf(file.path))
  const found: (LoadingScript | NotModelled)[] = []
  const open: string[] = []
  const candidates = [called, naming, near].find(each => each.length > 0) ?? []
  for (const script of candidates) {
    const alone = script.text.includes('sys.argv[1]') ? [passedAlone(file)] : []
    const read = await firstFollowed(script, file, [...alone, passedAsConfig(file)], sources)
    if (read === 'not-followed') open.push(plain(script.path))
    else if (read !== undefined) found.push(read)
  }
  const loads = found.filter(each => each.kind === 'loads')
  // Of several that train what is not known, one may train a model of a library all the same.
  if (loads.length === 0) return found.find(each => each.kind === 'not-modelled' && !each.hasOwnLayers) ?? found[0]
  const [only, ...others] = loads
  if (only !== undefined && others.length === 0)
    return candidates === near && open.length > 0 ? orElse(only, open) : only
  const [sounding, ...more] = loads.filter(each => each.file && soundsLike(each.file.path, file.path))
  return more.length === 0 ? sounding : undefined
}

/** Of several ways to hand it the file, the first in which its training is followed. */
async function firstFollowed(
  script: SourceFile,
  file: SourceFile,
  ways: readonly (readonly PassedArgument[])[],
  sources: Sources,
): Promise<LoadingScript | NotModelled | 'not-followed' | undefined> {
  let last: Awaited<ReturnType<typeof loading>>
  for (const passed of ways) {
    last = await loading(script, file, passed, sources)
    if (last !== undefined && last !== 'not-followed') return last
  }
  return last
}

function orElse(script: LoadingScript, others: readonly string[]): LoadingScript {
  const sentence = `${script.sentence} Or ${oneOf(others)} loads it, whose training is not followed, so that nothing blocks.`
  return { ...script, sentence, isUnclear: true }
}

async function loadedAs(
  started: StartedWith,
  file: SourceFile,
  sources: Sources,
): Promise<LoadingScript | NotModelled | undefined> {
  const script = isPlausibleName(started.script) ? await firstFile(placesOfScript(started, file), sources) : undefined
  const loaded = script && (await loading(script, file, started.passed, sources))
  return loaded === 'not-followed' ? undefined : loaded
}

function placesOfScript({ script, passed }: StartedWith, { path }: SourceFile): readonly string[] {
  const launcher = passed[0]?.launcher.path ?? path
  return [...placesFromLauncher(script, launcher), posix.join('src', script)].filter(
    place => !/^(?:\.\.|\/)/.test(place),
  )
}

const trainingScriptsIn = oncePerList(paths => paths.filter(path => isTrainingName(posix.basename(path))))

/** Scripts beside a config and above it, and where scripts stand in a repository. `scriptsIn`: the paths of those of a folder. */
export async function scriptsNear(
  path: string,
  listFolder: NonNullable<Sources['listFolder']>,
  scriptsIn: (names: readonly string[], folder: string) => readonly string[],
): Promise<readonly string[]> {
  const own = posix.dirname(path)
  // Hydra's groups are folders in the folder of configs.
  const above = ['..', '../..'].map(up => posix.normalize(posix.join(own, up)))
  const near = [own, ...above, ...folders].filter(each => !/^(?:\.\.|\/)/.test(each))
  const found = await Promise.all([...new Set(near)].map(async folder => scriptsIn(await listFolder(folder), folder)))
  const isNamesake = (script: string) => stemOf(script) === stemOf(path)
  return [...new Set(found.flat())]
    .toSorted((a, b) => Number(isNamesake(b)) - Number(isNamesake(a)))
    .slice(0, MAX_SCRIPTS)
}

/** `train_llama.yaml`, `train_llama.py` → train_llama */
function stemOf(path: string): string {
  return posix.basename(path).replace(/\.[^.]*$/, '')
}

/** `train_sft.py` does like `sft.yaml`. */
function soundsLike(script: string, config: string): boolean {
  return stemOf(script)
    .split(/[^A-Za-z0-9]+/)
    .includes(stemOf(config))
}

/** By its name, a script that trains: of all scripts, few are opened. */
function isTrainingName(name: string): boolean {
  return isPythonPath(name) && /train|tun|sft|dpo|grpo|lora|main|run/i.test(name)
}

function passedAsConfig({ path, text }: SourceFile): readonly PassedArgument[] {
  const launcher = { path, text }
  return options.map(name => ({ name, values: [{ text: path, from: 0, remarks: [] }], launcher, from: 0 }))
}

/** `python train.py config.json` */
function passedAlone({ path, text }: SourceFile): readonly PassedArgument[] {
  return [{ name: path, values: [], launcher: { path, text }, from: 0 }]
}

const trainersBatchSize = 'per_device_train_batch_size'

/** Undefined for a script that takes its batch size from elsewhere; not followed is one that trains by settings which only a run knows. */
async function loading(
  script: SourceFile,
  file: SourceFile,
  passed: readonly PassedArgument[],
  sources: Sources,
): Promise<LoadingScript | NotModelled | 'not-followed' | undefined> {
  const { openScript } = await import('../python/script.ts')
  const opened = await openScript({ ...script, passed, readFor: file.path, lacksBf16: file.lacksBf16 }, sources)
  const isComposed = opened.composesRead === true && /^defaults\s*:/m.test(file.text)
  if (opened.kind === 'not-a-training-config' && opened.because !== undefined && isComposed)
    return { kind: 'not-modelled', why: opened.because, hasOwnLayers: opened.hasOwnLayers ?? false }
  if (opened.kind === 'not-a-training-config' && opened.because !== undefined && !opened.hasOwnLayers)
    return 'not-followed'
  if (opened.kind !== 'open' || opened.batchSize === undefined) return undefined
  const { file: setIn } = opened.batchSize
  const isPassed = passed.some(({ name, launcher }) => name === trainersBatchSize && launcher.path === setIn)
  if (setIn !== undefined && !isComposed && !isPassed) return inPlaceOf(setIn, script, file, passed, sources)
  // Where the file itself is what stands for the option, nothing was loaded from it.
  if (opened.batchSize.value.kind !== 'number' && !isComposed) return undefined
  const sentence = `Read as ${plain(script.path)} loads it, for the training on line ${opened.training.line} there.`
  return { kind: 'loads', file: script, script: withoutOptions(opened), sentence }
}

function withoutOptions(opened: OpenScript): OpenScript {
  const { undeclared = [] } = opened
  return { ...opened, undeclared: undeclared.filter(name => !options.includes(name)) }
}

/**
 * A script that chooses among the files of a folder, and takes `other` unless it is told otherwise, is read with this file's text under
 * that name. It has to name this file, or a script beside it has.
 */
async function inPlaceOf(
  other: string,
  script: SourceFile,
  file: SourceFile,
  passed: readonly PassedArgument[],
  sources: Sources,
): Promise<LoadingScript | undefined> {
  const { readFile } = sources
  const isBeside = posix.dirname(other) === posix.dirname(file.path) && endingOf(other) === endingOf(file.path)
  if (readFile === undefined || !isBeside || !(await isNamedBeside(script, file, sources))) return undefined
  const { openScript } = await import('../python/script.ts')
  const opened = await openScript(
    { ...script, passed, readFor: other, lacksBf16: file.lacksBf16 },
    { ...sources, readFile: async path => (path === other ? file.text : readFile(path)) },
  )
  if (opened.kind !== 'open' || opened.batchSize?.file !== undefined) return undefined
  if (opened.batchSize?.value.kind !== 'number') return undefined
  const place = `the training on line ${opened.training.line} of ${plain(script.path)}`
  const sentence = `Read as ${place} loads it where it is chosen instead of ${plain(other)}; what else the code then does differently is not known, so that nothing blocks.`
  return { kind: 'loads', file: script, script: withoutOptions(opened), sentence, isUnclear: true }
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.'))
}

async function isNamedBeside(
  script: SourceFile,
  file: SourceFile,
  { readFile, listFolder }: Sources,
): Promise<boolean> {
  const name = posix.basename(file.path)
  if (script.text.includes(name)) return true
  if (readFile === undefined || listFolder === undefined) return false
  const folder = posix.dirname(script.path)
  const beside = (await listFolder(folder)).filter(
    each => isPythonPath(each) && /conf|arg|param|option|util/i.test(each),
  )
  for (const each of beside.slice(0, MAX_SCRIPTS)) {
    const path = posix.dirname(each) === folder ? each : posix.join(folder, each)
    if ((await readFile(path))?.includes(name)) return true
  }
  return false
}
