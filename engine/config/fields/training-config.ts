/** What every dialect produces: a spec, with the positions of its numbers and the assumptions, or the problems. */
import type { Position } from '../../base/position.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { Task } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Reading } from '../reading.ts'
import type { Field } from '../text/section.ts'
import { replacedOptimizer } from '../trainer/deepspeed-settings.ts'
import { withStoredTypes } from '../trainer/unquantized.ts'
import type { FieldReader } from './fields.ts'
import { leavesGpusOpen } from './gpus.ts'
import { unreadSettings } from './memory-settings.ts'

export interface ReadConfig {
  readonly dialect: string
  /** Undefined, like everything below, if `reader` has recorded why. */
  readonly model: CatalogueModel | undefined
  readonly spec: Omit<TrainingSpec, 'model' | 'task' | 'microBatch'> & {
    readonly task: Task | undefined
    readonly microBatch: number | undefined
  }
  /** Absent where the config leaves them to its tool's default. */
  readonly batchSize: Field | undefined
  readonly accumulation: Field | undefined
  /** Whether teams give the batch size names of their own. */
  readonly namesBatch?: true
}

/** What nearly every tool runs. */
export const stepInPytorch = { framework: 'pytorch', step: 'training' } as const

export function trainingConfig(reader: FieldReader, config: ReadConfig): Reading {
  const { dialect, model, batchSize, accumulation } = config
  const { task, microBatch, unquantized: _, ...others } = config.spec
  if (model === undefined || task === undefined || microBatch === undefined || reader.problems.length > 0) {
    return { kind: 'unreadable', problems: reader.problems }
  }
  const replaced = reader.deepSpeed && replacedOptimizer(reader.deepSpeed, others)
  const uncounted = unreadSettings([...reader.uncounted, ...(replaced ? [replaced] : [])])
  const unquantized = withStoredTypes(reader, model, config.spec)
  return {
    kind: 'training-config',
    dialect,
    model,
    spec: { model: model.id, task, microBatch, ...others, ...(unquantized && { unquantized }) },
    ...(batchSize && isInFile(batchSize) && { batchSizeAt: batchSize.at }),
    ...(config.namesBatch && batchSize && { batchSizeName: batchSize.name }),
    ...(accumulation && isInFile(accumulation) && { gradientAccumulationAt: accumulation.at }),
    ...evaluationPlace(reader),
    assumptions: reader.assumptions,
    ...((reader.leavesDivisionOpen || reader.leavesColumnsOpen) && { assumesCode: true }),
    ...(leavesGpusOpen(reader) && { assumesGpus: true }),
    ...(reader.leavesLengthOpen && { assumesLength: true }),
    ...(uncounted.length > 0 && { unreadSettings: uncounted }),
    ...(reader.countsTooMuch && { countsTooMuch: true }),
  }
}

/** Of the batch size, not of what asks for evaluations, on which its default stands. */
function evaluationPlace({ decisions }: FieldReader): { readonly evaluationBatchSizeAt?: Position } {
  const from = decisions.find(({ setting }) => setting === 'evaluation')?.from
  const isWritten = from?.kind === 'field' && /eval_batch_size$/.test(from.field.name) && isInFile(from.field)
  return isWritten ? { evaluationBatchSizeAt: from.field.at } : {}
}

/** A script's constants may stand in another file than the one being read. */
function isInFile({ file }: Pick<Field, 'file'>): boolean {
  return file === undefined
}
