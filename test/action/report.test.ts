import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { report } from '../../engine/index.ts'
import { hasTorch } from '../probes/python.ts'
import { ActionBesideGitHub, coarse, tiny, warnings } from './action-beside-github.ts'

let beside: ActionBesideGitHub
beforeAll(async () => {
  beside = await ActionBesideGitHub.start()
})
afterAll(() => beside[Symbol.asyncDispose]())

describe('report', () => {
  const schedule = { name: 'schedule', payload: {} }

  it('on a schedule is about every config of the default branch, and ends with what changed since the last', async () => {
    const { repository, pullRequest } = await beside.open(
      { 'b.yaml': tiny, 'a.yaml': null },
      { base: { 'a.yaml': tiny } },
    )
    const main = await repository.branchHead('main')
    const first = await beside.run(repository, { mode: 'report' }, { event: schedule, sha: main })
    expect(report.parse(first.report).configs.map(config => config.path)).toEqual(['a.yaml'])
    expect(first.summary).not.toContain('Since the report')

    const files = { 'last/report.json': JSON.stringify(first.report) }
    const inputs = { mode: 'report', 'last-report': 'last/report.json' }
    const second = await beside.run(repository, inputs, { event: schedule, sha: pullRequest.headSha, files })
    expect(report.parse(second.report).configs.map(config => config.path)).toEqual(['b.yaml'])
    expect(second.summary).toMatch(/#### Since the report of \d{4}-\d\d-\d\d/)
    expect(second.summary).toMatch(/`a\.yaml`.*removed/)
    expect(second.summary).toMatch(/`b\.yaml` *\| did not exist/)

    const third = await beside.run(repository, inputs, { event: schedule, sha: main, files })
    expect(third.summary).toContain('No notable changes.')
  })

  it('says so where there is no last report, or none that can be read', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const inputs = { mode: 'report', 'last-report': 'last.json' }
    const sha = await repository.branchHead('main')
    for (const files of [{}, { 'last.json': '{"schema":"memorymark.report/v1"}' }]) {
      const { exitCode, summary } = await beside.run(repository, inputs, { event: schedule, sha, files })
      expect(exitCode).toBe(0)
      expect(summary).toContain('There is no earlier report to compare with.')
    }
  })

  it('believes no shard that is larger than a report can be', async () => {
    const { repository } = await beside.open({ 'a.yaml': tiny })
    const files = { 'shards/huge.json': ' '.repeat(17 * 1024 * 1024) }
    const merged = await beside.run(repository, { mode: 'report', reports: 'shards/*.json' }, { files })
    expect(warnings(merged)[0]).toBe('shards/huge.json is not a MemoryMark report and was ignored.')
    expect(report.parse(merged.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'estimated' }])
  })

  it.skipIf(!hasTorch)('puts the shards of a fleet into one report', async () => {
    const { repository, pullRequest } = await beside.open(
      { 'a.yaml': tiny, 'b.yaml': tiny.replace('32', '64') },
      { base: coarse },
    )
    const shard = await beside.run(repository, { mode: 'sweep', engine: 'trace', config: 'a.yaml', comment: 'never' })
    expect(report.parse(shard.report).configs).toMatchObject([{ path: 'a.yaml', provenance: 'traced' }])
    const files = { 'shards/one/memorymark-report.json': JSON.stringify(shard.report), 'shards/two/x.json': '{"a":' }
    const merged = await beside.run(repository, { mode: 'report', reports: 'shards/**/*.json' }, { files })
    expect(report.parse(merged.report).configs).toMatchObject([
      { path: 'a.yaml', provenance: 'traced' },
      { path: 'b.yaml', provenance: 'estimated' },
    ])
    expect(warnings(merged).filter(message => !message.includes('Micro-batch'))).toEqual([
      'shards/two/x.json is not a MemoryMark report and was ignored.',
      'No shard has figures for 1 of 2 training configs: they stay estimated.',
    ])
    expect((await repository.comments(pullRequest)).map(({ body }) => body)).toEqual([
      expect.stringMatching(/traced[\s\S]*estimated/),
    ])
  })
})
