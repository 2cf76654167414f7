/**
 * The recommendation as a change to the file: the numbers are replaced in its text, the result is read again, and the
 * change is offered only if it reads exactly as recommended.
 */
import type { Position } from './base/position.ts'
import { isSameData } from './base/same-data.ts'
import { readConfigAsync } from './config/read.ts'
import type { FileReading, SourceFile } from './config/reading.ts'
import type { Sources } from './config/sources.ts'
import { rewriteNumbers } from './config/text/rewrite.ts'
import type { TrainingPlace } from './config/training-place.ts'
import { batchChange, smallerEvaluation } from './report/batch-change.ts'
import type { AnalysedConfig } from './report/schema.ts'
import { noSettings, type RepositorySettings, settingsFor } from './settings/settings.ts'

export type Proposal =
  /** Lines are replaced one for one, so line numbers stay. */
  | { readonly kind: 'change'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'nothing-to-change' }
  | { readonly kind: 'by-hand'; readonly why: ByHand }

/** Why only a person can make the change. */
export type ByHand =
  | { readonly kind: 'not-in-file'; readonly setting: 'micro-batch' | 'gradient accumulation' }
  | { readonly kind: 'not-plain'; readonly at: Position }
  /** With the numbers replaced, the file could not be read or would not say what is recommended. */
  | { readonly kind: 'tied-to-other-settings' }

export interface ProposalOptions {
  readonly settings?: RepositorySettings
  readonly sources?: Sources
}

/** `file`: the text that `config` was read from. */
export async function proposeChange(
  file: SourceFile,
  config: AnalysedConfig,
  { settings = noSettings, sources = {} }: ProposalOptions = {},
): Promise<Proposal> {
  const change = batchChange(config)
  switch (change.kind) {
    case 'nothing-to-change':
      return change
    case 'not-in-file':
      return { kind: 'by-hand', why: change }
    case 'change': {
      const rewrite = rewriteNumbers(file.text, change.numbers)
      if (rewrite.kind === 'not-plain') return { kind: 'by-hand', why: rewrite }
      const { supplied } = settingsFor(file.path, settings)
      const changed = { path: file.path, text: rewrite.text }
      const reader: Reader = each => readConfigAsync(each, sources, supplied)
      const again = await reader(withTraining(changed, config.training))
      const saysJustThat = again.kind === 'training-config' && isSameData(withoutAbsent(again.spec), wanted(config))
      return saysJustThat && (await leavesOthers(file, changed, config, reader))
        ? { kind: 'change', path: file.path, before: file.text, after: rewrite.text }
        : { kind: 'by-hand', why: { kind: 'tied-to-other-settings' } }
    }
  }
}

type Reader = (file: SourceFile) => Promise<FileReading>

/** Whether the file's other trainings stay as they are: several may share a constant. */
async function leavesOthers(
  before: SourceFile,
  after: SourceFile,
  { training }: AnalysedConfig,
  read: Reader,
): Promise<boolean> {
  if (training === undefined) return true
  const reading = await read(after)
  if (reading.kind !== 'several-trainings') return false
  for (const other of reading.trainings.filter(({ name }) => name !== training.name)) {
    const [was, is] = [await read(withTraining(before, other)), await read(withTraining(after, other))]
    const specs = [was, is].map(each => (each.kind === 'training-config' ? withoutAbsent(each.spec) : {}))
    if (!isSameData(specs[0], specs[1])) return false
  }
  return true
}

function withTraining({ path, text }: SourceFile, training: TrainingPlace | undefined): SourceFile {
  return { path, text, ...(training && { training: { name: training.name } }) }
}

function wanted(config: AnalysedConfig): object {
  const { spec, recommended = spec } = config
  const { microBatch, gradientAccumulation } = recommended
  const smaller = smallerEvaluation(config)
  const evaluation = smaller && { evaluation: { ...spec.evaluation, microBatch: smaller.to } }
  return withoutAbsent({ ...spec, microBatch, gradientAccumulation, ...evaluation })
}

/** Without keys that are undefined, which JSON drops. */
function withoutAbsent(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
}
