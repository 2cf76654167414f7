/** Memory by kind from a step's start to its end, in as many points as people can look at. */

import { type ByteKind, byteKinds } from '../tape/storage.ts'
import { eachEvent, momentAt } from './moments.ts'
import type { StepPhase } from './step.ts'
import type { Timeline } from './timeline.ts'

/** The highest of some moments that follow each other. */
export interface MemoryPoint {
  readonly phase: StepPhase
  /** What was running: `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
  readonly bytes: number
  /** Bytes by kind; they add up to `bytes`. */
  readonly breakdown: Readonly<Record<ByteKind, number>>
}

export interface PointsOptions {
  readonly batch: number
  /** What is allocated between steps. */
  readonly resting: MemoryPoint['breakdown']
  /** About so many, shared out by how much a phase allocates and releases; at least one for each phase that does. */
  readonly points: number
}

/** In the order of allocations and releases, which is not to scale in time. The highest point is the peak of the step. */
export function memoryOverStep(
  { step, sections }: Pick<Timeline, 'step' | 'sections'>,
  { batch, resting, points }: PointsOptions,
): readonly MemoryPoint[] {
  const sizes = step.bytesAt(batch)
  const now = { ...resting }
  let bytes = byteKinds.reduce((sum, kind) => sum + resting[kind], 0)
  const events = eachEvent(sections.all)
  const next = () => {
    const happening = events.next().value!
    const change = sections.changes[happening.event]!
    const changed = change < 0 ? -sizes[-change]! : sizes[change]!
    now[step.sizes[Math.abs(change)]!.kind] += changed
    bytes += changed
    return happening
  }
  return spansOf({ step, sections }, points).map(({ phase, events: count }): MemoryPoint => {
    let highest = { at: next(), bytes, breakdown: { ...now } }
    for (let event = 1; event < count; event++) {
      const at = next()
      if (bytes > highest.bytes) highest = { at, bytes, breakdown: { ...now } }
    }
    const { at, ...memory } = highest
    return { phase, moment: momentAt(step, at), ...memory }
  })
}

interface Span {
  readonly phase: StepPhase
  readonly events: number
}

/** How many events each point stands for. */
function spansOf({ step, sections }: Pick<Timeline, 'step' | 'sections'>, points: number): readonly Span[] {
  const { phases } = step
  const counts = phases.map(() => 0)
  let phase = 0
  let total = 0
  for (const { event } of eachEvent(sections.all)) {
    while (phases[phase + 1] !== undefined && event >= phases[phase + 1]!.from) phase++
    counts[phase]!++
    total++
  }
  return phases.flatMap(({ phase }, index) => {
    const events = counts[index]!
    if (events === 0) return []
    const own = Math.min(events, Math.max(1, Math.round((points * events) / total)))
    const upTo = (point: number) => Math.floor((point * events) / own)
    return Array.from({ length: own }, (_, point) => ({ phase, events: upTo(point + 1) - upTo(point) }))
  })
}
