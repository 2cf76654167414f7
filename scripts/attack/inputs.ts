/** Everything that is sent: the cases that have stopped MemoryMark before, and those that are made by rule. */
import type { Tree } from '../../test/github/git.ts'
import { trainingConfig } from '../chaos/stories.ts'
import { fieldsOfConfigs } from './config-fields.ts'
import { fieldsOfModels } from './model-fields.ts'
import { namedCases } from './named-cases.ts'
import { repeatedLines } from './repeated-lines.ts'
import { fieldsOfSettings } from './settings-fields.ts'

/** By path: its text, or the link or submodule that it is. */
export type Files = Tree

export type HostileInput =
  /** A pull request's own files, all of them in the folder that they are given. */
  | {
      readonly kind: 'files'
      readonly name: string
      /** Too much to be sent with others. */
      readonly isAlone?: boolean
      readonly filesIn: (folder: string) => Files
    }
  /** What stands in .github/memorymark.yml on the default branch, where a pull request changes honest configs; one, unless told. */
  | {
      readonly kind: 'settings'
      readonly name: string
      readonly text: string
      readonly filesIn?: (folder: string) => Files
    }

export const honestConfig = trainingConfig(8)

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
