/**
 * A step with the turns that its tape left out: sections of events, of which some happen several times. Each event has the place where
 * its block of memory is kept from allocation to release; a section that is repeated goes from place to place, from turn to turn.
 */

import { isStandIn, type Repetition, type Turn, turnsOf } from '../tape/repetition.ts'
import { Numbers } from './numbers.ts'
import type { Owners, Step } from './step.ts'

export interface Section {
  readonly from: number
  readonly to: number
  readonly times: number
  /** By which places move from one time to the next: backwards where the step goes through the layers from last to first. */
  readonly direction: 1 | -1
  /** Where the next turn that is recorded does the same; the section's own start where it happens once. */
  readonly like: number
}

export interface Sections {
  readonly all: readonly Section[]
  readonly changes: Int32Array
  /** By event, of a section's first time. */
  readonly places: Int32Array
  /** One where the event's place moves. */
  readonly moves: Uint8Array
  readonly placeCount: number
}

/** Events that belong to one turn, or to none. */
interface Visit {
  readonly from: number
  readonly to: number
  readonly turn: Turn | undefined
}

/**
 * `cuts`: events at which a section begins in any case. Undefined where the turn after the one that stands for others does not do
 * the same, so that nothing can be said of those left out.
 */
export function sectionsOf(step: Step, cuts: readonly number[]): Sections | undefined {
  const events = { changes: step.changes.slice(), owners: step.takeOwners() }
  const visits = visitsOf(events.owners, cuts)
  const all: Section[] = []
  for (const [index, visit] of visits.entries()) {
    const section = sectionOf(events, visit, visits[index - 1], visits[index + 1])
    if (section === undefined) return undefined
    all.push(section)
  }
  return { all, changes: events.changes, ...placesOf(events.owners, visits, all) }
}

interface Events {
  readonly changes: Int32Array
  readonly owners: Owners
}

function visitsOf(owners: Owners, cuts: readonly number[]): readonly Visit[] {
  const visits: Visit[] = []
  for (let from = 0; from < owners.length; ) {
    const turn = owners.turn(from)
    let to = from + 1
    while (to < owners.length && owners.turn(to) === turn && !cuts.includes(to)) to++
    visits.push({ from, to, turn })
    from = to
  }
  return visits
}

function sectionOf(
  events: Events,
  visit: Visit,
  before: Visit | undefined,
  after: Visit | undefined,
): Section | undefined {
  const { from, to, turn } = visit
  if (!isStandIn(turn)) return { from, to, times: 1, direction: 1, like: from }
  const times = 1 + turn.repetition.leftOut
  const repeated = (other: Visit, direction: Section['direction']) =>
    areAlike(events, visit, other) ? { from, to, times, direction, like: other.from } : undefined
  if (isNext(turn, after)) return repeated(after, 1)
  if (isNext(turn, before)) return repeated(before, -1)
  return undefined
}

function isNext(turn: Turn, visit: Visit | undefined): visit is Visit {
  return visit?.turn?.repetition === turn.repetition && visit.turn.at === turn.at + 1
}

/** Whether one visit does what the other does, to the storages of its own turn and of those beside it. */
function areAlike({ changes, owners }: Events, one: Visit, other: Visit): boolean {
  const length = one.to - one.from
  if (other.to - other.from !== length) return false
  for (let index = 0; index < length; index++) {
    const [first, second] = [one.from + index, other.from + index]
    if (changes[first] !== changes[second]) return false
    const [maker, otherMaker] = [makerOf(owners, first, one), makerOf(owners, second, other)]
    const isSame =
      maker === undefined
        ? owners.storageId(first) === owners.storageId(second)
        : otherMaker !== undefined &&
          owners.role(first) === owners.role(second) &&
          maker.at - (one.turn?.at ?? 0) === otherMaker.at - (other.turn?.at ?? 0)
    if (!isSame) return false
  }
  return true
}

/** The turn that made the event's storage, where it is among those that repeat in this visit: its place moves with the turn. */
function makerOf(owners: Owners, event: number, { turn }: Visit): Turn | undefined {
  const maker = owners.maker(event)
  return maker?.repetition === turn?.repetition ? maker : undefined
}

function placesOf(
  owners: Owners,
  visits: readonly Visit[],
  sections: readonly Section[],
): Pick<Sections, 'places' | 'moves' | 'placeCount'> {
  const given = new Places()
  const places = new Int32Array(owners.length)
  const moving = new Uint8Array(owners.length)
  for (const [index, visit] of visits.entries()) {
    const { from, to, turn } = visit
    // Turns behind those that are left out have their places behind theirs.
    const leftOut = turn?.repetition.leftOut ?? 0
    const isBehind = turn !== undefined && (turn.at > turn.repetition.standIn || sections[index]?.direction === -1)
    for (let event = from; event < to; event++) {
      const maker = owners.maker(event)
      const first = given.of(owners, event, maker)
      if (maker !== undefined && makerOf(owners, event, visit) === maker) {
        moving[event] = 1
        places[event] = first + maker.at + (isBehind ? leftOut : 0)
      } else places[event] = first + (maker === undefined ? 0 : turnsBefore(maker))
    }
  }
  return { places, moves: moving, placeCount: given.count }
}

function turnsBefore({ at, repetition }: Turn): number {
  return at > repetition.standIn ? at + repetition.leftOut : at
}

/** One place for a storage, or as many as there are turns for one that each turn has. */
class Places {
  count = 0
  readonly #ofStorage = new Numbers()
  readonly #ofRole = new Map<Repetition, Numbers>()

  /** The first of them. `maker`: the turn that made the event's storage. */
  of(owners: Owners, event: number, maker: Turn | undefined): number {
    if (maker === undefined) return this.#known(this.#ofStorage, owners.storageId(event), 1)
    const { repetition } = maker
    const roles = this.#ofRole.get(repetition) ?? new Numbers()
    this.#ofRole.set(repetition, roles)
    return this.#known(roles, owners.role(event), turnsOf(repetition))
  }

  #known(places: Numbers, index: number, size: number): number {
    const known = places.at(index)
    if (known > 0) return known - 1
    const first = this.count
    this.count += size
    places.set(index, first + 1)
    return first
  }
}
