/** The modes of the Action. */
import { unknownValue } from './refused-input.ts'

export const modes = ['check', 'sweep', 'plan', 'report'] as const
export type Mode = (typeof modes)[number]

/** @throws MemoryMarkError for an unknown mode. */
export function readMode(value: string): Mode {
  const mode = modes.find(known => known === value)
  if (mode === undefined) throw unknownValue('mode', value, modes)
  return mode
}
