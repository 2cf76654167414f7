/**
 * Runs the engine on untrusted files in limited processes. A file that takes too much time or memory is reported as not
 * analysed and affects neither other files nor the serving process.
 */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { AnalyzeOptions, Judged } from '../analyze.ts'
import { MemoryMarkError, type Problem } from '../base/errors.ts'
import type { CalibrationReading, RunFigures } from '../calibration/file.ts'
import { type AffectedConfigs, affectedConfigs, type Change, type RepositoryFiles } from '../change/affected-configs.ts'
import { SETTINGS_PATH } from '../config/fields/supplied.ts'
import type { Explanation } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import type { Sources } from '../config/sources.ts'
import type { ExplainOptions } from '../explain.ts'
import type { PlanOptions } from '../plan/plan.ts'
import type { Proposal, ProposalOptions } from '../propose.ts'
import type { AdvisedLever } from '../report/advised-levers.ts'
import type { AnalysedConfig, ConfigResult, Report } from '../report/schema.ts'
import { reportOn } from '../report-on.ts'
import type { SettingsReading } from '../settings/read.ts'
import type { Counted, Globs, RepositorySettings } from '../settings/settings.ts'
import { tooLarge } from '../snapshot/limits.ts'
import type { SnapshotSummary } from '../snapshot/summary.ts'
import type { EstimatedSubject, Named, PlannedSubject, RunOnGpu, Subject, SubjectOptions } from '../subject.ts'
import type { EstimatedMethods } from '../training-methods.ts'
import { type EachFileOptions, eachFile, type FileOutcome, type Files } from './each-file.ts'
import { askedForLevers, withFoundLevers } from './levers.ts'
import { type AnalysisLimits, defaultLimits, excessProblem } from './limits.ts'
import { ProcessPool } from './pool.ts'
import type { Results, Task } from './tasks.ts'

/** What measures or traces is a function and cannot be sent to another process. */
export interface IsolatedOptions extends Omit<AnalyzeOptions, 'assessor' | 'upgradeTracer'> {
  /** Cancels the analysis, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Instead of the engine's own limit for one analysis. */
  readonly totalMillis?: number
}

/** What has been read of a repository while the files that configs name are collected. */
export interface ReadSoFar {
  /** Undefined if there is no such file or it has not been read. */
  readonly text: (path: string) => string | undefined
  /** Names of the files in a folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>
  /** Whether the file exists and has not been read. */
  readonly isUnread: (path: string) => Promise<boolean>
}

export type ReportReading =
  | { readonly kind: 'report'; readonly report: Report }
  /** It is not JSON, or does not follow the schema. */
  | { readonly kind: 'no-report' }
  | { readonly kind: 'excess' }

export interface Sifted {
  readonly within: readonly SourceFile[]
  readonly beyond: readonly ConfigResult[]
}

export interface IsolatedEngineOptions {
  /** The script that processes start with; by default dist/analysis.js beside the bundle. */
  readonly script?: string
  /** Number of files analysed at the same time; 1 by default. */
  readonly processes?: number
  readonly limits?: Partial<AnalysisLimits>
  /** Receives how processes ended that ended by themselves. */
  readonly log?: (text: string) => void
}

const FEW_COMBINATIONS = 60

/** To hold every path against every glob; 33,000 paths take 10 globs half of it. */
const GLOBS_MILLIS = 1_000

/** What Node needs to start, and none of our secrets. */
const passedVariables = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|TZ|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|SystemRoot)$/

/** As many as there are cores, since they compute; more would only take memory. */
export function processesFor(analysesAtOnce: number): number {
  return Math.max(1, Math.min(analysesAtOnce, availableParallelism()))
}

export class IsolatedEngine implements AsyncDisposable {
  readonly #pool: ProcessPool
  readonly #limits: AnalysisLimits
  readonly #log: (text: string) => void

  /** Starts no process yet. */
  constructor({ script = scriptBesideUs(), processes = 1, limits, log = () => {} }: IsolatedEngineOptions = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    this.#log = log
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)))
    this.#pool = new ProcessPool(processes, { script, env, heapMib: this.#limits.heapMib })
  }

  /** Starts a process, for work that is to come soon. */
  warmUp(): void {
    this.#pool.warmUp()
  }

  /** As `analyze`: files that are not training configs are left out of the report. */
  async analyze(files: Files, options: IsolatedOptions): Promise<Report> {
    const configs: ConfigResult[] = []
    for await (const judged of this.judge(files, options)) {
      if (judged.kind === 'configs') configs.push(...judged.results)
    }
    return reportOn(configs, options)
  }

  /** One for each file, in their order. */
  async *judge(
    files: Files,
    { sources, base, signal, totalMillis, ...options }: IsolatedOptions,
  ): AsyncGenerator<Judged> {
    const task = { kind: 'judge', options } as const
    const limits = { ...this.#limits, ...(totalMillis !== undefined && { totalMillis }) }
    for await (const outcome of eachFile<'judge'>(task, files, {
      ...this.#options({ sources, base, signal }),
      limits,
    })) {
      yield outcome.kind === 'result' ? outcome.result : { kind: 'configs', results: [unjudged(outcome, limits)] }
    }
  }

  /**
   * Separates files that can be read and estimated within the limits from those that cannot, which come with their
   * problems.
   */
  async sift(
    files: Files,
    { sources, base: _, signal, totalMillis: __, ...options }: IsolatedOptions,
  ): Promise<Sifted> {
    const task = { kind: 'judge', options } as const
    const outcomes = await Array.fromAsync(eachFile<'judge'>(task, files, this.#options({ sources, signal })))
    return {
      within: outcomes.flatMap(({ kind, file }) => (kind === 'result' ? [file] : [])),
      beyond: outcomes.flatMap(outcome => (outcome.kind === 'excess' ? [unjudged(outcome, this.#limits)] : [])),
    }
  }

  /** `affectedConfigs` under limits: a file that passes a limit counts as unrelated to the change. */
  affectedConfigs(change: Change, settings: RepositorySettings, repository: RepositoryFiles): Promise<AffectedConfigs> {
    return affectedConfigs(change, settings, repository, {
      counted: paths => this.countPaths(paths, settings),
      areNamed: files => this.#areTrue<'is-named-by-configs'>({ kind: 'is-named-by-configs' }, files),
      state: async files => {
        const outcomes = await Array.fromAsync(
          eachFile<'state-versions'>({ kind: 'state-versions' }, files, this.#options({})),
        )
        return outcomes.map(outcome => (outcome.kind === 'result' ? outcome.result : []))
      },
      started: async files => {
        const outcomes = await Array.fromAsync(eachFile<'starts'>({ kind: 'starts' }, files, this.#options({})))
        return outcomes.map(outcome => (outcome.kind === 'result' ? outcome.result : []))
      },
      open: (files, named, sources) =>
        this.#areTrue<'opens-one-of'>({ kind: 'opens-one-of', named, settings }, files, { sources }),
    })
  }

  async explainFile(file: SourceFile, options: ExplainOptions = {}): Promise<Explanation> {
    const [explanation] = await this.explainFiles([file], options)
    return explanation!
  }

  /** In the order of the files. One that passes a limit is explained as unreadable. */
  async explainFiles(
    files: readonly SourceFile[],
    { settings, sources }: ExplainOptions = {},
  ): Promise<readonly Explanation[]> {
    const outcomes = await Array.fromAsync(
      eachFile<'explain'>({ kind: 'explain', settings }, files, this.#options({ sources })),
    )
    return outcomes.map(outcome =>
      outcome.kind === 'result'
        ? outcome.result
        : { kind: 'not-recognised', reading: { kind: 'unreadable', problems: [this.#problem(outcome)] } },
    )
  }

  /**
   * Adds levers to configs that do not fit: the gravest few of a change, or all. Adds none if a limit is passed or if
   * the figures were measured, because levers are estimated.
   */
  async withLevers(
    report: Report,
    files: readonly SourceFile[],
    {
      sources,
      ofAll = false,
      base: _,
      signal,
      totalMillis: __,
      ...options
    }: IsolatedOptions & { readonly ofAll?: boolean },
  ): Promise<Report> {
    const asked = askedForLevers(report, files, ofAll)
    const { fileMillis } = this.#limits
    // Half of the time is for each lever alone; more than that, combinations do not take.
    const task = {
      kind: 'advise',
      options,
      combinations: ofAll ? undefined : FEW_COMBINATIONS,
      millis: fileMillis,
    } as const
    const outcomes = await Array.fromAsync(
      eachFile<'advise'>(
        task,
        asked.map(({ file }) => file),
        { ...this.#options({ sources, signal }), limits: { ...this.#limits, fileMillis: 2 * fileMillis } },
      ),
    )
    const found = new Map<ConfigResult, readonly AdvisedLever[]>()
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind === 'result') found.set(asked[index]!.config, outcome.result)
    }
    return withFoundLevers(report, found, options.settings?.playground)
  }

  /** Proposes nothing if a limit is passed. */
  async proposeChange(
    file: SourceFile,
    config: AnalysedConfig,
    { settings, sources }: ProposalOptions = {},
  ): Promise<Proposal> {
    const outcome = await this.#one<'propose'>({ kind: 'propose', config, settings }, file, { sources })
    return outcome.kind === 'result' ? outcome.result : { kind: 'nothing-to-change' }
  }

  /** The files that each config asks for and that are unread. Their contents may lead to further files. */
  async namedFiles(
    files: readonly SourceFile[],
    settings: RepositorySettings,
    { text, listFolder, isUnread }: ReadSoFar,
  ): Promise<readonly string[]> {
    const named = new Set<string>()
    const readFile = async (path: string) => {
      if (await isUnread(path)) named.add(path)
      return text(path)
    }
    await Array.fromAsync(
      eachFile<'read'>({ kind: 'read', settings }, files, this.#options({ sources: { readFile, listFolder } })),
    )
    return [...named]
  }

  async readSettings(file: SourceFile | undefined): Promise<SettingsReading> {
    if (file === undefined) return { kind: 'none' }
    const outcome = await this.#one<'read-settings'>({ kind: 'read-settings' }, file, {})
    return outcome.kind === 'result' ? outcome.result : { kind: 'unreadable', problems: [this.#problem(outcome)] }
  }

  /**
   * Those of the paths that the globs of the settings count. All of them where that takes longer than the limit, which
   * is theirs: each glob is held against each path.
   */
  async countPaths(paths: readonly string[], { paths: wanted, ignore }: Globs): Promise<Counted> {
    if (paths.length === 0 || (wanted === undefined && ignore.length === 0)) return { paths, isWithinLimits: true }
    const task = { kind: 'count-paths', paths, settings: { paths: wanted, ignore } } as const
    const limits = { ...this.#limits, fileMillis: Math.min(GLOBS_MILLIS, this.#limits.fileMillis) }
    const settings = { path: SETTINGS_PATH, text: '' }
    const [outcome] = await Array.fromAsync(eachFile<'count-paths'>(task, [settings], { ...this.#options({}), limits }))
    return outcome?.kind === 'result'
      ? { paths: outcome.result, isWithinLimits: true }
      : { paths, isWithinLimits: false }
  }

  async readCalibration(file: SourceFile): Promise<CalibrationReading> {
    const outcome = await this.#one<'read-calibration'>({ kind: 'read-calibration' }, file, {})
    return outcome.kind === 'result' ? outcome.result : { kind: 'unreadable', problems: [this.#problem(outcome)] }
  }

  /** The text of a report that another run wrote; `excess` if reading it passes a limit. */
  async readReport(file: SourceFile): Promise<ReportReading> {
    const outcome = await this.#one<'read-report'>({ kind: 'read-report' }, file, {})
    if (outcome.kind === 'excess') return { kind: 'excess' }
    return outcome.result === undefined ? { kind: 'no-report' } : { kind: 'report', report: outcome.result }
  }

  /** Of a file on this machine. Refuses what passes a limit. @throws MemoryMarkError */
  async readSnapshot(path: string): Promise<SnapshotSummary> {
    const outcome = await this.#one<'read-snapshot'>({ kind: 'read-snapshot' }, { path, text: '' }, {})
    if (outcome.kind === 'result') return outcome.result
    const { fileMillis, heapMib } = this.#limits
    if (outcome.excess === 'memory') throw tooLarge(path, `reading it takes more than ${heapMib} MiB of memory`)
    if (outcome.excess === 'time')
      throw tooLarge(path, `reading it takes longer than ${fileMillis / 1_000} s of CPU time`)
    throw new MemoryMarkError(this.#problem(outcome))
  }

  /** What our model says of a run, uncorrected; refuses what passes a limit. @throws MemoryMarkError */
  async estimateRun(run: RunOnGpu, sources: Sources): Promise<RunFigures> {
    const named = { path: run.spec.model, text: '' }
    const outcome = await this.#one<'estimate-run'>({ kind: 'estimate-run', run }, named, { sources })
    if (outcome.kind === 'result') return outcome.result
    throw new MemoryMarkError(this.#problem(outcome))
  }

  /** Refuses what passes a limit, also while it is estimated. @throws MemoryMarkError */
  readSubject(named: Named, options: SubjectOptions, sources: Sources): Promise<Subject> {
    return this.#oneOrThrow<'read-subject'>({ kind: 'read-subject', of: named.kind, options }, named, sources)
  }

  /** Refuses what passes a limit. @throws MemoryMarkError */
  estimateSubject(named: Named, options: SubjectOptions, sources: Sources): Promise<EstimatedSubject> {
    return this.#oneOrThrow<'estimate-subject'>({ kind: 'estimate-subject', of: named.kind, options }, named, sources)
  }

  /** As `estimateMethods` of a model. Refuses what passes a limit. @throws MemoryMarkError */
  estimateMethods(
    named: Extract<Named, { kind: 'model' }>,
    options: SubjectOptions,
    sources: Sources,
  ): Promise<EstimatedMethods> {
    return this.#oneOrThrow<'estimate-methods'>({ kind: 'estimate-methods', of: named.kind, options }, named, sources)
  }

  /** Refuses what passes a limit, and trainings that cannot be planned. @throws MemoryMarkError */
  planSubject(
    named: Named,
    options: SubjectOptions,
    { plan, sources }: { readonly plan: PlanOptions; readonly sources: Sources },
  ): Promise<PlannedSubject> {
    const task = { kind: 'plan-subject', of: named.kind, options, plan } as const
    return this.#oneOrThrow<'plan-subject'>(task, named, sources)
  }

  /** Ends its processes, and with them what runs there. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  async #one<Kind extends Task['kind']>(
    task: Extract<Task, { kind: Kind }>,
    file: SourceFile,
    options: Asking,
  ): Promise<FileOutcome<Results[Kind]>> {
    const [outcome] = await Array.fromAsync(eachFile<Kind>(task, [file], this.#options(options)))
    if (outcome === undefined) throw new Error(`a task came to nothing: ${task.kind}`)
    return outcome
  }

  async #oneOrThrow<Kind extends 'read-subject' | 'estimate-subject' | 'estimate-methods' | 'plan-subject'>(
    task: Extract<Task, { kind: Kind }>,
    named: Named,
    sources: Sources,
  ): Promise<Results[Kind]> {
    const file = named.kind === 'model' ? { path: named.name, text: '' } : named.file
    const outcome = await this.#one<Kind>(task, file, { sources })
    if (outcome.kind === 'result') return outcome.result
    throw new MemoryMarkError(this.#problem(outcome))
  }

  async #areTrue<Kind extends 'is-named-by-configs' | 'opens-one-of'>(
    task: Extract<Task, { kind: Kind }>,
    files: readonly SourceFile[],
    asking: Asking = {},
  ): Promise<readonly boolean[]> {
    const outcomes = await Array.fromAsync(eachFile<Kind>(task, files, this.#options(asking)))
    return outcomes.map(outcome => outcome.kind === 'result' && outcome.result)
  }

  #options(asking: Asking): EachFileOptions {
    return { pool: this.#pool, limits: this.#limits, log: this.#log, ...asking }
  }

  #problem({ excess, file }: Exceeded): Problem {
    return excessProblem(excess, file.path, this.#limits)
  }
}

type Asking = Pick<EachFileOptions, 'sources' | 'base' | 'signal'>
type Exceeded = Extract<FileOutcome<never>, { kind: 'excess' }>

function unjudged({ file: { path }, excess }: Exceeded, limits: AnalysisLimits): ConfigResult {
  return { status: 'not-analysed', path, problems: [excessProblem(excess, path, limits)] }
}

function scriptBesideUs(): string {
  const places = ['./analysis.js', './serve.ts'].map(path => fileURLToPath(new URL(path, import.meta.url)))
  const found = places.find(place => existsSync(place))
  if (found === undefined)
    throw new Error(`the analysis process is missing from the installation: ${places.join(', ')}`)
  return found
}
