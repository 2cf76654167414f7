/**
 * Performs a task on files in batches, as many at once as there are processes; a file that passes a limit ends its process, and the
 * rest of its batch goes on in a new one.
 */
import { posix } from 'node:path'
import { MemoryMarkError } from '../base/errors.ts'
import { oncePerList } from '../config/folder-list.ts'
import { soundsLikeJob } from '../config/job/quick-look.ts'
import { soundsLikeStage } from '../config/other-files/stage-name.ts'
import { isVersionFile } from '../config/pinned/version-files.ts'
import { isPythonPath } from '../config/python/quick-look.ts'
import type { SourceFile } from '../config/reading.ts'
import { isLauncherPath } from '../config/shell/quick-look.ts'
import { askingOnce, type Sources } from '../config/sources.ts'
import type { Outcome } from '../isolation/limited-process.ts'
import type { AnalysisLimits, Excess } from './limits.ts'
import type { ProcessPool } from './pool.ts'
import type { Answers, Question, Results, Task, TaskOrder } from './tasks.ts'

export type FileOutcome<Result> =
  | { readonly kind: 'result'; readonly file: SourceFile; readonly result: Result }
  | { readonly kind: 'excess'; readonly file: SourceFile; readonly excess: Excess }

export type Files = Iterable<SourceFile> | AsyncIterable<SourceFile>

export interface EachFileOptions {
  readonly pool: ProcessPool
  readonly limits: AnalysisLimits
  readonly sources?: Sources | undefined
  readonly base?: ((path: string) => Promise<string | undefined>) | undefined
  readonly signal?: AbortSignal | undefined
  /** Receives a description of each process that ended unexpectedly. */
  readonly log: (text: string) => void
}

/** Small enough that other work waiting for the process gets its turn soon. */
const MAX_BATCH_FILES = 16
const MAX_BATCH_CHARACTERS = 262_144

/** In the order of `files`, which are read a batch ahead of those that are worked on. */
export async function* eachFile<Kind extends Task['kind']>(
  task: Extract<Task, { kind: Kind }>,
  files: Files,
  options: EachFileOptions,
): AsyncGenerator<FileOutcome<Results[Kind]>> {
  const run = new Run<Kind>(task, { ...options, ...rememberingAnswers(options) })
  const batches = batchesOf(files)
  const started: Started<Results[Kind]>[] = []
  const running = () => started.filter(({ isRunning }) => isRunning).map(({ outcomes }) => outcomes)
  let upcoming = ahead(batches.next())
  for (let next = await upcoming; !next.done; next = await upcoming) {
    upcoming = ahead(batches.next())
    started.push(new Started(run.perform(next.value)))
    while (running().length >= options.pool.size) await Promise.race(running())
    while (started[0]?.isRunning === false) yield* await started.shift()!.outcomes
  }
  for (const { outcomes } of started) yield* await outcomes
}

/** A batch that is worked on, or was. */
class Started<Result> {
  readonly outcomes: Promise<readonly FileOutcome<Result>[]>
  isRunning = true

  constructor(outcomes: Promise<readonly FileOutcome<Result>[]>) {
    this.outcomes = outcomes
    const end = () => {
      this.isRunning = false
    }
    outcomes.then(end, end)
  }
}

/** The process forgets from one batch to the next. */
function rememberingAnswers({ sources, base }: EachFileOptions): Pick<EachFileOptions, 'sources' | 'base'> {
  return {
    sources: sources && askingOnce(namingUsefulFiles(sources)),
    base: base && askingOnce({ readFile: base }).readFile,
  }
}

class Run<Kind extends Task['kind']> {
  readonly #task: Task
  readonly #options: EachFileOptions
  #spentMillis = 0

  constructor(task: Task, options: EachFileOptions) {
    this.#task = task
    this.#options = options
  }

  async perform(batch: readonly SourceFile[]): Promise<readonly FileOutcome<Results[Kind]>[]> {
    const { limits } = this.#options
    const outcomes: FileOutcome<Results[Kind]>[] = []
    let rest = batch
    let isRetried = false
    for (let [first] = rest; first !== undefined; [first] = rest) {
      if (this.#spentMillis >= limits.totalMillis) {
        for (const file of rest) outcomes.push({ kind: 'excess', file, excess: 'total' })
        break
      }
      const { results, excess, isFresh } = await this.#order(isRetried ? [first] : rest, isRetried)
      for (const [index, result] of results.entries()) outcomes.push({ kind: 'result', file: rest[index]!, result })
      rest = rest.slice(results.length)
      isRetried = false
      const [culprit] = rest
      if (excess === undefined || culprit === undefined) continue
      // A fault may be due to what earlier files left in the process, so the file is retried in a fresh one.
      isRetried = (excess === 'memory' || excess === 'crash') && !isFresh
      if (isRetried) continue
      outcomes.push({ kind: 'excess', file: culprit, excess })
      rest = rest.slice(1)
    }
    return outcomes
  }

  async #order(files: readonly SourceFile[], inNewProcess: boolean) {
    const { pool, limits, signal, log } = this.#options
    const results: Results[Kind][] = []
    const order: TaskOrder = { kind: 'task', task: this.#task, files, asks: this.#asks }
    return pool.use(async process => {
      if (inNewProcess) await process.restart()
      const isFirst = !process.isUsed
      let lastStep = performance.now()
      const outcome = await process.run(order, {
        limit: { kind: 'compute', millis: limits.fileMillis },
        signal,
        answer: question => this.#answer(question as Question),
        onStep: (step, cpuMillis) => {
          this.#spentMillis += cpuMillis
          lastStep = performance.now()
          results.push(step as Results[Kind])
        },
      })
      if (outcome.kind !== 'done') this.#spentMillis += Math.min(performance.now() - lastStep, limits.fileMillis)
      if (outcome.kind === 'died') log(`An analysis process ended: ${outcome.how}`)
      return { results, excess: excessOf(outcome, signal), isFresh: isFirst && results.length === 0 }
    })
  }

  get #asks(): TaskOrder['asks'] {
    const { sources, base } = this.#options
    const [file, folder] = [sources?.readFile !== undefined, sources?.listFolder !== undefined]
    return { file, folder, hub: sources?.hub !== undefined, base: base !== undefined }
  }

  async #answer(question: Question): Promise<Answers[Question['kind']]> {
    const { sources = {}, base } = this.#options
    switch (question.kind) {
      case 'file':
        return sources.readFile?.(question.path)
      case 'folder':
        return (await sources.listFolder?.(question.path)) ?? []
      case 'base':
        return base?.(question.path)
      case 'hub':
        return sources.hub?.configJson(question.id)
    }
  }
}

/** Undefined where the order came to its end. @throws what ends the whole analysis. */
function excessOf(outcome: Outcome, signal: AbortSignal | undefined): Excess | undefined {
  switch (outcome.kind) {
    case 'done':
      return undefined
    case 'time-limit':
      return 'time'
    case 'stalled':
      return 'stall'
    case 'memory-limit':
      return 'memory'
    case 'died':
      return 'crash'
    case 'refused':
      throw new MemoryMarkError(outcome.problem)
    case 'cancelled':
      throw signal?.reason ?? new DOMException('The analysis is cancelled', 'AbortError')
    case 'threw':
      throw new Error(`The analysis failed by a bug: ${outcome.stack}`)
  }
}

async function* batchesOf(files: Files): AsyncGenerator<readonly SourceFile[], undefined> {
  let batch: SourceFile[] = []
  let characters = 0
  for await (const file of files) {
    batch.push(file)
    characters += file.text.length
    if (batch.length < MAX_BATCH_FILES && characters < MAX_BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Marks the promise as handled: a caller that stops at an error does not await the batches read ahead. */
function ahead<T>(result: Promise<T>): Promise<T> {
  result.catch(() => {})
  return result
}

/** Files that pin versions, start trainings, are scripts or sound like a stage before: a folder may have thousands of others. */
const usefulIn = oncePerList(paths =>
  paths
    .filter(path => {
      const isCode = isLauncherPath(path) || isPythonPath(path)
      return isCode || soundsLikeStage(posix.basename(path)) || soundsLikeJob(path) || isVersionFile(path)
    })
    .map(path => posix.basename(path)),
)

function namingUsefulFiles(sources: Sources): Sources {
  const { listFolder } = sources
  if (listFolder === undefined) return sources
  return { ...sources, listFolder: async folder => usefulIn(await listFolder(folder), folder) }
}
