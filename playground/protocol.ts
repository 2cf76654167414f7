/** What the page and its worker say to each other. */
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

/** What the worker says once, after its first answer. */
export interface Offered {
  /** Ids of the models that are built in. */
  readonly models: readonly string[]
}

export interface Asked {
  /** Comes back with the answer. */
  readonly number: number
  readonly question: Question
}

interface Broken {
  readonly kind: 'broken'
  readonly why: string
}

export interface Answered {
  readonly number: number
  readonly answer: Answer | Broken
  /** Whether `FoundLevers` follow. */
  readonly looksForLevers: boolean
}

export interface FoundLevers {
  readonly number: number
  readonly levers: { readonly kind: 'found'; readonly html: string } | Broken
}
