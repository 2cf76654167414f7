import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { KeptRepositories } from '../../../bot/reports/repositories.ts'
import type { Database } from '../../../bot/store/database.ts'
import { keepReported } from '../../../bot/store/measured-configs.ts'
import { type AnalysedConfig, analyze } from '../../../engine/index.ts'
import { maintainer, memoryMarkApp, owner, type Repository } from '../../github/index.ts'
import { onA10 } from '../../on-a10.ts'
import { type BotBesideGitHub, startBotBesideGitHub } from '../bot-beside-github.ts'
import { lendDatabase } from '../databases.ts'
import { wastefulText } from '../wasteful-text.ts'

const path = 'configs/bert.yaml'
const wasteful = wastefulText({ microBatch: 2, accumulation: 16 })
const better = wastefulText({ microBatch: 32, accumulation: 1 })

let beside: BotBesideGitHub
let database: Database

beforeAll(async () => {
  database = await lendDatabase()
  beside = await startBotBesideGitHub({ database })
})
afterAll(async () => {
  await beside[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

let repositories = 0

async function repositoryWith(files: Readonly<Record<string, string>>) {
  repositories += 1
  const repository = await beside.github.createRepository(`reported-${repositories}`, { ...onA10, ...files })
  const place = {
    installationId: memoryMarkApp.installations.acme ?? 0,
    repositoryId: await idOf(repository),
    owner: 'acme',
    repo: repository.name,
  }
  /** As the clock would. */
  const report = async () => {
    await beside.bot.send({ kind: 'survey', ...place, isReportDue: true })
    await beside.bot.idle()
  }
  /** Makes the last report one of long ago. */
  const ageLast = () =>
    database.query(
      `UPDATE memorymark.last_reports SET report = jsonb_set(report, '{createdAt}', '"2026-11-01T06:00:00.000Z"')
       WHERE repository_id = $1`,
      [place.repositoryId],
    )
  return { repository, place, report, ageLast }
}

async function idOf({ fullName }: Repository): Promise<number> {
  const response = await fetch(`${beside.github.url}/repos/${fullName}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  })
  return z.object({ id: z.number() }).parse(await response.json()).id
}

/** A file of DeepSpeed's settings. */
function zero(stage: number): string {
  return `{"zero_optimization": {"stage": ${stage}}}`
}

function blobOf(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
}

/** A config as a run would have reported it that timed it at `samplesPerSecond`, beside these other files. */
async function timed(
  text: string,
  samplesPerSecond: number,
  blobs: { blobSha: string; baseBlobSha: string },
  files: Readonly<Record<string, string>> = {},
) {
  const sources = { readFile: async (name: string) => files[name] }
  const { configs, policy } = await analyze([{ path, text }], { now: new Date(), sources })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error('The config cannot be analysed')
  const known = { provenance: 'measured', throughputProvenance: 'measured' } as const
  const result: AnalysedConfig = { ...config, ...known, current: { ...config.current, samplesPerSecond } }
  return { path, ...blobs, result, policy, runId: 1, pullNumber: 1 }
}

async function merged(repository: Repository, files: Readonly<Record<string, string>>, words?: string) {
  const pull = await repository.openPullRequest({ files })
  await beside.bot.idle()
  if (words !== undefined) await repository.comment(pull, words, maintainer)
  await beside.bot.idle()
  const outcome = await repository.merge(pull)
  expect(outcome.kind).toBe('merged')
  await beside.bot.idle()
  return pull
}

describe('the report on the default branch', () => {
  test('is one issue, brought up to date in place, with what changed', async () => {
    const { repository, report, ageLast } = await repositoryWith({ [path]: wasteful })
    await report()
    const [first] = await repository.issues()
    expect(first?.body).toContain('### 🟥 MemoryMark: the training config trains slower than it could')
    expect(first?.body).toContain('#### The one to look at')
    expect(first?.body).not.toContain('#### Since the report')

    await ageLast()
    await repository.pushToBranch('main', { [path]: better, 'configs/second.yaml': wasteful })
    await report()
    const issues = await repository.issues()
    expect(issues.map(({ number }) => number)).toEqual([first?.number])
    expect(issues[0]?.body).toContain('#### Since the report of 2026-11-01')
    expect(issues[0]?.body).toContain('`configs/second.yaml`')
  })

  test('is found again where our record of it is lost', async () => {
    const { repository, place, report } = await repositoryWith({ [path]: wasteful })
    await report()
    await database.query('DELETE FROM memorymark.last_reports WHERE repository_id = $1', [place.repositoryId])
    await report()
    expect(await repository.issues()).toHaveLength(1)
  })

  test('is not begun where there is no config, nor where there are no issues', async () => {
    const without = await repositoryWith({ 'README.md': '# Nothing to train\n' })
    await without.report()
    expect(await without.repository.issues()).toEqual([])

    const off = await repositoryWith({ [path]: wasteful })
    await off.repository.turnIssuesOff()
    const before = beside.github.requests.length
    await off.report()
    const asked = beside.github.requests.slice(before).filter(request => request.path.includes('/issues'))
    expect(asked).toEqual([])
  })

  test('does not come where the team wants none', async () => {
    const { repository, report } = await repositoryWith({
      [path]: wasteful,
      '.github/memorymark.yml': 'gpu: a10\nreport:\n  schedule: never\n',
    })
    await report()
    expect(await repository.issues()).toEqual([])
  })

  test('is due when the settings say, and no longer once the repository is gone', async () => {
    const settings = { '.github/memorymark.yml': 'gpu: a10\nreport:\n  schedule: 30 7 1 * *\n' }
    const { place, report } = await repositoryWith({ [path]: wasteful, ...settings })
    const due = async () => {
      const rows = await database.query('SELECT cron FROM memorymark_queue.schedule WHERE key = $1', [
        `${place.repositoryId}/survey/report`,
      ])
      return rows.map(({ cron }) => cron)
    }
    await report()
    expect(await due()).toEqual(['30 7 1 * *'])
    await beside.bot.send({ kind: 'survey', ...place, repo: 'gone', isReportDue: true })
    await beside.bot.idle()
    expect(await due()).toEqual([])
  })

  test('goes by what was measured while the files that a config names are the same', async () => {
    const text = `${wasteful}deepspeed: configs/ds.json\n`
    const [before, after] = [zero(1), zero(3)]
    const { repository, place, report } = await repositoryWith({ [path]: text, 'configs/ds.json': before })
    const measured = await timed(text, 200, { blobSha: blobOf(text), baseBlobSha: '' }, { 'configs/ds.json': before })
    await keepReported(database, place, 'a'.repeat(40), [measured])
    const provenance = async () => {
      await report()
      const configs = await new KeptRepositories(database).configs(place, 'waste', { limit: 10 })
      return configs?.items.map(item => item.provenance)
    }
    expect(await provenance()).toEqual(['measured'])
    await repository.pushToBranch('main', { 'configs/ds.json': after })
    expect(await provenance()).toEqual(['estimated'])
  })

  test('does not replace what changed by nothing when its job runs again', async () => {
    const { repository, report, ageLast } = await repositoryWith({ [path]: wasteful })
    await report()
    await ageLast()
    await repository.pushToBranch('main', { 'configs/second.yaml': wasteful })
    await report()
    const [before] = await repository.issues()
    await report()
    const [after] = await repository.issues()
    expect(after?.body).toBe(before?.body)
  })
})

describe('a merged pull request', () => {
  test('enters the ledger with what it saves, and the branch is looked at again', async () => {
    const { repository, place } = await repositoryWith({ [path]: wasteful })
    await merged(repository, { [path]: better })

    const kept = new KeptRepositories(database)
    const ledger = await kept.ledger(place, { limit: 10 })
    expect(ledger?.items).toEqual([
      expect.objectContaining({ kind: 'saved', path, fromBatch: 2, toBatch: 32, provenance: 'estimated' }),
    ])
    // 2 hours × 100 runs × $1.29, less by the speedup of 5.7.
    expect(ledger?.totals.savedPerYearUsd).toBeCloseTo(212, 0)
    const configs = await kept.configs(place, 'waste', { limit: 10 })
    expect(configs?.items.map(({ current }) => current.microBatch)).toEqual([32])
  })

  test('with an accepted config enters who accepted it, and the report tells both', async () => {
    const { repository, place, report } = await repositoryWith({ [path]: better })
    await merged(repository, { [path]: wasteful }, '/memorymark accept the GPU is shared')

    const kept = new KeptRepositories(database)
    const ledger = await kept.ledger(place, { limit: 10 })
    expect(ledger?.items.map(({ kind }) => kind).sort()).toEqual(['accepted', 'saved'])
    expect(ledger?.totals.savedPerYearUsd).toBeLessThan(0)
    expect((await kept.decisions(place, { limit: 10 }))?.items).toEqual([
      expect.objectContaining({ kind: 'accepted', acceptedBy: 'maintainer', reason: 'the GPU is shared' }),
    ])
    await report()
    const [issue] = await repository.issues()
    expect(issue?.body).toMatch(/\| +#1 \| `configs\/bert.yaml` \| `maintainer` +\| the GPU is shared \|/)
  })

  test('is entered as measured where a run has timed both sides', async () => {
    const { repository, place } = await repositoryWith({ [path]: wasteful })
    const [before, after] = [blobOf(wasteful), blobOf(better)]
    await keepReported(database, place, 'a'.repeat(40), [
      await timed(wasteful, 200, { blobSha: before, baseBlobSha: '' }),
      await timed(better, 400, { blobSha: after, baseBlobSha: before }),
    ])
    await merged(repository, { [path]: better })

    const ledger = await new KeptRepositories(database).ledger(place, { limit: 10 })
    expect(ledger?.items).toEqual([expect.objectContaining({ kind: 'saved', provenance: 'measured' })])
    // Twice as fast: half of 2 hours × 100 runs × $1.29.
    expect(ledger?.totals.savedPerYearUsd).toBeCloseTo(129, 6)
  })

  test.each([
    ['as measured', 'the same', 1, 'measured'],
    ['as estimated', 'another', 3, 'estimated'],
  ])(
    'is entered %s where a file that its config names was %s when it was measured',
    async (_, __, stage, provenance) => {
      const [before, after] = [wasteful, better].map(text => `${text}deepspeed: configs/ds.json\n`) as [string, string]
      const { repository, place } = await repositoryWith({ [path]: before, 'configs/ds.json': zero(1) })
      const blobs = { blobSha: blobOf(before), baseBlobSha: '' }
      const newer = { blobSha: blobOf(after), baseBlobSha: blobOf(before) }
      await keepReported(database, place, 'a'.repeat(40), [
        await timed(before, 200, blobs, { 'configs/ds.json': zero(stage) }),
        await timed(after, 400, newer, { 'configs/ds.json': zero(1) }),
      ])
      await merged(repository, { [path]: after })
      const ledger = await new KeptRepositories(database).ledger(place, { limit: 10 })
      expect(ledger?.items.map(item => item.provenance)).toEqual([provenance])
    },
  )

  test('that changes no config leaves no trace', async () => {
    const { repository, place } = await repositoryWith({ [path]: wasteful })
    await merged(repository, { 'README.md': '# Other\n' })
    const rows = await database.query('SELECT 1 FROM memorymark.ledger_entries WHERE repository_id = $1', [
      place.repositoryId,
    ])
    expect(rows).toEqual([])
  })
})
