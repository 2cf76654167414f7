import { describe, expect, test } from 'vitest'
import type { HostileInput } from '../../../scripts/attack/input.ts'
import { attack, roundsOf } from '../../../scripts/attack/one-by-one.ts'
import type { Answer, Surface } from '../../../scripts/attack/surface.ts'

const quick: Answer = { millis: 900, cpuMillis: 800, peakMib: 200 }
const slow: Answer = { ...quick, millis: 3_100 }
const input: HostileInput = { kind: 'files', name: 'a config', filesIn: () => ({}) }

describe('an input that is not answered in time', () => {
  test.each([
    ['is well when it is in time the second time', [slow, quick], 0],
    ['is well when it is in time the third time', [slow, slow, quick], 0],
    ['is a miss when it is late three times', [slow, slow, slow, quick], 1],
    ['is a miss when it is wrong the second time', [slow, { ...quick, fault: 'no check' }, quick], 1],
  ])('%s', async (_, answers, misses) => {
    expect(await attack(answering(answers), [input], terms())).toHaveLength(misses)
  })

  test('is not tried again where something else is wrong with the answer', async () => {
    const answers = [{ ...slow, fault: 'no check' }, quick]
    expect(await attack(answering(answers), [input], terms())).toHaveLength(1)
    expect(answers).toHaveLength(1)
  })

  test('is not tried again where it takes too much memory', async () => {
    expect(await attack(answering([{ ...quick, peakMib: 401 }, quick]), [input], terms())).toHaveLength(1)
  })
})

test('rounds have so many answers each, and all inputs once, in the groups that they would have together', async () => {
  const many = Array.from(
    { length: 41 },
    (_, at): HostileInput => ({ ...input, name: `${at}`, isAlone: at % 10 === 0 }),
  )
  const rounds = roundsOf(many, 4)
  const sent = await Promise.all(
    rounds.map(async inputs => {
      const groups: (readonly HostileInput[])[] = []
      const answer = async (group: readonly HostileInput[]) => {
        groups.push(group)
        return quick
      }
      const noting = { ...answering([]), answer }
      await attack(noting, inputs, terms())
      return groups
    }),
  )

  expect(sent.map(({ length }) => length)).toEqual([4, 4, 2])
  expect(new Set(sent.flat(2))).toEqual(new Set(many))
  expect(sent.flat().filter(group => group.length === 8)).toHaveLength(4)
})

/** Gives the answers one after the other, and takes each off the list. */
function answering(answers: Answer[]): Surface {
  return {
    name: 'surface',
    answer: async () => answers.shift() ?? quick,
    [Symbol.asyncDispose]: async () => {},
  }
}

function terms() {
  return { signal: new AbortController().signal, clock: 'wall' } as const
}
