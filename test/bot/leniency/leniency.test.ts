import { describe, expect, test } from 'vitest'
import { applyLeniency, type Leniency } from '../../../bot/leniency/leniency.ts'
import type { Acceptance } from '../../../bot/store/acceptances.ts'
import { acceptability, type ConfigResult, renderCheck, verdictState } from '../../../engine/index.ts'
import { fine, reportOf, tooLarge, unreadable, wasteful } from '../../render/fixtures.ts'

const now = new Date('2026-11-21T12:00:00Z')
const none: Leniency = { acceptances: [], snooze: undefined }

function acceptanceOf(configs: readonly ConfigResult[], { outOfMemory = false, reason = 'the A10 is shared' } = {}) {
  const accepted = configs.flatMap(config => {
    const answer = acceptability(config, { outOfMemory })
    return answer.kind === 'acceptable' ? [answer.accepted] : []
  })
  return { commentId: 1, by: 'mona', reason, configs: accepted, at: new Date('2026-11-20T00:00:00Z') } as Acceptance
}

function judged(configs: readonly ConfigResult[], leniency: Partial<Leniency>) {
  const lenient = applyLeniency(reportOf(configs), { ...none, ...leniency }, now)
  return { ...lenient, state: verdictState(lenient.report), check: renderCheck(lenient.report) }
}

const snooze = (until: string) => ({ commentId: 2, by: 'hubot', at: new Date('2026-11-19'), until: new Date(until) })

describe('without a word from anyone', () => {
  test('a report stays as it is', () => {
    const { report, remarks, isQuiet } = judged([wasteful(), fine()], {})
    expect(report).toEqual(reportOf([wasteful(), fine()]))
    expect(remarks).toEqual([])
    expect(isQuiet).toBe(false)
  })
})

describe('what was accepted', () => {
  test('passes, and the check says who let it, when and why', () => {
    const { state, check, remarks, accepted } = judged([wasteful()], { acceptances: [acceptanceOf([wasteful()])] })
    expect(state).toBe('warning')
    expect(check.conclusion).toBe('neutral')
    expect(check.title).toBe('The training config wastes its GPU')
    expect(remarks).toEqual([
      'Accepted by `mona` on 2026-11-20: the A10 is shared. This covers `configs/bert-mnli.yaml` until it gets worse.',
    ])
    expect([...accepted.keys()]).toEqual(['configs/bert-mnli.yaml'])
  })

  test('does not cover another config of the same pull request', () => {
    const other = wasteful({ path: 'configs/other.yaml' })
    const { state } = judged([wasteful(), other], { acceptances: [acceptanceOf([wasteful()])] })
    expect(state).toBe('blocked')
  })

  test('no longer covers what runs out of memory, and the check says that it lapsed', () => {
    const worse = tooLarge({ path: wasteful().path })
    const { state, remarks } = judged([worse], { acceptances: [acceptanceOf([wasteful()])] })
    expect(state).toBe('blocked')
    expect(remarks).toEqual([
      'The acceptance of `configs/bert-mnli.yaml` by `mona` on 2026-11-20 no longer applies: the config got worse.',
    ])
  })

  test('is out of memory where that was said, and the title still says so', () => {
    const { check } = judged([tooLarge()], { acceptances: [acceptanceOf([tooLarge()], { outOfMemory: true })] })
    expect(check.conclusion).toBe('neutral')
    expect(check.title).toBe('The training config runs out of memory: needs 31.2 of 21.7 GiB')
  })

  test('may be a config that cannot be analysed', () => {
    const { check } = judged([unreadable()], { acceptances: [acceptanceOf([unreadable()])] })
    expect(check.conclusion).toBe('neutral')
    expect(check.summary).toContain('this does not block, because it was accepted')
    expect(check.annotations.map(({ level }) => level)).toEqual(['warning'])
  })

  test('shows a hostile reason as text', () => {
    const acceptance = acceptanceOf([wasteful()], { reason: '<img src=x> @everyone [a](https://evil.example)' })
    const [remark = ''] = judged([wasteful()], { acceptances: [acceptance] }).remarks
    expect(remark).not.toContain('<img')
    expect(remark).not.toContain('@everyone')
    expect(remark).not.toContain('](https')
  })
})

describe('a snooze', () => {
  test('lets waste pass until it ends, keeps the comment still, and says until when', () => {
    const { state, isQuiet, remarks } = judged([wasteful()], { snooze: snooze('2026-12-01') })
    expect(state).toBe('warning')
    expect(isQuiet).toBe(true)
    expect(remarks).toEqual(['Snoozed by `hubot` until 2026-12-01; a config that runs out of memory still blocks.'])
  })

  test('that has ended changes nothing', () => {
    const { state, isQuiet, remarks } = judged([wasteful()], { snooze: snooze('2026-11-21T12:00:00Z') })
    expect([state, isQuiet, remarks]).toEqual(['blocked', false, []])
  })

  test('does not let pass what runs out of memory', () => {
    expect(judged([tooLarge()], { snooze: snooze('2026-12-01') }).state).toBe('blocked')
  })

  test('is not spoken of where nothing blocks', () => {
    expect(judged([fine()], { snooze: snooze('2026-12-01') }).remarks).toEqual([])
  })
})
