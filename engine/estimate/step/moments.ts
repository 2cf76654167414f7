/** Every event of a step in order, those of repeated layers as often as they happen, and what was running at each. */
import type { Section } from './sections.ts'
import type { Step } from './step.ts'

/** An event of a section, the how-manieth time it happens, from 0. */
export interface Happening {
  readonly event: number
  readonly section: Section
  readonly time: number
}

export function* eachEvent(sections: readonly Section[]): Generator<Happening, undefined> {
  for (const section of sections) {
    for (let time = 0; time < section.times; time++) {
      for (let event = section.from; event < section.to; event++) yield { event, section, time }
    }
  }
}

/** `backward of encoder.layer.7.output.dense`, in the layer where it happens that time. */
export function momentAt(step: Step, { event, section, time }: Happening): string {
  const name = step.momentOf(event) ?? ''
  const { from, times, direction, like } = section
  if (times === 1) return name
  const layersOn = direction === 1 ? time : times - 1 - time
  return numbersBetween(name, step.momentOf(like + event - from) ?? '', layersOn, times)
}

/** So many of `steps` on the way from one name's numbers to another's: 2 of 6 from `layer.1.mlp` to `layer.7.mlp` is `layer.3.mlp`. */
function numbersBetween(name: string, other: string, on: number, steps: number): string {
  const others = other.split(NUMBER)
  const moved = (part: string, index: number) => {
    const from = Number(part)
    return String(from + ((Number(others[index]) - from) * on) / steps)
  }
  return name
    .split(NUMBER)
    .map((part, index) => (part === others[index] ? part : moved(part, index)))
    .join('')
}

const NUMBER = /(\d+)/
