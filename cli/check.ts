/** `memorymark check`: finds training configs under the paths and prints a verdict each. */
import { writeFile } from 'node:fs/promises'
import type { AnalyzeOptions } from '../engine/analyze.ts'
import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { mayBeTrainingConfig } from '../engine/config/opening/quick-look.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import { renderComment } from '../engine/render/comment.ts'
import { unchangedLine } from '../engine/render/upgrade.ts'
import { findingOf, needsMemory } from '../engine/render/verdict.ts'
import type { ConfigResult, Report } from '../engine/report/schema.ts'
import { isMoved } from '../engine/report/upgrade.ts'
import { reportOn } from '../engine/report-on.ts'
import { globsLeftOut, noSettings, type RepositorySettings } from '../engine/settings/settings.ts'
import { parseFlags } from './arguments.ts'
import { type ChangedConfigs, readChange } from './changed-configs.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { type FoundFiles, findFiles, type Wanted } from './files.ts'
import { judgingOf, judgingOptions } from './judging.ts'
import { complain, complainOf, printJson, printReport } from './print.ts'
import { ScanProgress } from './progress.ts'
import { findSettings, settingsOptions } from './settings.ts'
import { sources } from './sources.ts'

export async function check(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    ...judgingOptions,
    ...settingsOptions,
    details: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    base: { type: 'string' },
    comment: { type: 'string' },
    json: { type: 'boolean' },
  })
  await using engine = openEngine({ limits: { totalMillis: Number.POSITIVE_INFINITY } })
  const reading = await findSettings(values, engine)
  if (reading.kind === 'unreadable') return refuse(reading.problems)
  const settings = reading.kind === 'settings' ? reading.settings : noSettings
  const change = values.base === undefined ? undefined : await readChange(values.base, settings, engine)
  for (const remark of change?.remarks ?? []) complain(remark)
  const options: AnalyzeOptions = {
    ...judgingOf(values, settings),
    sources: sources(),
    ...(change && { base: change.base, formerVersions: change.formerVersions }),
  }
  const files = await filesOf(positionals, countingBy(engine, settings), change)
  const configs = await judgeNamed(engine, files.named, options)
  using progress = new ScanProgress()
  for await (const judged of engine.judge(possibleConfigs(progress.counting(files.found)), options)) {
    if (judged.kind !== 'configs') continue
    configs.push(...judged.results)
    progress.found(configs.length)
  }
  progress.ended()
  const report = reportOn(configs, options)
  const named = new Set(files.named.map(({ path }) => path))
  if (values.comment !== undefined) await writeComment(values.comment, await withLevers(report, engine, options))
  if (values.json) printJson(report)
  else printPage(report, named, values)
  return exitCode(report, named)
}

/** A file named by the user is checked even if the settings ignore it or it has not changed. */
async function filesOf(paths: readonly string[], counted: Wanted, change?: ChangedConfigs): Promise<FoundFiles> {
  const chosen = paths.length === 0 ? ['.'] : paths
  if (change === undefined) return findFiles(chosen, counted)
  const changed = new Set(change.files.map(({ path }) => path))
  return findFiles(chosen, async found => found.filter(path => changed.has(path)))
}

/** Once the globs have taken too long, every file counts. */
function countingBy(engine: IsolatedEngine, settings: RepositorySettings): Wanted {
  let isWithinLimits = true
  return async found => {
    if (!isWithinLimits) return found
    const counted = await engine.countPaths(found, settings)
    isWithinLimits = counted.isWithinLimits
    if (!isWithinLimits) complain(globsLeftOut)
    return counted.paths
  }
}

/** Adds levers, as on a pull request. Files whose trainings need them are read again. */
async function withLevers(report: Report, engine: IsolatedEngine, options: AnalyzeOptions): Promise<Report> {
  const inNeed = new Set(report.configs.filter(needsMemory).map(({ path }) => path))
  const { named } = await findFiles([...inNeed])
  return engine.withLevers(report, named, options)
}

/** The Action's comment in Markdown; an empty file if there is nothing to say. */
async function writeComment(path: string, report: Report): Promise<void> {
  await writeFile(path, renderComment(report) ?? '').catch((error: Error) => {
    throw new MemoryMarkError(
      {
        code: 'file-unwritable',
        file: path,
        message: 'the comment cannot be written there',
        fix: 'Name a file in a folder that exists and that you may write to.',
      },
      { cause: error },
    )
  })
}

const BRIEF = 'Memory is estimated, speed and savings are modelled. Name a file to see it in full, or add --details.'

interface PageFlags {
  readonly details?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** Named files are printed in full; of several found ones, each gets a line with its place. */
function printPage(report: Report, named: ReadonlySet<string>, { details, quiet }: PageFlags): void {
  const isMoving = (config: ConfigResult) =>
    config.status === 'analysed' && config.upgrade !== undefined && isMoved(config.upgrade)
  const isTold = (config: ConfigResult) => !quiet || findingOf(config) !== 'fine' || isMoving(config)
  const told = report.configs.filter(isTold)
  if (quiet && told.length === 0) return
  const isBrief = !details && told.filter(({ path }) => !named.has(path)).length > 1
  const hint = isBrief ? [BRIEF] : []
  printReport(report, {
    sentences: [...unchangedLine(report), ...hint, ...furtherHelp(report)],
    detailOf: config =>
      !isTold(config) ? 'none' : isBrief && !named.has(config.path) && !isMoving(config) ? 'line' : 'full',
  })
}

function refuse(problems: readonly Problem[]): ExitCode {
  for (const problem of problems) complainOf(problem)
  return 2
}

/** A named file is expected to be a training config; one found in a directory is not. */
async function judgeNamed(
  engine: IsolatedEngine,
  files: readonly SourceFile[],
  options: AnalyzeOptions,
): Promise<ConfigResult[]> {
  const configs: ConfigResult[] = []
  let judgedFiles = 0
  for await (const judged of engine.judge(files, options)) {
    const file = files[judgedFiles++]
    if (judged.kind === 'configs') {
      configs.push(...judged.results)
      continue
    }
    throw new MemoryMarkError({
      code: 'not-a-training-config',
      ...(file && { file: file.path }),
      message: 'this is not a training config',
      fix: `${judged.why} Name a file that sets a batch size, or a directory to search.`,
    })
  }
  return configs
}

/** Drops files that cannot be configs before they are sent to the limited process. */
async function* possibleConfigs(files: AsyncIterable<SourceFile>): AsyncGenerator<SourceFile> {
  for await (const file of files) if (mayBeTrainingConfig(file)) yield file
}

/** Hints to `explain`, if a verdict rests on more than the GPU that was assumed, and to `advise`, if a config does not fit. */
function furtherHelp({ configs }: Report): readonly string[] {
  const analysed = configs.filter(config => config.status === 'analysed')
  const open = analysed.find(
    ({ verdict, assumed = [] }) =>
      verdict.reasons.some(({ spared }) => spared === 'assumed') && assumed.some(what => what !== 'gpu'),
  )
  const tight = analysed.find(({ current }) => !current.fits)
  return [
    ...(open === undefined ? [] : [`memorymark explain ${open.path} lists what was assumed.`]),
    ...(tight === undefined ? [] : [`memorymark advise ${tight.path} lists every way to free memory.`]),
  ]
}

/**
 * 1 if something blocks, which is certain even if other configs could not be analysed; else 2 if a named file could not
 * be analysed. Files that were only found do not count, so that a repository's first run does not fail on them; nothing
 * counts where `fail-on` is `never`.
 */
function exitCode({ configs }: Report, named: ReadonlySet<string>): ExitCode {
  if (configs.some(config => config.status === 'analysed' && config.verdict.state === 'blocked')) return 1
  const isMissing = (config: ConfigResult) => config.status === 'not-analysed' && config.spared !== 'never'
  return configs.some(config => isMissing(config) && named.has(config.path)) ? 2 : 0
}
