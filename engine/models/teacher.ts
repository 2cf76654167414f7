/** The model that a distillation learns from. */
import type { TrainingSpec } from '../config/spec.ts'
import type { ModelConfig } from './architecture.ts'
import { findModel } from './catalogue.ts'

/** Undefined where nothing is distilled. Specs name teachers of the catalogue alone. */
export function teacherConfig({ method }: Pick<TrainingSpec, 'method'>): ModelConfig | undefined {
  return method?.kind === 'distillation' ? findModel(method.teacher)?.config : undefined
}
