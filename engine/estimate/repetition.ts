/**
 * Layers that repeat. Of many turns that are alike, such as a decoder's equal layers, a tape records four: the first, which follows
 * something else, two that only have their like beside them, and the last. The second stands for all those that are left out. That the
 * third does the same as the second is checked wherever it is counted on (`Step`).
 */

/** Turns of the same layers, recorded or not. */
export interface Repetition {
  /** How many turns the second one stands for beside itself. */
  readonly leftOut: number
}

/** One that is recorded. */
export interface Turn {
  readonly repetition: Repetition
  /** Among those that are recorded, from 0. */
  readonly at: number
  /** Storages made in it so far, so that each has its counterpart in every other turn. */
  storages: number
}

export const RECORDED_TURNS = 4
/** Of those recorded, the one that stands for those left out. */
export const STAND_IN = 1

/** How often what happens in a turn happens in all. */
export function countOf(turn: Turn | undefined): number {
  return turn?.at === STAND_IN ? 1 + turn.repetition.leftOut : 1
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

/** `kinds`: what each layer is. A turn is as many layers as it takes until all kinds come again in the same order. */
export function layerPlan(kinds: readonly string[]): readonly LayerPlan[] {
  const { start, length, turns } = longestRepetition(kinds)
  const leftOut = turns - RECORDED_TURNS
  if (leftOut <= 0) return kinds.map((_, index) => ({ index }))
  const repetition = { leftOut }
  const recorded = Array.from({ length: RECORDED_TURNS }, (_, at) => ({ repetition, at, storages: 0 }))
  const before = Array.from({ length: start }, (_, index) => ({ index }))
  const within = recorded.flatMap(turn => {
    const turnsBefore = turn.at <= STAND_IN ? turn.at : turn.at + leftOut
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
function longestRepetition(kinds: readonly string[]): Repeated {
  let best: Repeated = { start: 0, length: 1, turns: 0 }
  const left = ({ length, turns }: Repeated) => length * (turns - RECORDED_TURNS)
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
