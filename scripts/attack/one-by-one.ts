/** Inputs that bring files of their own are sent several at once, and one by one only where that is too much together. */
import type { HostileInput } from './input.ts'
import { type Answer, type Clock, isSlow, missOf, type Surface } from './surface.ts'

const MOST_AT_ONCE = 8

/** What else runs on a machine takes from an answer's time by the clock: the fastest of so many answers is the input's own. */
const MOST_TRIES = 3

export interface Miss {
  readonly input: HostileInput
  /** Which surface, and what was wrong. */
  readonly words: string
}

export interface AttackTerms {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly atOnce?: number
}

export async function attack(
  surface: Surface,
  inputs: readonly HostileInput[],
  { signal, clock, atOnce = MOST_AT_ONCE }: AttackTerms,
): Promise<readonly Miss[]> {
  const misses: Miss[] = []
  const slowest = { name: '', millis: 0 }
  const busiest = { name: '', cpuMillis: 0 }
  const largest = { name: '', peakMib: 0 }
  for (const group of groups(inputs, atOnce)) {
    signal.throwIfAborted()
    const together = await surface.answer(group)
    const isWell = missOf(together, clock) === undefined
    const answers = isWell ? [{ name: namesOf(group), input: group[0], answer: together }] : []
    for (const input of isWell ? [] : group) {
      const first = group.length === 1 ? together : undefined
      answers.push({ name: input.name, input, answer: await fastest(surface, input, { signal, clock, first }) })
    }
    for (const { name, input, answer } of answers) {
      if (answer.millis > slowest.millis) Object.assign(slowest, { name, millis: answer.millis })
      if (answer.cpuMillis > busiest.cpuMillis) Object.assign(busiest, { name, cpuMillis: answer.cpuMillis })
      if (answer.peakMib > largest.peakMib) Object.assign(largest, { name, peakMib: answer.peakMib })
      const miss = missOf(answer, clock)
      if (miss === undefined || input === undefined) continue
      misses.push({ input, words: `${surface.name}: ${miss}` })
      process.stderr.write(`${surface.name}, ${name}: ${miss}\n`)
    }
  }
  console.log(
    `${surface.name}: ${inputs.length - misses.length} of ${inputs.length}; slowest ${seconds(slowest.millis)} (${slowest.name}); most CPU time ${seconds(busiest.cpuMillis)} (${busiest.name}); most memory ${largest.peakMib.toFixed(0)} MiB (${largest.name})`,
  )
  return misses
}

/** Of up to MOST_TRIES answers, as long as only the time is wrong. `first` has been given already. */
async function fastest(
  surface: Surface,
  input: HostileInput,
  { signal, clock, first }: { readonly signal: AbortSignal; readonly clock: Clock; readonly first: Answer | undefined },
): Promise<Answer> {
  let answer = first ?? (await surface.answer([input]))
  for (let tries = 1; tries < MOST_TRIES && isSlow(answer, clock); tries++) {
    signal.throwIfAborted()
    const again = await surface.answer([input])
    if (!isSlow(again, clock) || again.millis < answer.millis) answer = again
  }
  return answer
}

/** As many answers in each as given, so that a round does not use up what it is allowed. */
export function roundsOf(inputs: readonly HostileInput[], answers: number): readonly (readonly HostileInput[])[] {
  const all = [...groups(inputs, MOST_AT_ONCE)]
  const count = Math.ceil(all.length / answers)
  return Array.from({ length: count }, (_, index) => all.slice(index * answers, (index + 1) * answers).flat())
}

function seconds(millis: number): string {
  return `${(millis / 1_000).toFixed(1)} s`
}

function namesOf(group: readonly HostileInput[]): string {
  return group.length === 1 ? (group[0]?.name ?? '') : `${group.length} at once, from ${group[0]?.name}`
}

/** The named cases are each too much already. */
function* groups(inputs: readonly HostileInput[], atOnce: number): Generator<readonly HostileInput[]> {
  let group: HostileInput[] = []
  for (const input of inputs) {
    if (input.kind === 'settings' || input.isAlone) {
      yield [input]
      continue
    }
    group.push(input)
    if (group.length < atOnce) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
