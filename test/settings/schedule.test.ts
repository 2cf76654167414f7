import { expect, test } from 'vitest'
import { DEFAULT_SCHEDULE, isSchedule } from '../../engine/settings/schedule.ts'

test.each([DEFAULT_SCHEDULE, '0 0 * * *', '59 23 28 12 7', '30 7 1,15 * *', '0 6 * * 1-5', '0 6 */2 1-6/2 *'])(
  '%j comes due, and at most once a day',
  text => {
    expect(isSchedule(text)).toBe(true)
  },
)

test.each([
  ['runs every minute', '* * * * *'],
  ['runs twice a day', '0 6,18 * * *'],
  ['runs every other hour', '0 */2 * * *'],
  ['has a minute too many', '60 6 * * *'],
  ['names a day that February lacks', '0 6 30 2 *'],
  ['runs backwards', '0 6 * * 5-1'],
  ['has no step', '0 6 */0 * *'],
  ['has seconds', '0 0 6 * * 1'],
  ['has four fields', '0 6 * 1'],
  ['is a word', '@weekly'],
  ['names an empty list', '0 6 1,,2 * *'],
  ['is empty', ''],
])('what %s is no schedule: %j', (_, text) => {
  expect(isSchedule(text)).toBe(false)
})
