/** The tasks for the limited process, and the questions that it asks its host. All plain data. */
import type { AnalyzeOptions, Judged } from '../analyze.ts'
import type { CalibrationReading, RunFigures } from '../calibration/file.ts'
import type { Statement } from '../config/pinned/version-files.ts'
import type { Explanation } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import type { HubAnswer } from '../models/hub.ts'
import type { PlanOptions } from '../plan/plan.ts'
import type { Proposal } from '../propose.ts'
import type { AdvisedLever } from '../report/advised-levers.ts'
import type { AnalysedConfig, Report } from '../report/schema.ts'
import type { SettingsReading } from '../settings/read.ts'
import type { Globs, RepositorySettings } from '../settings/settings.ts'
import type { SnapshotSummary } from '../snapshot/summary.ts'
import type { EstimatedSubject, Named, PlannedSubject, RunOnGpu, Subject, SubjectOptions } from '../subject.ts'
import type { EstimatedMethods } from '../training-methods.ts'

/** The options that can be sent to another process. */
export type PlainOptions = Omit<AnalyzeOptions, 'sources' | 'base' | 'assessor'>

export type Task =
  | { readonly kind: 'judge'; readonly options: PlainOptions }
  | { readonly kind: 'explain'; readonly settings: RepositorySettings | undefined }
  | {
      readonly kind: 'advise'
      readonly options: PlainOptions
      readonly combinations: number | undefined
      /** CPU time of a file after which no further combination is estimated. */
      readonly millis: number
    }
  | { readonly kind: 'propose'; readonly config: AnalysedConfig; readonly settings: RepositorySettings | undefined }
  | { readonly kind: 'read-settings' }
  /** Which of the paths the globs of the settings count; the file stands for the settings. */
  | { readonly kind: 'count-paths'; readonly paths: readonly string[]; readonly settings: Globs }
  | { readonly kind: 'read-calibration' }
  /** The text of a report that another run wrote. */
  | { readonly kind: 'read-report' }
  /** The file's text stays unread: a snapshot is bytes, and the process reads them from its path. */
  | { readonly kind: 'read-snapshot' }
  /** The file stands for the model's name. */
  | { readonly kind: 'estimate-run'; readonly run: RunOnGpu }
  /** For a model, the file's path is its name and its text is empty. */
  | { readonly kind: 'read-subject'; readonly of: Named['kind']; readonly options: SubjectOptions }
  /** Without a GPU among the options, on that of the settings or of the jobs that start the config. */
  | { readonly kind: 'estimate-subject'; readonly of: Named['kind']; readonly options: SubjectOptions }
  | { readonly kind: 'estimate-methods'; readonly of: 'model'; readonly options: SubjectOptions }
  | {
      readonly kind: 'plan-subject'
      readonly of: Named['kind']
      readonly options: SubjectOptions
      readonly plan: PlanOptions
    }
  /** Reads the file only to learn which sources it asks for. */
  | { readonly kind: 'read'; readonly settings: RepositorySettings }
  | { readonly kind: 'is-named-by-configs' }
  | { readonly kind: 'state-versions' }
  | { readonly kind: 'starts' }
  | { readonly kind: 'opens-one-of'; readonly named: ReadonlySet<string>; readonly settings: RepositorySettings }

/** What a task comes to for one file. */
export interface Results {
  readonly judge: Judged
  readonly explain: Explanation
  readonly advise: readonly AdvisedLever[]
  readonly propose: Proposal
  readonly 'read-settings': SettingsReading
  readonly 'count-paths': readonly string[]
  readonly 'read-calibration': CalibrationReading
  /** Undefined where it does not follow the schema. */
  readonly 'read-report': Report | undefined
  readonly 'read-snapshot': SnapshotSummary
  readonly 'estimate-run': RunFigures
  readonly 'read-subject': Subject
  readonly 'estimate-subject': EstimatedSubject
  readonly 'estimate-methods': EstimatedMethods
  readonly 'plan-subject': PlannedSubject
  readonly read: undefined
  readonly 'is-named-by-configs': boolean
  readonly 'state-versions': readonly Statement[]
  readonly starts: readonly string[]
  readonly 'opens-one-of': boolean
}

/** One step for each file, which tells its result. */
export interface TaskOrder {
  readonly kind: 'task'
  readonly task: Task
  readonly files: readonly SourceFile[]
  /** The questions that the host can answer; the process asks no others. */
  readonly asks: { readonly [Kind in Question['kind']]: boolean }
}

/** Questions about repositories and the Hub go to the host, which has the tokens. */
export type Question =
  | { readonly kind: 'file'; readonly path: string }
  /** Names of the files in a folder that pin versions or start trainings. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A file before the change under review. */
  | { readonly kind: 'base'; readonly path: string }
  | { readonly kind: 'hub'; readonly id: string }

export interface Answers {
  readonly file: string | undefined
  readonly folder: readonly string[]
  readonly base: string | undefined
  readonly hub: HubAnswer | undefined
}
