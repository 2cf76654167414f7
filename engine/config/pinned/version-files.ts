/** The files in which a Python project says which releases it runs on, and what each says. */
import { posix } from 'node:path'
import type { SourceFile } from '../reading.ts'
import { linesOf, lockedVersions, type OnLine } from './lock-file.ts'
import { parseRequirement, type Requirement } from './requirement.ts'

/** A requirement and where it stands. */
export interface Statement extends Requirement {
  readonly path: string
  /** 1-based. */
  readonly line: number
}

interface Format {
  readonly name: RegExp
  readonly read: (text: string) => readonly OnLine[] | Promise<readonly OnLine[]>
  readonly maxCharacters: number
}

/** Of what tools write, and of what people write. */
const WRITTEN_BY_TOOLS = 4_194_304
const WRITTEN_BY_PEOPLE = 524_288

/** Those first whose word counts most: what is installed, before what may be. */
const formats: readonly Format[] = [
  ...[/^uv\.lock$/, /^poetry\.lock$/, /^pdm\.lock$/, /^pylock(?:\.[\w-]+)?\.toml$/, /^Pipfile\.lock$/].map(locked),
  ...[/^conda-lock\.ya?ml$/, /^pixi\.lock$/].map(locked),
  byPeople(/^constraints[\w.-]{0,60}\.txt$/, lineRequirements),
  byPeople(/^requirements\.txt$/, lineRequirements),
  byPeople(/^requirements[\w.-]{1,60}\.txt$/, lineRequirements),
  byPeople(/^environment[\w.-]{0,60}\.ya?ml$|^conda\.ya?ml$/, listedRequirements),
  byPeople(/^pyproject\.toml$/, tomlRequirements),
  byPeople(/^Pipfile$/, tomlRequirements),
  byPeople(/^setup\.cfg$/, indentedRequirements),
]

/** A folder of such files, each of any name. */
export const REQUIREMENTS_FOLDER = 'requirements'
const inRequirementsFolder = byPeople(/\.(?:txt|in)$/, lineRequirements)

function locked(name: RegExp): Format {
  return { name, read: lockedVersions, maxCharacters: WRITTEN_BY_TOOLS }
}

function byPeople(name: RegExp, read: Format['read']): Format {
  return { name, read, maxCharacters: WRITTEN_BY_PEOPLE }
}

/** Files of people's by whose name what they install does not train on NVIDIA's GPUs: LLaMA-Factory's `requirements/npu.txt`. */
const ofOtherDevices = /(?:^|[-_.])(?:npu|xpu|hpu|tpu|mps|rocm|cpu)(?:[-_.]|$)/i
/** Of a folder, those of extras that serve models, or check or document code. */
const ofOtherWork = /^(?:sglang|vllm|serv\w*|docs?|tests?)\b/i

/** The lower, the more its word counts; undefined for every other file. */
export function rankOf(path: string): number | undefined {
  const name = posix.basename(path)
  if (/\.(?:txt|in|ya?ml)$/.test(name) && ofOtherDevices.test(name)) return undefined
  const rank = formats.findIndex(format => format.name.test(name))
  if (rank >= 0) return rank
  return isInFolder(path) ? formats.length : undefined
}

export function isVersionFile(path: string): boolean {
  return rankOf(path) !== undefined
}

function isInFolder(path: string): boolean {
  const isThere = posix.basename(posix.dirname(path)) === REQUIREMENTS_FOLDER && inRequirementsFolder.name.test(path)
  return isThere && !ofOtherWork.test(posix.basename(path))
}

/** What a file says about the libraries whose version decides something. Never throws for what it holds. */
export async function statementsIn({ path, text, sizeBytes = 0 }: SourceFile): Promise<readonly Statement[]> {
  const rank = rankOf(path)
  const format = rank === undefined ? undefined : (formats[rank] ?? inRequirementsFolder)
  if (format === undefined || Math.max(sizeBytes, text.length) > format.maxCharacters) return []
  return (await format.read(text)).map(({ requirement, line }) => ({ ...requirement, path, line }))
}

/** pyproject.toml and Pipfile. Their parser is loaded where there is one: the playground's page, which sees one file, does without. */
async function tomlRequirements(text: string): Promise<readonly OnLine[]> {
  const toml = await import('./toml-file.ts')
  return toml.tomlRequirements(text)
}

/** requirements.txt: one a line. */
function lineRequirements(text: string): readonly OnLine[] {
  return requirementsOf(text, written => written)
}

/** environment.yml: items of lists, with channels such as `conda-forge::pytorch`. */
function listedRequirements(text: string): readonly OnLine[] {
  return requirementsOf(text, written => /^\s*-\s+["']?(?:[\w-]{1,60}::)?([^"']{1,300})/.exec(written)?.[1])
}

/** setup.cfg: lines below `install_requires =`. */
function indentedRequirements(text: string): readonly OnLine[] {
  return requirementsOf(text, written => (/^\s/.test(written) ? written : undefined))
}

function requirementsOf(text: string, written: (line: string) => string | undefined): readonly OnLine[] {
  return [...linesOf(text)].flatMap((line, index) => {
    const requirement = parseRequirement(written(line) ?? '')
    return requirement === undefined ? [] : [{ requirement, line: index + 1 }]
  })
}
