import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ActionBesideGitHub, tiny, warnings } from './action-beside-github.ts'

let beside: ActionBesideGitHub
beforeAll(async () => {
  beside = await ActionBesideGitHub.start()
})
afterAll(() => beside[Symbol.asyncDispose]())

describe('an unknown mode', () => {
  it('is refused by name before anything is asked of GitHub', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const before = beside.github.requests.length
    const { exitCode, log } = await beside.run(repository, { mode: 'sweeep' })
    expect(exitCode).toBe(1)
    expect(log).toBe(
      '::error::input mode: "sweeep" is not one of its values. Did you mean sweep? Use check, sweep, plan, report.\n',
    )
    expect(beside.github.requests.length).toBe(before)
  })
})

describe('an input of another mode', () => {
  it('is said not to be used, and the rest goes on', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const judged = await beside.run(repository, {
      entrypoint: 'step.py:make',
      reports: 'shards/*.json',
      comment: 'never',
    })
    expect(judged.exitCode).toBe(0)
    expect(warnings(judged)).toEqual([
      'The input entrypoint is for mode sweep and is ignored in mode check.',
      'The input reports is for mode report and is ignored in mode check.',
    ])
  })
})
