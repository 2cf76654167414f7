/**
 * Layers that repeat. Of many turns that are alike, such as a decoder's equal layers, a tape records some: the first, which follows
 * something else, two that only have their like beside them, and the last. The one after the first stands for all those that are left
 * out. That the next one does the same is seen to before it is counted on (sections.ts).
 */

/** Turns of the same layers, recorded or not. */
export interface Repetition {
  /** Which of those recorded stands for those left out, from 0: the turns before it are not like it. */
  readonly standIn: number
  /** How many turns it stands for beside itself. */
  readonly leftOut: number
  /** How many are recorded behind it. */
  readonly behind: number
}

/** One that is recorded. */
export interface Turn {
  readonly repetition: Repetition
  /** Among those that are recorded, from 0. */
  readonly at: number
  /** Storages made in it so far, so that each has its counterpart in every other turn. */
  storages: number
}

/** As many first turns as no model has layers. */
export const EVERY_LAYER = Number.POSITIVE_INFINITY

/** Behind the one that stands for others: one that is like it, and the last. */
export const TURNS_BEHIND = 2

export function isStandIn(turn: Turn | undefined): turn is Turn {
  return turn !== undefined && turn.at === turn.repetition.standIn
}

/** How often what happens in a turn happens in all. */
export function countOf(turn: Turn | undefined): number {
  return isStandIn(turn) ? 1 + turn.repetition.leftOut : 1
}

/** Recorded or not. */
export function turnsOf({ standIn, leftOut, behind }: Repetition): number {
  return standIn + 1 + leftOut + behind
}

interface OfTurn {
  readonly turn?: Turn | undefined
}

/** Items of turns, each turn's together, with those of the turns that are left out. */
export function withLeftOut<Item extends OfTurn>(items: readonly Item[]): readonly Item[] {
  const all: Item[] = []
  for (let from = 0; from < items.length; ) {
    const { turn } = items[from]!
    let to = from + 1
    while (to < items.length && items[to]?.turn === turn) to++
    const ofTurn = items.slice(from, to)
    for (let count = countOf(turn); count > 0; count--) all.push(...ofTurn)
    from = to
  }
  return all
}

/** Which layers are recorded, in their order. */
export interface LayerPlan {
  readonly index: number
  readonly turn?: Turn
}

/**
 * `kinds`: what each layer is. A turn is as many layers as it takes until all kinds come again in the same order. `firstTurns`: how many
 * are recorded before the one that stands for others; `turnsBehind`: and behind it.
 */
export function layerPlan(
  kinds: readonly string[],
  firstTurns: number,
  turnsBehind = TURNS_BEHIND,
): readonly LayerPlan[] {
  const recordedTurns = firstTurns + 1 + turnsBehind
  const { start, length, turns } = longestRepetition(kinds, recordedTurns)
  const leftOut = turns - recordedTurns
  if (leftOut <= 0) return kinds.map((_, index) => ({ index }))
  const repetition = { standIn: firstTurns, leftOut, behind: turnsBehind }
  const recorded = Array.from({ length: recordedTurns }, (_, at) => ({ repetition, at, storages: 0 }))
  const before = Array.from({ length: start }, (_, index) => ({ index }))
  const within = recorded.flatMap(turn => {
    const turnsBefore = turn.at <= firstTurns ? turn.at : turn.at + leftOut
    return Array.from({ length }, (_, layer) => ({ index: start + turnsBefore * length + layer, turn }))
  })
  const end = start + turns * length
  const after = Array.from({ length: kinds.length - end }, (_, index) => ({ index: end + index }))
  return [...before, ...within, ...after]
}

/** Layers of a turn; models repeat at most that many different ones. */
const MAX_TURN_LAYERS = 16

interface Repeated {
  readonly start: number
  /** Layers of a turn. */
  readonly length: number
  readonly turns: number
}

/** The one that leaves out most layers. */
function longestRepetition(kinds: readonly string[], recordedTurns: number): Repeated {
  let best: Repeated = { start: 0, length: 1, turns: 0 }
  const left = ({ length, turns }: Repeated) => length * (turns - recordedTurns)
  for (let length = 1; length <= MAX_TURN_LAYERS; length++) {
    let start = 0
    for (let end = length; end <= kinds.length; end++) {
      if (end < kinds.length && kinds[end] === kinds[end - length]) continue
      const found = { start, length, turns: Math.floor((end - start) / length) }
      if (left(found) > Math.max(0, left(best))) best = found
      start = end - length + 1
    }
  }
  return best
}
