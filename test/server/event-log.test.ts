import { expect, test } from 'vitest'
import type { AnalysisEvent } from '../../server/analysis.ts'
import { EventLog } from '../../server/event-log.ts'

const at = '2026-03-01T12:00:00.000Z'
const newLog = () => new EventLog(() => new Date(at))
const never = new AbortController().signal

async function all(events: AsyncIterable<AnalysisEvent>): Promise<AnalysisEvent[]> {
  const read: AnalysisEvent[] = []
  for await (const event of events) read.push(event)
  return read
}

test('events are numbered from 1 and dated', async () => {
  const log = newLog()
  log.append({ kind: 'started' })
  log.append({ kind: 'cancelled' })
  expect(await all(log.after(0, never))).toEqual([
    { sequence: 1, at, kind: 'started' },
    { sequence: 2, at, kind: 'cancelled' },
  ])
})

test('a reader who comes early gets each event as it happens, and one who comes late gets the same', async () => {
  const log = newLog()
  const early = all(log.after(0, never))
  for (let line = 0; line < 100; line++) {
    log.append({ kind: 'log', text: `line ${line}` })
    await Promise.resolve()
  }
  log.append({ kind: 'cancelled' })
  const late = await all(log.after(0, never))
  expect((await early).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1))
  expect(await early).toEqual(late)
})

test('a reader who has seen some gets the rest', async () => {
  const log = newLog()
  log.append({ kind: 'started' })
  log.append({ kind: 'log', text: 'a line' })
  log.append({ kind: 'cancelled' })
  expect((await all(log.after(2, never))).map(({ kind }) => kind)).toEqual(['cancelled'])
  expect(await all(log.after(3, never))).toEqual([])
  expect(await all(log.after(1_000, never))).toEqual([])
})

test('a reader who goes away while waiting is let go', async () => {
  const log = newLog()
  const leaving = new AbortController()
  const read = all(log.after(0, leaving.signal))
  log.append({ kind: 'started' })
  await Promise.resolve()
  leaving.abort()
  expect((await read).map(({ kind }) => kind)).toEqual(['started'])
})

test('nothing happens after the end', () => {
  const log = newLog()
  log.append({ kind: 'cancelled' })
  expect(() => log.append({ kind: 'log', text: 'a ghost' })).toThrow('"log" after the end of an analysis')
})
