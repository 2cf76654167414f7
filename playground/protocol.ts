/** What the page and its worker say to each other. */
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

export interface Asked {
  /** Comes back with the answer. */
  readonly number: number
  readonly question: Question
}

export interface Answered {
  readonly number: number
  readonly answer: Answer | { readonly kind: 'broken'; readonly why: string }
}
