/** Analyses that wait for each other, and end before they are done. */
import { describe, expect, test } from 'vitest'
import type { Limits } from '../../server/analysis-queue.ts'
import { Asking, stateOf } from './asking.ts'
import { pythonMachine } from './python-machine.ts'
import { isAlive, SilentPython } from './silent-python.ts'

const estimate = { engine: 'estimate', gpu: 'a10' }

describe('the queue', () => {
  const one: Limits = { queue: { running: 1, waiting: 2 }, timeoutMillis: 60_000, retryAfterSeconds: 7 }

  test('one sweep at a time; who waits is told the place, and moves up; beyond the places it is 429', async () => {
    await using silent = await SilentPython.create()
    await using asking = new Asking({ ...pythonMachine(silent.command), limits: { sweep: one } })
    const [first, second, third] = [
      await asking.submit({ model: 'bert' }),
      await asking.submit({ model: 'bert' }),
      await asking.submit({ model: 'bert' }),
    ]
    expect([first.state, second.state, third.state]).toEqual(['running', 'queued', 'queued'])
    expect([stateOf(second, 'queued').position, stateOf(third, 'queued').position]).toEqual([1, 2])

    const refused = await asking.post('/v1/analyses', { model: 'bert' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    expect(refused.body).toMatchObject({ problems: [{ code: 'queue-full' }] })

    // An estimate does not wait for a sweep.
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    expect((await asking.ended(id)).state).toBe('done')

    expect((await asking.cancel(second.id)).body).toMatchObject({ state: 'cancelled', trials: [] })
    expect(stateOf(await asking.find(third.id), 'queued').position).toBe(1)
    expect((await asking.events(second.id)).map(({ kind }) => kind)).toEqual(['queued', 'cancelled'])

    await expect.poll(() => silent.pids()).toHaveLength(1)
    await asking.cancel(first.id)
    expect((await asking.ended(first.id)).state).toBe('cancelled')
    await expect.poll(async () => (await asking.find(third.id)).state).toBe('running')
    await asking.cancel(third.id)
    expect((await asking.ended(third.id)).state).toBe('cancelled')
  })

  test('a cancelled sweep leaves no process', async () => {
    await using silent = await SilentPython.create()
    await using asking = new Asking(pythonMachine(silent.command))
    const { id } = await asking.submit({ model: 'bert' })
    await expect.poll(() => silent.pids()).toHaveLength(1)
    const [pid = 0] = await silent.pids()
    expect(isAlive(pid)).toBe(true)
    await asking.cancel(id)
    expect((await asking.ended(id)).state).toBe('cancelled')
    expect(isAlive(pid)).toBe(false)
  })

  test('a sweep that takes too long fails, and leaves no process', async () => {
    await using silent = await SilentPython.create()
    const limits = { sweep: { ...one, timeoutMillis: 500 } }
    await using asking = new Asking({ ...pythonMachine(silent.command), limits })
    const { id } = await asking.submit({ model: 'bert' })
    const { problems } = stateOf(await asking.ended(id), 'failed')
    expect(problems.map(({ code }) => code)).toEqual(['analysis-timed-out'])
    expect((await silent.pids()).filter(isAlive)).toEqual([])
  })

  test('the end of the service ends what runs and waits', async () => {
    await using silent = await SilentPython.create()
    const asking = new Asking(pythonMachine(silent.command))
    const running = await asking.submit({ model: 'bert' })
    const waiting = await asking.submit({ model: 'bert' })
    await expect.poll(() => silent.pids()).toHaveLength(1)
    await asking[Symbol.asyncDispose]()
    expect((await asking.find(running.id)).state).toBe('cancelled')
    expect((await asking.find(waiting.id)).state).toBe('cancelled')
    expect((await silent.pids()).filter(isAlive)).toEqual([])
  })

  test('only the newest finished analyses are kept', async () => {
    await using asking = new Asking({ kept: 2 })
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      const { id } = await asking.submit({ model: 'bert', ...estimate })
      await asking.ended(id)
      ids.push(id)
    }
    const statuses = await Promise.all(ids.map(async id => (await asking.get(`/v1/analyses/${id}`)).status))
    expect(statuses).toEqual([404, 200, 200])
  })

  test('cancelling what has ended changes nothing', async () => {
    await using asking = new Asking()
    const { id } = await asking.submit({ model: 'bert', ...estimate })
    const ended = await asking.ended(id)
    expect((await asking.cancel(id)).body).toEqual(ended)
  })

  test('a server of one engine runs no other', async () => {
    await using asking = new Asking({ engine: 'estimate' })
    const { status, body } = await asking.post('/v1/analyses', { model: 'bert', engine: 'torch' })
    expect([status, body]).toMatchObject([400, { problems: [{ code: 'engine-not-served', field: 'engine' }] }])
    const { id } = await asking.submit({ model: 'bert' })
    expect(stateOf(await asking.ended(id), 'done').probing?.engine).toBe('estimate')
  })
})
