/** The teacher model of a distillation. */
import type { TrainingSpec } from '../training/spec.ts'
import type { ModelConfig } from './architecture.ts'
import { findModel } from './catalogue.ts'

/** Undefined without distillation. A spec's teacher is always in the catalogue. */
export function teacherConfig({ method }: Pick<TrainingSpec, 'method'>): ModelConfig | undefined {
  return method?.kind === 'distillation' ? findModel(method.teacher)?.config : undefined
}
