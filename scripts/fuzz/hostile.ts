/** Puts hostile strings into reports and configs, and checks every output that shows them. */
import { parseAllDocuments, type Scalar, visit } from 'yaml'
import * as z from 'zod'
import { analyze, isLauncherPath, type Report, type SourceFile } from '../../engine/index.ts'
import { hostileReport } from '../../test/render/fixtures.ts'
import { harmfulIn } from '../../test/render/harm.ts'
import { hostileStrings } from '../../test/render/hostile-strings.ts'
import { corpus } from './corpus.ts'

export interface HostileResult {
  readonly reports: number
  readonly configs: number
  /** How many of these have their page compared with that for a harmless word. */
  readonly compared: number
  /** One sentence each. */
  readonly harmful: readonly string[]
}

/**
 * Which strings and configs: those whose place, divided by `threads`, leaves `thread`. Of the strings a config gets one of `every`,
 * another one than its neighbours.
 */
export const hostileShare = z.object({ thread: z.int(), threads: z.int(), every: z.int().positive() })
type HostileShare = z.infer<typeof hostileShare>

/** Each string once in every field of a report, and as some value of the configs of the corpus. */
export async function tryHostileStrings(share: HostileShare): Promise<HostileResult> {
  const ordinary = hostileReport('name')
  const strings = shareOf(hostileStrings, share)
  const inReports = strings.flatMap(([name, text]) =>
    harmfulIn(hostileReport(text), ordinary).map(found => `${name} in a report: ${found}`),
  )
  const results: HostileResult[] = [{ reports: strings.length, configs: 0, compared: 0, harmful: inReports }]
  for (const [place, file] of shareOf(Array.from(corpus.entries()), share)) {
    results.push(await tryInConfig(file, turn => (turn + place) % share.every === 0))
  }
  return joined(results)
}

export function joined(results: readonly HostileResult[]): HostileResult {
  const sum = (of: (result: HostileResult) => number) => results.reduce((total, result) => total + of(result), 0)
  return {
    reports: sum(({ reports }) => reports),
    configs: sum(({ configs }) => configs),
    compared: sum(({ compared }) => compared),
    harmful: results.flatMap(({ harmful }) => harmful),
  }
}

function shareOf<T>(all: readonly T[], { thread, threads }: HostileShare): readonly T[] {
  return all.filter((_, turn) => turn % threads === thread)
}

async function tryInConfig(file: SourceFile, isTurn: (turn: number) => boolean): Promise<HostileResult> {
  let [configs, compared] = [0, 0]
  const harmful: string[] = []
  /** By the text of the config, since most have fewer values than there are strings. */
  const harmlessReports = new Map<string, Report>()
  for (const [turn, [name, text]] of hostileStrings.entries()) {
    if (!isTurn(turn)) continue
    const harmlessFile = withValue(file, turn, 'name')
    const harmless = harmlessReports.get(harmlessFile.text) ?? (await reportOn(harmlessFile))
    harmlessReports.set(harmlessFile.text, harmless)
    const report = await reportOn(withValue(file, turn, text))
    const isComparable = isOfOneShape(report, harmless)
    if (isComparable) compared += 1
    configs += 1
    const found = harmfulIn(report, isComparable ? harmless : undefined)
    harmful.push(...found.map(sentence => `${name} in ${file.path}: ${sentence}`))
  }
  return { reports: 0, configs, compared, harmful }
}

/**
 * In some places a string is syntax, such as `$x` in make, so that the report differs from that for a harmless word.
 */
function isOfOneShape(one: Report, other: Report): boolean {
  const [shape, otherShape] = [one, other].map(({ configs }) =>
    JSON.stringify(configs, (_, value: unknown) => (typeof value === 'string' ? '' : value)),
  )
  return shape === otherShape
}

/** Replaces one scalar by `text`, another one each time. */
function withValue(file: SourceFile, turn: number, text: string): SourceFile {
  if (/\.(?:py|toml)$/.test(file.path)) return withLiteral(file, turn, text)
  if (isLauncherPath(file.path)) return withWord(file, turn, text)
  const documents = parseAllDocuments(file.text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
  const scalars: Scalar[] = []
  for (const document of documents) {
    visit(document, { Scalar: (key, scalar) => void (key === 'value' && scalars.push(scalar)) })
  }
  const chosen = scalars[turn % scalars.length]
  if (chosen !== undefined) chosen.value = text
  const isJson = file.path.endsWith('.json')
  return { ...file, text: documents.map(document => (isJson ? JSON.stringify(document) : String(document))).join('') }
}

/** Replaces a string in a script or in TOML that is or resembles a model name: other strings choose between settings. */
function withLiteral(file: SourceFile, turn: number, text: string): SourceFile {
  const literals = Array.from(file.text.matchAll(/"[^"\n]*"/g)).filter(([literal]) => /[-/]/.test(literal))
  const chosen = literals[turn % literals.length]
  if (chosen === undefined) return file
  const [before, after] = [file.text.slice(0, chosen.index), file.text.slice(chosen.index + chosen[0].length)]
  return { ...file, text: `${before}${JSON.stringify(text)}${after}` }
}

/** Replaces a command's argument, in single quotes. */
function withWord(file: SourceFile, turn: number, text: string): SourceFile {
  const words = Array.from(file.text.matchAll(/(?<=--\w+[ =])[^\s"'\\]+/g))
  const chosen = words[turn % words.length]
  if (chosen === undefined) return file
  const [before, after] = [file.text.slice(0, chosen.index), file.text.slice(chosen.index + chosen[0].length)]
  return { ...file, text: `${before}'${text.replaceAll("'", '’')}'${after}` }
}

async function reportOn({ path, text }: SourceFile): Promise<Report> {
  return analyze([{ path, text }], { now: new Date() })
}
