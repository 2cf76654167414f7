/** Everything that is sent: the cases that have stopped MemoryMark before, and those that are made by rule. */
import { fieldsOfConfigs } from './config-fields.ts'
import type { HostileInput } from './input.ts'
import { fieldsOfModels } from './model-fields.ts'
import { namedCases } from './named-cases.ts'
import { repeatedLines } from './repeated-lines.ts'
import { fieldsOfSettings } from './settings-fields.ts'

/** Of many inputs, for one of `count` that share them: each named case for all, of those by rule each for one, and not all. */
export function shareOf(inputs: readonly HostileInput[], index: number, count: number): readonly HostileInput[] {
  return inputs.filter(
    (input, at) => namedCases.includes(input) || at % (count * SHARED_STRIDE) === index * SHARED_STRIDE,
  )
}

/** Has no factor in common with the kinds of values, so that each comes up. */
const SHARED_STRIDE = 9

/** Of the cases by rule every `stride`-th is taken, of the named ones each. */
export function hostileInputs(stride: number): readonly HostileInput[] {
  const byRule = [...fieldsOfConfigs(), ...fieldsOfModels(), ...fieldsOfSettings(), ...repeatedLines()]
  return [...namedCases, ...byRule.filter((_, index) => index % stride === 0)]
}
