/** Which parameters FSDP gathers together: those of a block, and all others with the root; all with the root if no layer is wrapped. */
import type { TrainingSpec } from '../../training/spec.ts'
import { isOneUnit } from '../library-rules.ts'
import { REFERENCE } from '../tape/autograd.ts'
import type { Turn } from '../tape/repetition.ts'
import type { Tensor } from '../tape/storage.ts'

/** `model.layers.3`, or the model whose root it is in. */
export function unitName(parameter: string, spec: TrainingSpec): string {
  const block = isOneUnit(spec) ? undefined : /^.*?\.\d+(?=\.)/.exec(parameter)?.[0]
  return block ?? (parameter.startsWith(REFERENCE) ? REFERENCE : '')
}

export function isBlock(unit: string): boolean {
  return unit !== '' && unit !== REFERENCE
}

/** Whether no block is larger than one of the turns of layers that repeat, so that a turn can stand for others. */
export function liesInTurns(parameters: ReadonlyMap<string, Tensor>, spec: TrainingSpec): boolean {
  const turns = new Map<string, Turn | undefined>()
  for (const [name, { storage }] of parameters) {
    const unit = unitName(name, spec)
    if (!turns.has(unit)) turns.set(unit, storage.turn)
    if (turns.get(unit) !== storage.turn || (!isBlock(unit) && storage.turn !== undefined)) return false
  }
  return true
}
