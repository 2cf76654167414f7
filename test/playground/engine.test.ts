/** The worker behind the page: one answer at a time, and an end for what takes too long. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Engine, type Thread, type ThreadListener } from '../../playground/engine.ts'
import type { Asked } from '../../playground/protocol.ts'
import { example } from '../../playground/question.ts'

/** Answers when the test says so. */
class HandDriven implements Thread {
  readonly asked: Asked[] = []
  isEnded = false
  readonly #listener: ThreadListener

  constructor(listener: ThreadListener) {
    this.#listener = listener
  }

  postMessage(asked: Asked): void {
    this.asked.push(asked)
  }

  terminate(): void {
    this.isEnded = true
  }

  answers(number: number, title: string, looksForLevers = false): void {
    this.#listener.onAnswered({ number, answer: { kind: 'result', title, html: '' }, looksForLevers })
  }

  finds(number: number, html: string): void {
    this.#listener.onLevers({ number, levers: { kind: 'found', html } })
  }

  breaks(message: string): void {
    this.#listener.onBroken(message)
  }
}

const threads: HandDriven[] = []

function engine(): Engine {
  return new Engine(listener => {
    const thread = new HandDriven(listener)
    threads.push(thread)
    return thread
  }, 10_000)
}

beforeEach(() => {
  threads.length = 0
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the engine of the page', () => {
  test('answers one question after another in the same thread', async () => {
    const asking = engine()
    const first = asking.ask(example)
    threads[0]?.answers(1, 'first')
    expect(await first).toMatchObject({ title: 'first' })
    const second = asking.ask(example)
    threads[0]?.answers(2, 'second')
    expect(await second).toMatchObject({ title: 'second' })
    expect(threads).toHaveLength(1)
  })

  test('that takes too long is ended, and starts anew with the next question', async () => {
    const asking = engine()
    const stuck = asking.ask(example)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(threads[0]?.isEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await stuck).toEqual({ kind: 'timed-out', afterMillis: 10_000 })
    expect(threads[0]?.isEnded).toBe(true)
    const next = asking.ask(example)
    threads[1]?.answers(2, 'next')
    expect(await next).toMatchObject({ title: 'next' })
  })

  test('gives up a question that another overtakes, and takes no late answer for the new one', async () => {
    const asking = engine()
    const first = asking.ask(example)
    const second = asking.ask(example)
    expect(await first).toEqual({ kind: 'overtaken' })
    expect(threads[0]?.isEnded).toBe(true)
    threads[1]?.answers(1, 'late')
    threads[1]?.answers(2, 'second')
    expect(await second).toMatchObject({ title: 'second' })
  })

  describe('where levers are looked for', () => {
    async function answered() {
      const asking = engine()
      const first = asking.ask(example)
      threads[0]?.answers(1, 'first', true)
      const outcome = await first
      if (outcome.kind !== 'result' || outcome.levers === undefined) throw new Error(outcome.kind)
      return { asking, levers: outcome.levers }
    }

    test('answers before they are found, and goes on in the same thread', async () => {
      const { asking, levers } = await answered()
      threads[0]?.finds(1, 'QLoRA')
      expect(await levers).toEqual({ kind: 'found', html: 'QLoRA' })
      const second = asking.ask(example)
      threads[0]?.answers(2, 'second')
      expect(await second).toMatchObject({ title: 'second' })
      expect(threads).toHaveLength(1)
    })

    test('does not let another question wait for them', async () => {
      const { asking, levers } = await answered()
      const second = asking.ask(example)
      expect(await levers).toEqual({ kind: 'overtaken' })
      expect(threads[0]?.isEnded).toBe(true)
      threads[1]?.finds(1, 'late')
      threads[1]?.answers(2, 'second')
      expect(await second).toMatchObject({ title: 'second' })
    })

    test('gives them up after the same time, and the answer stays', async () => {
      const { levers } = await answered()
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await levers).toEqual({ kind: 'timed-out', afterMillis: 10_000 })
      expect(threads[0]?.isEnded).toBe(true)
    })
  })

  test('that breaks says why, and starts anew', async () => {
    const asking = engine()
    const first = asking.ask(example)
    threads[0]?.breaks('out of memory')
    expect(await first).toEqual({ kind: 'broken', why: 'out of memory' })
    const second = asking.ask(example)
    threads[0]?.breaks('once more')
    threads[1]?.answers(2, 'second')
    expect(await second).toMatchObject({ title: 'second' })
  })
})
