import { expect, test } from 'vitest'
import { readOptions } from '../../../scripts/chaos/options.ts'

test('without options, the chaos is the one whose figure is shown', () => {
  expect(readOptions([])).toMatchObject({ pulls: 200, kills: 50, replicas: 2, copies: 3, faults: 0.1 })
})

test('options that are given win', () => {
  expect(readOptions(['--seed', '7', '--faults', '0.5'])).toMatchObject({ seed: 7, faults: 0.5, pulls: 200 })
})

test.each([
  [['--faults', '2'], '--faults'],
  [['--pulls', 'many'], '--pulls'],
  [['--speed', '2'], '--speed'],
])('%j are refused by name', (args, name) => {
  expect(() => readOptions(args)).toThrow(name)
})
