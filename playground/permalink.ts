/** A question in the address of the page. */
import type { Problem } from '../engine/base/errors.ts'
import * as address from '../engine/base/fragment.ts'
import { type Question, questionOf } from './question.ts'

/** Characters. A config of the largest size that the form takes needs less, unless it is noise. */
export const MAX_FRAGMENT = 200_000

export type FragmentReading =
  | { readonly kind: 'question'; readonly question: Question }
  /** The address asks nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Undefined for a question that is too long for an address. */
export function fragmentOf(question: Question): Promise<string | undefined> {
  return address.fragmentOf(question, MAX_FRAGMENT)
}

/** `fragment`: as `location.hash` has it. */
export async function readFragment(fragment: string): Promise<FragmentReading> {
  const reading = await address.readFragment(fragment, MAX_FRAGMENT)
  switch (reading.kind) {
    case 'value':
      return { kind: 'question', question: questionOf(reading.value) }
    case 'nothing':
      return reading
    case 'newer-version':
      return refused('it is of a newer version of this page', 'Reload the page.')
    case 'unreadable':
      return refused(reading.why)
  }
}

function refused(why: string, fix = 'Copy the whole link again, or paste the config below.'): FragmentReading {
  return { kind: 'refused', problem: { code: 'link', message: `the link cannot be read: ${why}`, fix } }
}
