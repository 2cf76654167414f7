/** Files that share a process leave it as they found it: one that does not fails by itself, whichever comes next. */
import { afterAll, expect, vi } from 'vitest'

const found = state()
afterAll(() => expect(state(), 'This file changed the process that it shares with others').toEqual(found))

function state() {
  return {
    folder: process.cwd(),
    environment: { ...process.env },
    exitCode: process.exitCode,
    fetch: globalThis.fetch,
    fakeTimers: vi.isFakeTimers(),
    listeners: ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'].map(name =>
      process.listenerCount(name),
    ),
  }
}
