/** What the result says of several GPUs, and of a config that has nothing to gain. */
import { expect, test } from 'vitest'
import { gains, termsOf } from '../../../../server/dashboard/result/gains.ts'
import { memoryBars } from '../../../../server/dashboard/result/memory-bars.ts'
import { resultTitle } from '../../../../server/dashboard/result/result.ts'
import { fine, wasteful } from '../../../render/fixtures.ts'

const onFour = wasteful({ spec: { ...wasteful().spec, gpus: 4 } })

test('several GPUs are named, and memory is said to be that of each', () => {
  expect(resultTitle(wasteful())).toMatch(/ on A10$/)
  expect(resultTitle(onFour)).toMatch(/ on 4 × A10$/)
  const sentence = 'Each of the 4 GPUs is as shown here.'
  expect([String(memoryBars(wasteful())).includes(sentence), String(memoryBars(onFour)).includes(sentence)]).toEqual([
    false,
    true,
  ])
})

test('a config with nothing to gain is told what its runs cost, not a change of nothing', () => {
  const told = (config: typeof onFour) => String(gains(config, termsOf(config, {})))
  expect(told(wasteful())).toContain('What the change brings')
  expect(told(fine())).toContain('What a run costs')
  expect(told(fine())).not.toContain('Savings per year')
})
