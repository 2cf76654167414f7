/** Which parameters FSDP gathers together: those of a block, and all others with the root. */
import { REFERENCE } from '../tape/autograd.ts'
import type { Turn } from '../tape/repetition.ts'
import type { Tensor } from '../tape/storage.ts'

/** `model.layers.3`, or the model whose root it is in. */
export function unitName(parameter: string): string {
  return /^.*?\.\d+(?=\.)/.exec(parameter)?.[0] ?? (parameter.startsWith(REFERENCE) ? REFERENCE : '')
}

export function isBlock(unit: string): boolean {
  return unit !== '' && unit !== REFERENCE
}

/** Whether no block is larger than one of the turns of layers that repeat, so that a turn can stand for others. */
export function liesInTurns(parameters: ReadonlyMap<string, Tensor>): boolean {
  const turns = new Map<string, Turn | undefined>()
  for (const [name, { storage }] of parameters) {
    const unit = unitName(name)
    if (!turns.has(unit)) turns.set(unit, storage.turn)
    if (turns.get(unit) !== storage.turn || (!isBlock(unit) && storage.turn !== undefined)) return false
  }
  return true
}
