/** What the file of a job asks for: which card, and how many of them on a machine. */
import { findGpu, type SpeedyGpu } from '../../gpus/catalogue.ts'
import { cardsThatMayBe } from '../../gpus/doubtful-names.ts'
import { SETTINGS_PATH } from '../fields/supplied.ts'
import type { KnownWord } from '../shell/shell-text.ts'
import { plain } from '../text/quote.ts'

export type { KnownWord } from '../shell/shell-text.ts'

export interface JobRequest {
  /** Undefined where the job names none. */
  readonly card: AskedCard | undefined
  readonly gpusPerNode: AskedNumber | undefined
  /** False for several machines, and where the job leaves their number open. */
  readonly isOneMachine: boolean
  /** Variables that are set for its commands. */
  readonly variables: ReadonlyMap<string, KnownWord>
}

export interface AskedNumber {
  readonly count: number
  /** The option or key that says so, as written. */
  readonly by: string
  /** Offset in the file. */
  readonly from: number
}

export type AskedCard =
  | { readonly kind: 'card'; readonly gpu: SpeedyGpu; readonly path: string; readonly line: number }
  /** `why`: a sentence that says what stands where, and what to write instead. */
  | { readonly kind: 'unclear'; readonly asked: string; readonly why: string }

/** The card that `name` is without doubt; a bare `a100` is none. `isId`: it is the catalogue's own name of one. */
export function askedCard(
  name: string,
  place: { readonly path: string; readonly line: number },
  isId = false,
): AskedCard {
  const either = isId ? undefined : cardsThatMayBe(name)
  const gpu = either === undefined ? findGpu(name) : undefined
  if (gpu !== undefined) return { kind: 'card', gpu, ...place }
  const asked = plain(name)
  const said = `${plain(place.path)}, line ${place.line}, asks for ${asked}`
  return {
    kind: 'unclear',
    asked,
    why:
      either === undefined
        ? `${said}, which is no card of the catalogue: name or describe the GPU in ${SETTINGS_PATH}.`
        : `${said}, which is ${either}: write which in ${SETTINGS_PATH}.`,
  }
}

/** One that only people can choose from: `asked` is what stands there. */
export function severalCards(
  asked: string,
  { path, line }: { readonly path: string; readonly line: number },
): AskedCard {
  const shown = plain(asked)
  return {
    kind: 'unclear',
    asked: shown,
    why: `${plain(path)}, line ${line}, asks for ${shown}, of which any may be given: write the GPU in ${SETTINGS_PATH}.`,
  }
}

/** Requests of several jobs for the same training: the card that all name; where they differ, none. */
export function agreedCard(cards: readonly AskedCard[]): AskedCard | undefined {
  const [first] = cards
  if (first === undefined || cards.every(card => nameOf(card) === nameOf(first))) return first
  const names = [...new Map(cards.map(card => [nameOf(card), card])).values()].slice(0, MAX_SHOWN).map(said)
  const asked = names.join('; ')
  return {
    kind: 'unclear',
    asked,
    why: `The jobs that start it ask for different GPUs (${asked}): write which counts in ${SETTINGS_PATH}.`,
  }
}

/** Where the GPU is requested, or why the request is not used: sentences for a reader who has named no GPU. */
export function sentencesOn(asked: AskedCard | undefined): string[] {
  if (asked === undefined) return []
  if (asked.kind === 'unclear') return [asked.why]
  return [`The GPU is the ${asked.gpu.name}, from ${plain(asked.path)}, line ${asked.line}.`]
}

const MAX_SHOWN = 4

function nameOf(card: AskedCard): string {
  return card.kind === 'card' ? card.gpu.id : `? ${card.asked}`
}

function said(card: AskedCard): string {
  return card.kind === 'card' ? `${card.gpu.name} in ${plain(card.path)}, line ${card.line}` : card.asked
}
