/** Errors for invalid inputs: which input, what is wrong, and what is allowed. */
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'

export function refusedInput(name: string, message: string, fix: string, cause?: unknown): MemoryMarkError {
  return new MemoryMarkError({ code: 'input-refused', field: `input ${name}`, message, fix: `${fix}.` }, { cause })
}

/** The error for a word that the input does not know. */
export function unknownValue(name: string, value: string, known: readonly string[]): MemoryMarkError {
  const message = `"${shown(value)}" is not one of its values`
  return refusedInput(name, message, didYouMean(value, known, `Use ${known.join(', ')}`))
}

/** A value shortened for a message. */
export function shown(value: string): string {
  return value.slice(0, 100)
}
