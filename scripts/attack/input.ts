/** What an attack sends. */

import { trainingConfig } from '../../test/bot/configs.ts'
import type { Tree } from '../../test/github/git.ts'

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
