import { type Resolution, resolveOffline } from '../models/resolve.ts'
import { type Dialect, dialects } from './dialect.ts'
import { parseFile } from './document.ts'
import { type Decision, FieldReader } from './fields.ts'
import { type ModelLookup, modelNameIn } from './model-fields.ts'
import { oneOf } from './quote.ts'
import type { Reading, SourceFile } from './reading.ts'
import { SETTINGS_PATH, type SuppliedFields } from './supplied.ts'

/** A config of a tool that is known, up to the point where its model must be: task, sequence and limits hang on it. */
interface OpenConfig {
  readonly kind: 'open'
  readonly dialect: Dialect
  readonly why: string
  /** Absent when the file names none; reading then says so. */
  readonly modelName?: string
  readonly read: (lookUp: ModelLookup, reader?: FieldReader) => Reading
}

/** How a file is understood, for people who ask. */
export type Explanation =
  | {
      readonly kind: 'recognised'
      readonly dialect: string
      /** What it was recognised by. */
      readonly why: string
      /** Where each setting of the spec came from, in the order in which they were read. */
      readonly decisions: readonly Decision[]
      readonly assumptions: readonly string[]
      readonly reading: Reading
    }
  | { readonly kind: 'not-recognised'; readonly reading: Exclude<Reading, { kind: 'training-config' }> }

/** One file: parse, find the tool whose format it is, read. Never throws for what the file holds. */
export function readConfig(file: SourceFile, lookUp: ModelLookup = resolveOffline): Reading {
  const opened = openConfig(file)
  return opened.kind === 'open' ? opened.read(lookUp) : opened
}

/** As `readConfig`, where a model takes time to find. `supplied` wins over what the file writes. */
export async function readConfigAsync(
  file: SourceFile,
  resolve: (name: string) => Promise<Resolution>,
  supplied: SuppliedFields = {},
): Promise<Reading> {
  const opened = openConfig(file, supplied)
  return opened.kind === 'open' ? opened.read(await resolvedBefore(opened, resolve)) : opened
}

/** Reads a file as `readConfig` does, and tells how. */
export function explainConfig(file: SourceFile, lookUp: ModelLookup = resolveOffline): Explanation {
  const opened = openConfig(file)
  return opened.kind === 'open'
    ? explain(opened, new FieldReader(file.path), lookUp)
    : { kind: 'not-recognised', reading: opened }
}

/** As `explainConfig`, where a model takes time to find. */
export async function explainConfigAsync(
  file: SourceFile,
  resolve: (name: string) => Promise<Resolution>,
  supplied: SuppliedFields = {},
): Promise<Explanation> {
  const opened = openConfig(file, supplied)
  if (opened.kind !== 'open') return { kind: 'not-recognised', reading: opened }
  return explain(opened, new FieldReader(file.path, supplied), await resolvedBefore(opened, resolve))
}

async function resolvedBefore(
  { modelName }: OpenConfig,
  resolve: (name: string) => Promise<Resolution>,
): Promise<ModelLookup> {
  const resolution: Resolution = modelName === undefined ? { kind: 'unknown' } : await resolve(modelName)
  return () => resolution
}

function explain({ dialect, why, read }: OpenConfig, reader: FieldReader, lookUp: ModelLookup): Explanation {
  const reading = read(lookUp, reader)
  const { decisions, assumptions } = reader
  return { kind: 'recognised', dialect: dialect.name, why, decisions, assumptions, reading }
}

function openConfig(
  file: SourceFile,
  supplied: SuppliedFields = {},
): OpenConfig | Exclude<Reading, { kind: 'training-config' }> {
  if (!dialects.some(dialect => dialect.mayBe(file.text))) return notOurs
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return parsed
  for (const document of parsed.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document)
      if (why === undefined) continue
      const modelName = modelNameIn(supplied.model ?? dialect.modelField(document))
      return {
        kind: 'open',
        dialect,
        why,
        ...(modelName !== undefined && { modelName }),
        read: (lookUp, reader = new FieldReader(file.path, supplied)) =>
          withUnread(dialect.read(document, reader, lookUp), reader),
      }
    }
  }
  return notOurs
}

/** Settings that this tool's configs have no use for are told, not passed over. */
function withUnread(reading: Reading, { unread }: FieldReader): Reading {
  if (reading.kind !== 'training-config' || unread.length === 0) return reading
  const sentence = `${SETTINGS_PATH} supplies ${unread.join(', ')}, which configs of ${reading.dialect} leave no choice about.`
  return { ...reading, assumptions: [...reading.assumptions, sentence] }
}

const notOurs: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  why: `It sets no batch size that is known here: no settings of ${oneOf(dialects.map(({ name }) => name))} were found in it.`,
}

const candidateExtension = /\.(ya?ml|json)$/i
const foreignFolders = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', 'site-packages'])
/** Files of other tools that are known by name; whatever else is not ours is told by its content. */
const foreignFile =
  /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$/i

/** Whether a `/`-separated path is worth reading when training configs are looked for. */
export function isCandidatePath(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  return candidateExtension.test(name) && !foreignFile.test(name) && !folders.some(folder => foreignFolders.has(folder))
}
