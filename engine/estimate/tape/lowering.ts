/** From a model to what its forward pass leaves on a tape. */
import type { ModelConfig } from '../../models/architecture.ts'
import { programOf } from '../../models/forward-program.ts'
import { interpret } from '../../program/interpreter.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { rows } from './registry.ts'
import type { Tensor } from './storage.ts'
import type { Tape } from './tape.ts'

/** Runs the model with the head of the spec's task; returns its logits. */
export function forward(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  const program = programOf(config, spec)
  return interpret(program, rows, tape)(program.result)
}
