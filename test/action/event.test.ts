import { describe, expect, it } from 'vitest'
import { describeSubject, readSubject } from '../../action/event.ts'
import { baseSha, headSha } from './nocked-github.ts'

const none = '0'.repeat(40)
const mergeSha = 'd'.repeat(40)

describe('what an event is about', () => {
  it.each(['pull_request', 'pull_request_target'])(
    '%s: the pull request at its head, not at the merge commit',
    event => {
      const payload = {
        pull_request: { number: 7, changed_files: 3, base: { sha: baseSha }, head: { sha: headSha } },
      }
      const subject = readSubject(event, payload, mergeSha)
      expect(subject).toEqual({ kind: 'pull-request', number: 7, changedFiles: 3, baseSha, headSha })
      expect(describeSubject(subject)).toBe('pull request #7 at aaaaaaa')
    },
  )

  it('merge_group: what the group adds to its base', () => {
    const payload = { merge_group: { base_sha: baseSha, head_sha: headSha } }
    expect(readSubject('merge_group', payload, mergeSha)).toEqual({ kind: 'commits', baseSha, headSha })
  })

  it('push: what was pushed, or everything on a new branch, or nothing on a deleted one', () => {
    const push = (before: string, after: string, deleted: boolean) =>
      readSubject('push', { before, after, deleted }, mergeSha)
    expect(push(baseSha, headSha, false)).toEqual({ kind: 'commits', baseSha, headSha })
    expect(push(none, headSha, false)).toEqual({ kind: 'tree', headSha })
    expect(push(baseSha, none, true)).toEqual({ kind: 'deleted-branch' })
  })

  it.each(['workflow_dispatch', 'schedule'])('%s: every file at the commit of the run', event => {
    expect(readSubject(event, {}, headSha)).toEqual({ kind: 'tree', headSha })
  })

  it('any other event is refused with those that work', () => {
    expect(() => readSubject('issues', {}, headSha)).toThrow(
      'MemoryMark does not know which files the event "issues" is about. Run it on pull_request, merge_group, push, workflow_dispatch or schedule.',
    )
  })

  it('a payload that is not as documented is refused', () => {
    const payload = { pull_request: { number: 7, head: { sha: '../../etc' } } }
    expect(() => readSubject('pull_request', payload, headSha)).toThrow(
      'The payload of the event "pull_request" is not as GitHub documents it',
    )
  })
})
