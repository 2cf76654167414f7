/** The engine's front door: what the Action, the bot and the command line build on. */
export { withLines } from './advice/replaced-lines.ts'
export { type AnalyzeOptions, analyze } from './analyze.ts'
export { closest, didYouMean } from './base/did-you-mean.ts'
export { MemoryMarkError, type Problem } from './base/errors.ts'
export { sayPosition } from './base/position.ts'
export { MIB } from './base/units.ts'
export type { CalibrationReading } from './calibration/file.ts'
export { type AffectedConfigs, MAX_VERSION_FILES } from './change/affected-configs.ts'
export { isCandidatePath } from './config/candidate-path.ts'
export { SETTINGS_PATH } from './config/fields/supplied.ts'
export { isVersionFile } from './config/pinned/version-files.ts'
export { isPythonPath } from './config/python/quick-look.ts'
export type { SourceFile } from './config/reading.ts'
export { isLauncherPath } from './config/shell/quick-look.ts'
export type { Sources } from './config/sources.ts'
export { configKey, configName, namedLine } from './config/training-place.ts'
export { findGpu, findGpuAmong, type Gpu, gpus } from './gpus/catalogue.ts'
export { IsolatedEngine, type IsolatedOptions, processesFor } from './isolated/engine.ts'
export { ProcessNotStarted } from './isolation/child.ts'
export { idlePercent } from './metrics/memory.ts'
export { createHub, hubSettings } from './models/hub.ts'
export type { ByHand, Proposal } from './propose.ts'
export { type Annotation, type RenderedCheck, renderCheck } from './render/check.ts'
export { type CommentOptions, commentMarker, renderComment } from './render/comment.ts'
export { type ExplainedConfig, renderExplanations } from './render/explanation.ts'
export { numberedLever } from './render/lever-sections.ts'
export { namesOf } from './render/lever-words.ts'
export { escapeText, inlineCode, inlinePath } from './render/markdown.ts'
export { materialOf } from './render/material.ts'
export {
  renderRepositoryReport,
  repositoryReportMarker,
  repositoryReportTitle,
} from './render/repository-report.ts'
export {
  type ChangedText,
  type LineRange,
  renderChangedLines,
  renderSuggestion,
  suggestionMarkerIn,
} from './render/suggestion.ts'
export { renderProblem } from './render/unanalysed-section.ts'
export { headline, nothingToMeasure, type VerdictState, verdictState } from './render/verdict.ts'
export { type AcceptedConfig, acceptability, acceptedConfig, covers, isOutOfMemory } from './report/acceptance.ts'
export { batchChange } from './report/batch-change.ts'
export { type LedgerEntry, ledgerEntry, ledgerEntryOf, totalsOf } from './report/ledger.ts'
export { restingOn, restOnSameFiles } from './report/other-files.ts'
export { isPlaygroundAddress } from './report/playground-address.ts'
export { ratioRange, savingsRangeOf } from './report/ranges.ts'
export {
  type AnalysedConfig,
  type ConfigResult,
  REPORT_SCHEMA,
  type Report,
  report,
} from './report/schema.ts'
export { analysedIn, judgedAlone, possibleSavingsUsd } from './report/standing.ts'
export { compileGlob } from './settings/glob.ts'
export { readSettings } from './settings/read.ts'
export { DEFAULT_SCHEDULE } from './settings/schedule.ts'
export { type Globs, globsLeftOut, isCounted, noSettings, type RepositorySettings } from './settings/settings.ts'
export { letPass } from './verdict/let-pass.ts'
export {
  type Condition,
  defaultPolicy,
  type Policy,
  parseConditions,
  policy,
} from './verdict/policy.ts'
