import { expect, test } from 'vitest'
import { examineClock } from '../../../bot/doctor/clock.ts'

const theirs = 'Sat, 21 Nov 2026 12:00:00 GMT'
const at = (time: string) => new Date(`2026-11-21T${time}Z`)

test.each([
  ['30 s ahead', '12:00:30', 'well'],
  ['30 s behind', '11:59:30', 'well'],
  ['31 s ahead', '12:00:31', 'fault'],
  ['an hour behind', '11:00:00', 'fault'],
] as const)('a clock %s of GitHub’s is judged %s', (_, time, kind) => {
  expect(examineClock(at(time), theirs).kind).toBe(kind)
})

test('the fault says by how much', () => {
  expect(examineClock(at('11:00:00'), theirs).what).toBe('the clock is 3600 s behind GitHub’s')
})

test('without a date nothing is claimed', () => {
  expect(examineClock(at('12:00:00'), undefined).kind).toBe('remark')
})
