import { type Resolution, resolveOffline } from '../models/resolve.ts'
import { dialects } from './dialect.ts'
import { parseFile } from './document.ts'
import { type ModelLookup, modelNameIn } from './model-fields.ts'
import type { Reading, SourceFile } from './reading.ts'

/** A training config up to the point where its model must be known: task, sequence and limits hang on it. */
interface OpenConfig {
  readonly kind: 'open'
  /** Absent when the file names none; reading then says so. */
  readonly modelName?: string
  readonly read: (lookUp: ModelLookup) => Reading
}

/** One file: parse, find the tool whose format it is, read. Never throws for what the file holds. */
export function readConfig(file: SourceFile, lookUp: ModelLookup = resolveOffline): Reading {
  const opened = openConfig(file)
  return opened.kind === 'open' ? opened.read(lookUp) : opened
}

/** As `readConfig`, where a model takes time to find. */
export async function readConfigAsync(
  file: SourceFile,
  resolve: (name: string) => Promise<Resolution>,
): Promise<Reading> {
  const opened = openConfig(file)
  if (opened.kind !== 'open') return opened
  const resolution: Resolution = opened.modelName === undefined ? { kind: 'unknown' } : await resolve(opened.modelName)
  return opened.read(() => resolution)
}

function openConfig(file: SourceFile): OpenConfig | Exclude<Reading, { kind: 'training-config' }> {
  if (!dialects.some(dialect => dialect.mayBe(file.text))) return notOurs
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return parsed
  for (const document of parsed.mappings) {
    const dialect = dialects.find(candidate => candidate.detects(document))
    if (dialect === undefined) continue
    const modelName = modelNameIn(dialect.modelField(document))
    return {
      kind: 'open',
      ...(modelName !== undefined && { modelName }),
      read: lookUp => dialect.read(document, file.path, lookUp),
    }
  }
  return notOurs
}

const notOurs: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  why: `It sets no batch size that is known here: no settings of ${dialects.map(({ name }) => name).join(' or ')} were found in it.`,
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
