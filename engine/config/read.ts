import type { Problem } from '../errors.ts'
import { type Resolution, resolveModel, resolveOffline } from '../models/resolve.ts'
import { allocatorVariable, withAllocatorSettings } from './allocator-settings.ts'
import { gitBlobSha } from './blob-sha.ts'
import { type DeepSpeedFile, findDeepSpeedFile, notLookedFor } from './deepspeed-file.ts'
import { type Dialect, dialects } from './dialect.ts'
import { parseFile } from './document.ts'
import { type Decision, FieldReader } from './fields.ts'
import type { AskedCard } from './job/request.ts'
import { findLaunched, jobsNear, type Launched, notLaunched, withUndeclared } from './launched.ts'
import { findLoadingScript, type LoadingScript } from './loading-script.ts'
import { unreadMemorySettings } from './memory-settings.ts'
import { type ModelLookup, nameIn } from './model-fields.ts'
import {
  type ChosenVersions,
  chosenVersions,
  findPinnedVersions,
  nothingPinned,
  type PinnedVersions,
  versionSentences,
} from './pinned/pinned-versions.ts'
import { isNotebookPath, isPythonPath, mayTrain } from './python/quick-look.ts'
import type { Opened } from './python/script.ts'
import { oneOf } from './quote.ts'
import type { FileReading, OtherFile, Reading, ReadTraining, SourceFile } from './reading.ts'
import { whyRecord } from './run-record.ts'
import type { Field, Section } from './section.ts'
import { isLauncherPath, mayLaunch } from './shell/quick-look.ts'
import { notingFiles, type Sources } from './sources.ts'
import { SETTINGS_PATH, type SuppliedFields } from './supplied.ts'

/** What a config hangs on besides its own text, found before the rest of it is read. */
interface Found {
  readonly lookUp: ModelLookup
  readonly deepSpeed: DeepSpeedFile
  readonly pinned: PinnedVersions
  /** The files that the config names and that there were. */
  readonly files: readonly OtherFile[]
}

/** A recognised config, up to the point where its model must be known: task, sequence length and limits depend on it. */
interface OpenConfig {
  readonly kind: 'open'
  /** The tool's name. */
  readonly dialect: string
  readonly why: string
  /** Absent when the file names none; reading then says so. */
  readonly modelName?: string
  /** Of DeepSpeed's settings, where they are not in the file itself. */
  readonly deepSpeedName?: string
  /** The files that start it. */
  readonly launchers?: readonly SourceFile[]
  /** The keys are a team's own: its code says what the file does not. */
  readonly isOfOwnCode?: boolean
  readonly read: (found: Found, reader?: FieldReader) => Reading
}

/** How a file is read, for people who ask. */
export type Explanation =
  | {
      readonly kind: 'recognised'
      readonly dialect: string
      /** The keys by which it was recognised. */
      readonly why: string
      /** Where each setting of the spec came from, in the order in which they were read. */
      readonly decisions: readonly Decision[]
      readonly assumptions: readonly string[]
      readonly reading: Reading
    }
  | { readonly kind: 'not-recognised'; readonly reading: Exclude<FileReading, { kind: 'training-config' }> }

/** Without anything but the file and the catalogue. */
const offline: Found = { lookUp: resolveOffline, deepSpeed: notLookedFor, pinned: nothingPinned, files: [] }

/** One file of keys: parse, find the tool whose format it is, read. Never throws for what the file holds. Scripts are read by `readConfigAsync`. */
export function readConfig(file: SourceFile): Reading {
  const opened = openConfig(file)
  return opened.kind === 'open' ? opened.read(offline) : opened
}

/** As `readConfig`, with what the file names looked for. `supplied` wins over what the file writes. */
export async function readConfigAsync(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields = {},
): Promise<FileReading> {
  const noted = notingFiles(sources)
  const opened = await openAsync(file, noted.sources, supplied, sources)
  return opened.kind === 'open' ? opened.read(await foundFor(opened, file, sources, noted)) : opened
}

/** Reads a file of keys as `readConfig` does, and tells how. */
export function explainConfig(file: SourceFile): Explanation {
  const opened = openConfig(file)
  return opened.kind === 'open'
    ? explain(opened, new FieldReader(file.path), offline)
    : { kind: 'not-recognised', reading: opened }
}

/** As `explainConfig`, with what the file names looked for. */
export async function explainConfigAsync(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields = {},
): Promise<Explanation> {
  const noted = notingFiles(sources)
  const opened = await openAsync(file, noted.sources, supplied, sources)
  if (opened.kind !== 'open') return { kind: 'not-recognised', reading: opened }
  return explain(opened, new FieldReader(file.path, supplied), await foundFor(opened, file, sources, noted))
}

async function foundFor(
  { modelName, deepSpeedName, launchers = [] }: OpenConfig,
  { path }: SourceFile,
  sources: Sources,
  noted: ReturnType<typeof notingFiles>,
): Promise<Found> {
  const resolution: Resolution =
    modelName === undefined ? { kind: 'unknown' } : await resolveModel(modelName, noted.sources, path)
  const deepSpeed = await findDeepSpeedFile(deepSpeedName, noted.sources, path)
  const pinned = await findPinnedVersions(sources, path)
  const files = await Promise.all([...noted.files, ...launchers].map(otherFile))
  return { lookUp: () => resolution, deepSpeed, pinned, files }
}

function explain({ dialect, why, read }: OpenConfig, reader: FieldReader, found: Found): Explanation {
  const reading = read(found, reader)
  const { decisions } = reader
  const { assumptions } = reading.kind === 'training-config' ? reading : reader
  return { kind: 'recognised', dialect, why, decisions, assumptions, reading }
}

type Unopened = Exclude<Reading, { kind: 'training-config' }>

/** As `openConfig`, with the files of the repository that a script imports settings from, and what starts it. `searched` notes no files. */
async function openAsync(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
  searched: Sources,
): Promise<OpenConfig | Exclude<FileReading, { kind: 'training-config' }>> {
  if (isLauncherPath(file.path)) return openLaunched(file, sources, supplied, searched)
  if (!isPythonPath(file.path)) {
    // Only what is a config may have a launcher.
    const opened = openConfig(file, supplied)
    if (opened.kind !== 'open') return opened
    const launched = await findLaunched(file.path, searched)
    const loading = opened.isOfOwnCode ? await findLoadingScript(file, launched.startedWith, sources) : undefined
    if (loading !== undefined) return loadedConfig(loading, file, supplied, launched)
    return launched === notLaunched ? opened : openConfig(file, supplied, launched)
  }
  if (!mayTrain(file.text)) return isNotebookPath(file.path) ? openLaunched(file, sources, supplied, searched) : notOurs
  // The parser is read when the first script asks for it: few changes have one.
  const { openScript, startsNone } = await import('./python/script.ts')
  const alone = await openScript(file, sources)
  if (alone === startsNone && isNotebookPath(file.path)) return openLaunched(file, sources, supplied, searched)
  if (alone === startsNone || alone.kind === 'unreadable') return withoutCallers(alone)
  const launched = await findLaunched(file.path, searched)
  if (alone.asksCallers && launched === notLaunched) {
    const { openCalled } = await import('./called-script.ts')
    const called = await openCalled(file, sources, searched)
    if (called !== undefined) return scriptConfig(called.opened, file, supplied, called.launched)
  }
  const { passed } = launched
  const opened = passed.length === 0 ? alone : await openScript({ ...file, passed }, sources)
  return scriptConfig(opened, file, supplied, launched)
}

async function openLaunched(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
  searched: Sources,
): Promise<OpenConfig | Exclude<FileReading, { kind: 'training-config' }>> {
  if (!mayLaunch(file.text)) return notOurs
  // Like Python's, the shell's parser is read when the first file asks for it.
  const { openLauncher } = await import('./shell/launcher.ts')
  const opened = await openLauncher(file, sources)
  if (opened.kind === 'script') {
    const { launchedHere } = await import('./shell/launching.ts')
    const jobs = await jobsNear(file.path, searched)
    return scriptConfig(opened.script, file, supplied, await launchedHere(opened, file, sources, jobs))
  }
  if (opened.kind !== 'open') return opened
  const { dialect, why, document, gpus, card, assumptions } = opened
  return {
    kind: 'open',
    dialect: dialect.name,
    why,
    ...named(supplied.model ?? dialect.modelField(document), dialect.deepSpeedField?.(document)),
    read: (found, reader = new FieldReader(file.path, supplied)) =>
      completed(found, supplied, reader, () => {
        reader.launched = { gpus }
        for (const sentence of assumptions) reader.assume(sentence)
        const own = document.afresh()
        const reading = withUnreadSettings(dialect.read(own, reader, found.lookUp, found.deepSpeed), own, dialect)
        return { reading: withAskedCard(assumptions.length > 0 ? withOpenCode(reading) : reading, card) }
      }),
  }
}

/** What a script sets besides its arguments is not read. */
function withOpenCode(reading: Reading): Reading {
  return reading.kind === 'training-config' ? { ...reading, assumesCode: true } : reading
}

function withAskedCard(reading: Reading, card: AskedCard | undefined): Reading {
  return reading.kind === 'training-config' && card !== undefined ? { ...reading, askedCard: card } : reading
}

function withLaunch(reading: Reading, { isUnclear, card }: Launched): Reading {
  return withAskedCard(isUnclear ? withOpenCode(reading) : reading, card)
}

function scriptConfig(
  opened: Opened,
  { path }: SourceFile,
  supplied: SuppliedFields,
  launched: Launched,
): OpenConfig | Exclude<Opened, { kind: 'open' }> {
  if (opened.kind !== 'open') return withoutCallers(opened)
  const { dialect, why, training } = opened
  const told = withUndeclared({ ...launched, card: launched.card ?? opened.card }, opened.undeclared)
  return {
    kind: 'open',
    dialect,
    why,
    ...named(supplied.model ?? opened.model, opened.deepSpeed),
    read: (found, reader = new FieldReader(path, supplied)) => {
      const read = () => {
        tellLaunch(reader, told)
        const reading = opened.read(reader, found.lookUp, found.deepSpeed)
        return { reading: withLaunch(reading, told) }
      }
      return ofTraining(completed(found, supplied, reader, read), training)
    },
    launchers: launched.files,
  }
}

function withoutCallers({
  asksCallers: _,
  ...reading
}: Exclude<Opened, { kind: 'open' }>): Exclude<FileReading, { kind: 'training-config' }> {
  return reading
}

/** A file of keys, read as the script that loads it makes of them. */
function loadedConfig(
  { file: script, script: opened, sentence }: LoadingScript,
  { path }: SourceFile,
  supplied: SuppliedFields,
  launched: Launched,
): OpenConfig {
  const told = withUndeclared(
    { ...launched, assumptions: [sentence, ...launched.assumptions], files: [...launched.files, script] },
    opened.undeclared,
  )
  return {
    kind: 'open',
    dialect: opened.dialect,
    why: opened.why,
    ...named(supplied.model ?? opened.model, opened.deepSpeed),
    launchers: told.files,
    read: (found, reader = new FieldReader(path, supplied)) =>
      completed(found, supplied, reader, () => {
        tellLaunch(reader, told)
        return { reading: withLaunch(opened.read(reader, found.lookUp, found.deepSpeed), told) }
      }),
  }
}

interface Allocating {
  readonly reading: Reading
  /** Where the config itself tells PyTorch's allocator something. */
  readonly variable?: Field | undefined
  /** The tool's name, where it turns expandable segments on itself. */
  readonly tool?: string | undefined
}

/** What a dialect reads, with the versions of the libraries, what the allocator is told, and the files that were opened. */
function completed(
  { pinned, files }: Found,
  supplied: SuppliedFields,
  reader: FieldReader,
  read: () => Allocating,
): Reading {
  const chosen = chosenVersions(pinned, supplied.versions)
  reader.versions = chosen.versions
  const { reading, variable, tool } = read()
  const allocating = withAllocatorSettings(withVersions(reading, chosen, reader), variable, reader, tool)
  return withFiles(withUnread(allocating, reader), files)
}

function ofTraining(reading: Reading, training: ReadTraining): Reading {
  return reading.kind === 'not-a-training-config' ? reading : { ...reading, training }
}

/** Before the config is read, so that the number of processes counts. */
function tellLaunch(reader: FieldReader, { gpus, assumptions }: Launched): void {
  reader.launched = { gpus }
  for (const sentence of assumptions) reader.assume(sentence)
}

function tellRepeated(reader: FieldReader, repeated: readonly Problem[]): void {
  for (const { message, line } of repeated.slice(0, MAX_REPEATED))
    reader.assume(`${message}: the last counts (line ${line}).`)
}

/** Keys set twice that are told. */
const MAX_REPEATED = 3

function named(
  model: Field | undefined,
  deepSpeed: Field | undefined,
): Pick<OpenConfig, 'modelName' | 'deepSpeedName'> {
  const [modelName, deepSpeedName] = [nameIn(model), nameIn(deepSpeed)]
  return { ...(modelName !== undefined && { modelName }), ...(deepSpeedName !== undefined && { deepSpeedName }) }
}

function openConfig(
  file: SourceFile,
  supplied: SuppliedFields = {},
  launched: Launched = notLaunched,
): OpenConfig | Unopened {
  if (isPythonPath(file.path) || isLauncherPath(file.path) || !mayBeTrainingConfig(file)) return notOurs
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return parsed
  for (const document of parsed.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document)
      if (why === undefined) continue
      const record = whyRecord(document, file.path)
      if (record !== undefined) return { kind: 'not-a-training-config', why: record }
      const started = document.overridden(launched.fields)
      return {
        kind: 'open',
        dialect: dialect.name,
        why,
        ...named(supplied.model ?? dialect.modelField(started), dialect.deepSpeedField?.(started)),
        launchers: launched.files,
        isOfOwnCode: dialect.isOfOwnCode?.(document) ?? false,
        read: (found, reader = new FieldReader(file.path, supplied)) => {
          const tool = dialect.expandsSegments && dialect.name
          const variable = file.text.includes('_ALLOC_CONF') ? allocatorVariable(document) : undefined
          return completed(found, supplied, reader, () => {
            tellLaunch(reader, launched)
            tellRepeated(reader, parsed.repeated)
            const own = started.afresh()
            const reading = withUnreadSettings(dialect.read(own, reader, found.lookUp, found.deepSpeed), own, dialect)
            return { reading: withLaunch(reading, launched), variable, tool }
          })
        },
      }
    }
  }
  return notOurs
}

/** False for a text that is certainly none: it holds no key that a format needs. Takes linear time, and parses nothing. */
export function mayBeTrainingConfig({ path, text }: SourceFile): boolean {
  if (isLauncherPath(path)) return mayLaunch(text)
  if (isNotebookPath(path)) return mayTrain(text) || mayLaunch(text)
  return isPythonPath(path) ? mayTrain(text) : dialects.some(dialect => dialect.mayBe(text))
}

/** `supplied` wins over what the repository pins. */
function withVersions(reading: Reading, chosen: ChosenVersions, { hangsOnTrl }: FieldReader): Reading {
  if (reading.kind !== 'training-config') return reading
  const { trl, ...others } = chosen.versions
  const versions = trl === undefined || !hangsOnTrl ? others : chosen.versions
  const spec = Object.keys(versions).length === 0 ? reading.spec : { ...reading.spec, versions }
  return { ...reading, spec, assumptions: [...reading.assumptions, ...versionSentences(chosen, spec.loop, hangsOnTrl)] }
}

/** What looks like a setting of memory and was not read, in any format. */
function withUnreadSettings(reading: Reading, document: Section, { withoutBearing }: Dialect): Reading {
  if (reading.kind !== 'training-config') return reading
  const unread = unreadMemorySettings(document, withoutBearing)
  if (unread.length === 0) return reading
  return { ...reading, unreadSettings: unread.map(({ name, at }) => ({ name: name.slice(0, 200), at })) }
}

/** Settings that do not apply to this tool's configs are reported, not ignored. */
function withUnread(reading: Reading, { unread }: FieldReader): Reading {
  if (reading.kind !== 'training-config' || unread.length === 0) return reading
  const sentence = `${SETTINGS_PATH} supplies ${unread.join(', ')}, which do not apply to ${reading.dialect} configs.`
  return { ...reading, assumptions: [...reading.assumptions, sentence] }
}

async function otherFile({ path, text }: SourceFile): Promise<OtherFile> {
  return { path, blobSha: await gitBlobSha(text) }
}

function withFiles(reading: Reading, files: readonly OtherFile[]): Reading {
  if (reading.kind === 'not-a-training-config' || files.length === 0) return reading
  return { ...reading, otherFiles: files }
}

const notOurs: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  why: `It sets no batch size in a known format (${oneOf(dialects.map(({ name }) => name))}).`,
}
