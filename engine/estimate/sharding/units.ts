/** Which parameters FSDP gathers together: those of a block, and all others with the root. */
import { REFERENCE } from '../autograd.ts'

/** `model.layers.3`, or the model whose root it is in. */
export function unitName(parameter: string): string {
  return /^.*?\.\d+(?=\.)/.exec(parameter)?.[0] ?? (parameter.startsWith(REFERENCE) ? REFERENCE : '')
}

export function isBlock(unit: string): boolean {
  return unit !== '' && unit !== REFERENCE
}
