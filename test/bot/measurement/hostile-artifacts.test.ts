/** Whoever opens a pull request can have anything uploaded as the artifact of its workflow run. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type Repository, zeros } from '../../github/index.ts'
import { fine, reportOf } from '../../render/fixtures.ts'
import { startBotBesideGitHub } from '../bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from '../configs.ts'
import { reportZip, zipOf } from '../zips.ts'
import { bomb } from './bombs.ts'

const config = 'configs/bert.yaml'
const MIB = 2 ** 20
const green = reportOf([fine({ path: config, provenance: 'measured' })])
const entries = (count: number) =>
  zipOf({
    'memorymark-report.json': green,
    ...Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`${i}`, ''])),
  })

/** A pull request that the bot's own estimate holds back. */
async function heldBack() {
  const beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const { github, bot } = beside
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  const opened = async (file: string) => {
    const pullRequest = await repository.openPullRequest({ files: { [file]: trainingConfig(16) } })
    await bot.idle()
    return pullRequest
  }
  const finished = async (...run: Parameters<Repository['finishWorkflowRun']>) => {
    await repository.finishWorkflowRun(...run)
    await bot.idle()
  }
  const newestCheck = async (headSha: string) => (await repository.checkRuns(headSha)).at(-1)
  return {
    ...beside,
    repository,
    opened,
    finished,
    newestCheck,
    [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose](),
  }
}

describe('an artifact is refused with its reason on the check, and turns nothing green', () => {
  test.each([
    ['that is no archive', () => Buffer.from('hello'), 'it is not a zip archive'],
    ['of 10,000 entries', () => entries(10_000), 'it contains more than 20 files'],
    [
      'whose entry climbs out',
      () => zipOf({ '../../memorymark-report.json': green }),
      'it does not contain memorymark-report.json',
    ],
    [
      'whose entry is absolute',
      () => zipOf({ '/memorymark-report.json': green }),
      'it does not contain memorymark-report.json',
    ],
    [
      'of another schema',
      () => reportZip({ ...green, schema: 'memorymark/v9' }),
      'its report does not follow the report schema',
    ],
    [
      'whose report has no configs',
      () => reportZip({ schema: green.schema }),
      'its report does not follow the report schema',
    ],
    ['whose report is not JSON', () => reportZip('{"schema":'), 'its report does not follow the report schema'],
    [
      'that is a bomb and says so',
      () => bomb({ mib: 64, entry: 'memorymark-report.json' }),
      'its report is larger than 20 MiB',
    ],
    [
      'that is a bomb and hides it',
      () => bomb({ mib: 64, entry: 'memorymark-report.json', declaredBytes: 1_024 }),
      'it is damaged',
    ],
  ])('%s', async (_, make, why) => {
    await using at = await heldBack()
    const pullRequest = await at.opened(config)
    const [comment] = await at.repository.comments(pullRequest)
    await at.finished(pullRequest, { headSha: pullRequest.headSha, artifact: await make() })

    const check = await at.newestCheck(pullRequest.headSha)
    expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(check?.output.summary).toContain(`The report of the workflow run was not used: ${why}.`)
    const comments = await at.repository.comments(pullRequest)
    expect(comments.map(({ id }) => id)).toEqual([comment?.id])
  })

  test.each([
    ['that says so, without a byte of it being read', 200 * MIB, 0],
    ['that says to be 1 KiB, before 16 MiB of it are read', 1_024, 16 * MIB],
  ])('of 200 MiB %s', async (_, claimedSizeBytes, mostServedBytes) => {
    await using at = await heldBack()
    const pullRequest = await at.opened(config)
    const run = { headSha: pullRequest.headSha, artifact: zeros(200 * MIB), claimedSizeBytes }
    await at.finished(pullRequest, run)

    const check = await at.newestCheck(pullRequest.headSha)
    expect(check?.conclusion).toBe('failure')
    expect(check?.output.summary).toContain(
      'The report of the workflow run was not used: its archive is larger than 5 MiB.',
    )
    expect(at.github.servedArtifactBytes).toBeLessThanOrEqual(mostServedBytes)
  })
})

describe('a report counts for the pull request and the commit that GitHub names for its run', () => {
  test('whatever pull request and commit it names itself', async () => {
    await using at = await heldBack()
    const own = await at.opened(config)
    const other = await at.opened('configs/other.yaml')
    const forged = reportOf([fine({ path: 'configs/other.yaml', provenance: 'measured' })])
    const artifact = reportZip({ ...forged, pullRequest: other.number, headSha: other.headSha })
    await at.finished(own, { headSha: own.headSha, artifact })

    expect((await at.newestCheck(other.headSha))?.conclusion).toBe('failure')
    const check = await at.newestCheck(own.headSha)
    expect(check?.conclusion).toBe('failure')
    expect(check?.output.summary).toContain(
      'The report of the workflow run was not used: it is about no config that this pull request changes.',
    )
    expect(at.log()).toContain('"foreign":1,"msg":"A report tells of configs that are not its own"')
  })

  test('so a run of a commit that is not the newest says nothing about the newest', async () => {
    await using at = await heldBack()
    const pullRequest = await at.opened(config)
    const older = pullRequest.headSha
    await at.repository.pushTo(pullRequest, { [config]: trainingConfig(32) })
    await at.bot.idle()
    await at.finished(pullRequest, { headSha: older, artifact: reportZip(green) })
    expect((await at.newestCheck(pullRequest.headSha))?.conclusion).toBe('failure')
  })

  test('and a run of a commit that no pull request has says nothing at all', async () => {
    await using at = await heldBack()
    const pullRequest = await at.opened(config)
    const before = await at.newestCheck(pullRequest.headSha)
    await at.finished(pullRequest, { headSha: 'f'.repeat(40), artifact: reportZip(green) })
    expect(await at.newestCheck(pullRequest.headSha)).toEqual(before)
  })
})

describe('reading a report of many values takes little memory of the bot', () => {
  test.each([
    ['lists in each other', `{"configs":${'['.repeat(9_000_000)}${']'.repeat(9_000_000)}}`, /too much time or memory/],
    ['empty configs', `{"configs":[${'{},'.repeat(5_000_000)}{}]}`, /too much time or memory|does not follow/],
  ])('%s', { timeout: 60_000 }, async (_, text, why) => {
    const { reading, grownKib } = await readInProcess(Buffer.from(reportZip(text)))
    expect(reading).toEqual({ kind: 'unusable', why: expect.stringMatching(why) })
    expect(grownKib).toBeLessThan(128 * 1_024)
  })
})

describe('reading an archive of 512 MiB takes little memory', () => {
  test.each([
    ['that says so', undefined, 'its report is larger than 20 MiB'],
    ['that says to be 19 MiB', 19 * MIB, 'it is damaged'],
  ])('%s', async (_, declaredBytes, why) => {
    const entry = 'memorymark-report.json'
    const zip = bomb({ mib: 512, entry, ...(declaredBytes === undefined ? {} : { declaredBytes }) })
    expect(zip.byteLength).toBeLessThan(MIB)
    const { reading, grownKib } = await readInProcess(zip)
    expect(reading).toEqual({ kind: 'unusable', why })
    expect(grownKib).toBeLessThan(128 * 1_024)
  })
})

async function readInProcess(zip: Buffer): Promise<{ readonly reading: unknown; readonly grownKib: number }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'read-archive.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(zip)
  return JSON.parse(await text(child.stdout)) as { reading: unknown; grownKib: number }
}
