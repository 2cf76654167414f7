import { expect, test } from 'vitest'
import { analysedIn, judgedAlone } from '../../engine/report/standing.ts'
import { fine, reportOf, unreadable, wasteful } from '../render/fixtures.ts'

test('what a pull request did not make worse is judged by itself again', () => {
  const spared = wasteful({
    verdict: {
      state: 'warning',
      reasons: [
        { kind: 'condition', condition: { kind: 'waste', abovePercent: 40 }, actual: 88.9, spared: 'no-worse' },
      ],
    },
  })
  const { verdict } = judgedAlone(spared, reportOf([]).policy)
  expect(verdict.state).toBe('blocked')
  expect(verdict.reasons).toEqual([
    { kind: 'condition', condition: { kind: 'waste', abovePercent: 40 }, actual: expect.closeTo(88.9, 1) },
  ])
})

test('configs with figures are told from those without', () => {
  expect(analysedIn(reportOf([unreadable(), fine(), wasteful()])).map(({ path }) => path)).toEqual([
    'configs/gpt2-wikitext.yaml',
    'configs/bert-mnli.yaml',
  ])
})
