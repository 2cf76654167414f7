import { describe, expect, it } from 'vitest'
import { describeSubject, readSubject } from '../../action/event.ts'
import { baseSha, headSha } from './nocked-github.ts'

const none = '0'.repeat(40)
const mergeSha = 'd'.repeat(40)
const home = { repo: { full_name: 'acme/models' } }

function read(eventName: string, payload: unknown, sha = mergeSha) {
  return readSubject({ eventName, payload, sha })
}

describe('what an event is about', () => {
  it.each(['pull_request', 'pull_request_target'])(
    '%s: the pull request at its head, not at the merge commit',
    event => {
      const payload = {
        pull_request: { number: 7, changed_files: 3, base: { sha: baseSha, ...home }, head: { sha: headSha, ...home } },
      }
      const subject = read(event, payload)
      expect(subject).toEqual({ kind: 'pull-request', number: 7, changedFiles: 3, baseSha, headSha, isFork: false })
      expect(describeSubject(subject)).toBe('pull request #7 at aaaaaaa')
    },
  )

  it.each([
    ['another repository', { repo: { full_name: 'mona/models' } }],
    ['a repository that is gone', { repo: null }],
    ['a repository that the event does not name', {}],
  ])('a pull request from %s counts as from a fork', (_, from) => {
    const head = { sha: headSha, ...from }
    const payload = { pull_request: { number: 7, changed_files: 3, base: { sha: baseSha, ...home }, head } }
    expect(read('pull_request', payload)).toMatchObject({ isFork: true })
  })

  it('a pull request of which the event says little: the rest is asked of GitHub', () => {
    expect(read('pull_request', { pull_request: { number: 7 } })).toEqual({ kind: 'named-pull-request', number: 7 })
    const shallow = read('pull_request', { pull_request: { number: 7, head: { sha: headSha } } })
    expect(shallow).toEqual({ kind: 'named-pull-request', number: 7, headSha })
    expect(describeSubject(shallow)).toBe('pull request #7 at aaaaaaa')
  })

  it('merge_group: what the group adds to its base', () => {
    const payload = { merge_group: { base_sha: baseSha, head_sha: headSha } }
    expect(read('merge_group', payload)).toEqual({ kind: 'commits', baseSha, headSha })
  })

  it('push: what was pushed, or everything on a new branch, or nothing on a deleted one', () => {
    const push = (before: string, after: string, deleted: boolean) => read('push', { before, after, deleted })
    expect(push(baseSha, headSha, false)).toEqual({ kind: 'commits', baseSha, headSha })
    expect(push(none, headSha, false)).toEqual({ kind: 'tree', headSha })
    expect(push(baseSha, none, true)).toEqual({ kind: 'deleted-branch' })
  })

  it.each(['workflow_dispatch', 'schedule'])('%s: every file at the commit of the run', event => {
    expect(read(event, {}, headSha)).toEqual({ kind: 'tree', headSha })
  })

  it('workflow_dispatch with a pull request: that one, at the commit that was asked for', () => {
    const dispatch = (inputs: object | null) => read('workflow_dispatch', { inputs }, mergeSha)
    const named = { kind: 'named-pull-request', number: 12 }
    expect(dispatch({ 'pull-request': '12', 'head-sha': headSha })).toEqual({ ...named, headSha })
    expect(dispatch({ 'pull-request': '12', 'head-sha': '' })).toEqual(named)
    expect(dispatch({ 'pull-request': '', 'head-sha': headSha })).toEqual({ kind: 'tree', headSha })
    expect(dispatch({ 'pull-request': '', 'head-sha': '', note: 'x' })).toEqual({ kind: 'tree', headSha: mergeSha })
    expect(dispatch(null)).toEqual({ kind: 'tree', headSha: mergeSha })
  })

  it.each([
    { 'pull-request': '12; id', 'head-sha': headSha },
    { 'pull-request': '0', 'head-sha': headSha },
    { 'pull-request': '12', 'head-sha': 'main' },
    { 'pull-request': '12', 'head-sha': '../../etc' },
  ])('workflow_dispatch with %o is refused', inputs => {
    expect(() => read('workflow_dispatch', { inputs })).toThrow(
      'The payload of the event "workflow_dispatch" does not match GitHub\'s documentation.',
    )
  })

  it('any other event is refused with those that work', () => {
    expect(() => read('issues', {})).toThrow(
      'The event "issues" does not tell MemoryMark which files to check. Run it on pull_request, merge_group, push, workflow_dispatch or schedule.',
    )
  })

  it('a payload that is not as documented is refused', () => {
    const payload = { pull_request: { number: 7, head: { sha: '../../etc' } } }
    expect(() => read('pull_request', payload)).toThrow(
      'The payload of the event "pull_request" does not match GitHub\'s documentation',
    )
  })
})
