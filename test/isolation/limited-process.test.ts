import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ProcessNotStarted } from '../../engine/isolation/child.ts'
import { LimitedProcess, type OrderOptions, type ProcessOptions } from '../../engine/isolation/limited-process.ts'
import { isAlive } from '../server/silent-python.ts'
import type { TestOrder } from './orders-of-the-test.ts'

const script = fileURLToPath(new URL('./orders-of-the-test.ts', import.meta.url))
const settings: ProcessOptions = { script, heapMib: 64, env: { PATH: process.env.PATH } }

let limited: LimitedProcess
beforeEach(() => {
  limited = new LimitedProcess(settings)
})
afterEach(() => limited[Symbol.asyncDispose]())

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const within = (millis: number): OrderOptions => ({ limit: { kind: 'compute', millis } })
const run = (order: TestOrder, options: OrderOptions = within(20_000)) => limited.run(order, options)

describe('a limited process', () => {
  test('performs one order after another, in the same process', async () => {
    expect(await run({ kind: 'echo', value: [1, undefined, new Date(0)] })).toEqual({
      kind: 'done',
      result: [1, undefined, new Date(0)],
    })
    const { pid } = limited
    expect(await run({ kind: 'echo', value: 'again' })).toEqual({ kind: 'done', result: 'again' })
    expect(limited.pid).toBe(pid)
  })

  test('that computes without end is killed past its limit, and the next order has a new one', async () => {
    await limited.start()
    const { pid = 0 } = limited
    expect(await run({ kind: 'spin' }, within(300))).toEqual({ kind: 'time-limit' })
    expect(isAlive(pid)).toBe(false)
    expect(await run({ kind: 'echo', value: 1 })).toEqual({ kind: 'done', result: 1 })
    expect(limited.pid).not.toBe(pid)
  })

  test.each(['allocate', 'allocate-outside-the-heap', 'array-too-long'] as const)(
    'that takes too much memory (%s) is ended, and the next order is performed',
    async kind => {
      expect(await run({ kind })).toEqual({ kind: 'memory-limit' })
      expect(await run({ kind: 'echo', value: 1 })).toEqual({ kind: 'done', result: 1 })
    },
  )

  test('tells a bug from a process that ended, and either from what the user can mend', async () => {
    expect(await run({ kind: 'throw' })).toMatchObject({ kind: 'threw', stack: expect.stringContaining('a bug') })
    expect(await run({ kind: 'exit' })).toMatchObject({ kind: 'died', how: expect.stringContaining('exit code 7') })
    expect(await run({ kind: 'refuse' })).toMatchObject({ kind: 'refused', problem: { code: 'unusable' } })
  })

  test('keeps nothing of an order that is done', async () => {
    await run({ kind: 'echo', value: 1 })
    const withChange = () => {
      const change = { files: 'many' }
      return { options: { ...within(20_000), answer: async () => change }, ref: new WeakRef(change) }
    }
    const refs: WeakRef<object>[] = []
    for (let order = 0; order < 5; order += 1) {
      const { options, ref } = withChange()
      refs.push(ref)
      await run({ kind: 'echo', value: order }, options)
    }
    await setImmediate()
    collectGarbage()
    // The last may still stand on the stack.
    expect(refs.filter(ref => ref.deref() !== undefined).length).toBeLessThanOrEqual(1)
  })

  test('has the limit for each step, not for all of them together', async () => {
    const steps: unknown[] = []
    const outcome = await run(
      { kind: 'steps', millis: [300, 300, 300, 300, 300, 20_000] },
      { ...within(1_000), onStep: step => steps.push(step) },
    )
    expect(outcome).toEqual({ kind: 'time-limit' })
    expect(steps).toEqual([0, 1, 2, 3, 4])
  })

  test('is told how much CPU time a step took', async () => {
    const times: number[] = []
    await run({ kind: 'steps', millis: [400] }, { ...within(20_000), onStep: (_, cpuMillis) => times.push(cpuMillis) })
    expect(times).toHaveLength(1)
    expect(times[0]).toBeGreaterThanOrEqual(400)
  })

  test('is charged for what it computes, not for the time that a busy machine leaves it waiting', async () => {
    const outcome = await run({ kind: 'sleep', millis: 4_000 }, within(600))
    expect(outcome).toEqual({ kind: 'done', result: 'awake' })
  })

  test('that neither computes nor answers is given up in the end', async () => {
    expect(await run({ kind: 'sleep', millis: 1_000_000 }, within(300))).toEqual({ kind: 'stalled' })
    expect(await run({ kind: 'echo', value: 1 })).toEqual({ kind: 'done', result: 1 })
  })

  test('is not charged for steps that its host, which waits for its own turn, has not heard of', async () => {
    await limited.start()
    const outcome = run({ kind: 'steps', millis: Array(10).fill(300) }, within(1_500))
    // As a machine does that gives the host no time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000)
    expect(await outcome).toEqual({ kind: 'done', result: 'all' })
  })

  test('waits for its host’s answers without being charged for it', async () => {
    const answer = async (question: unknown) => {
      await new Promise(resolve => setTimeout(resolve, 600))
      return `to ${question}`
    }
    const outcome = await run({ kind: 'ask', question: 'this' }, { ...within(300), answer })
    expect(outcome).toEqual({ kind: 'done', result: { answer: 'to this' } })
  })

  test('passes on what keeps its host from answering, and performs the next order', async () => {
    const failure = new Error('the network is gone')
    const answer = () => Promise.reject(failure)
    await expect(run({ kind: 'ask', question: 'this' }, { ...within(20_000), answer })).rejects.toBe(failure)
    expect(await run({ kind: 'echo', value: 1 })).toEqual({ kind: 'done', result: 1 })
  })

  test('ends when its order is cancelled', async () => {
    const cancel = new AbortController()
    await limited.start()
    const { pid = 0 } = limited
    const outcome = run({ kind: 'spin' }, { ...within(20_000), signal: cancel.signal })
    cancel.abort()
    expect(await outcome).toEqual({ kind: 'cancelled' })
    expect(isAlive(pid)).toBe(false)
    expect(await run({ kind: 'spin' }, { ...within(20_000), signal: cancel.signal })).toEqual({ kind: 'cancelled' })
  })

  test('may be given time to end by itself', async () => {
    await using patient = new LimitedProcess({ ...settings, graceMillis: 20_000 })
    const limit = { kind: 'wall', millis: 200 } as const
    expect(await patient.run({ kind: 'until-cancelled' }, { limit })).toEqual({
      kind: 'done',
      result: 'ended by itself',
      stopped: 'time-limit',
    })
    await using hasty = new LimitedProcess({ ...settings, graceMillis: 200 })
    expect(await hasty.run({ kind: 'spin' }, { limit })).toEqual({ kind: 'time-limit' })
  })

  test('that cannot be started is no outcome of the order', async () => {
    await using absent = new LimitedProcess({ ...settings, script: `${script}.absent` })
    const attempt = absent.run({ kind: 'echo', value: 1 }, within(20_000))
    await expect(attempt).rejects.toBeInstanceOf(ProcessNotStarted)
    await expect(attempt).rejects.toThrow('Cannot find module')
  })

  test('outlives neither its disposal nor its host, even while it computes', async () => {
    await limited.start()
    const { pid = 0 } = limited
    await limited[Symbol.asyncDispose]()
    expect(isAlive(pid)).toBe(false)

    const module = new URL('../../engine/isolation/limited-process.ts', import.meta.url).href
    const host = `
      import { LimitedProcess } from ${JSON.stringify(module)}
      const limited = new LimitedProcess(${JSON.stringify(settings)})
      await limited.start()
      console.log(limited.pid)
      await limited.run({ kind: 'spin' }, { limit: { kind: 'wall', millis: 1e6 } })`
    const spawned = spawn(process.execPath, ['--input-type=module', '--eval', host], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(spawned.stdout, 'data')
    const inner = Number(String(line))
    expect(isAlive(inner)).toBe(true)
    spawned.kill('SIGKILL')
    await expect.poll(() => isAlive(inner)).toBe(false)
  })

  test('keeps its host from ending only while an order runs', async () => {
    const module = new URL('../../engine/isolation/limited-process.ts', import.meta.url).href
    const host = `
      import { LimitedProcess } from ${JSON.stringify(module)}
      const limited = new LimitedProcess(${JSON.stringify(settings)})
      await new LimitedProcess(${JSON.stringify(settings)}).start()
      const outcome = await limited.run({ kind: 'steps', millis: [100, 100] }, { limit: { kind: 'compute', millis: 20_000 } })
      await limited[Symbol.asyncDispose]()
      console.log(outcome.result)`
    const spawned = spawn(process.execPath, ['--input-type=module', '--eval', host], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(spawned.stdout, 'data')
    expect(String(line)).toBe('all\n')
    expect(await once(spawned, 'exit')).toEqual([0, null])
  })
})
