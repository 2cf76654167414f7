/** A GPU run that is due: dispatched, waited for, and over in every way that it can be. */
import { describe, expect, test } from 'vitest'
import type { Analyze } from '../../../bot/github.ts'
import type { Job } from '../../../bot/queue/jobs.ts'
import { owner, type PullRequest } from '../../github/index.ts'
import { fine, reportOf } from '../../render/fixtures.ts'
import { startBotBesideGitHub } from '../bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from '../configs.ts'
import { lendDatabase } from '../databases.ts'
import { reportZip } from '../zips.ts'

const path = 'configs/bert.yaml'
const measured = reportZip(reportOf([fine({ path, provenance: 'measured' })]))
const estimated = reportZip(reportOf([fine({ path, provenance: 'estimated' })]))

const sweepWorkflow = `
name: Sweep
on:
  workflow_dispatch:
    inputs:
      pull-request: { required: true }
      head-sha: { required: true }
`

interface Scene {
  readonly analyze?: Analyze
  readonly files?: Readonly<Record<string, string>>
  readonly by?: 'pull-request' | 'dispatch'
  readonly fork?: boolean
  readonly microBatch?: number
  readonly workflow?: string
}

/** A pull request whose settings make a GPU run due. */
async function duePull(scene: Scene = {}) {
  const {
    by = 'dispatch',
    fork = false,
    microBatch = 16,
    workflow = sweepWorkflow,
    analyze = judgeByMicroBatch,
  } = scene
  const database = await lendDatabase()
  const beside = await startBotBesideGitHub({ analyze, database })
  const { github, bot } = beside
  const repository = await github.createRepository('models', {
    '.github/memorymark.yml': `measure: { by: ${by} }\n`,
    '.github/workflows/memorymark-sweep.yml': workflow,
  })
  const pull = await repository.openPullRequest({ fork, files: { [path]: trainingConfig(microBatch), ...scene.files } })
  const settle = async () => {
    await github.settled()
    await bot.idle()
  }
  await settle()
  return {
    ...beside,
    repository,
    pull,
    settle,
    run: () => {
      const [run] = repository.workflowRuns()
      if (run === undefined) throw new Error('No run was started')
      return run
    },
    check: async (of: PullRequest = pull) => {
      const check = (await repository.checkRuns(of.headSha)).at(-1)
      return {
        status: check?.status,
        conclusion: check?.conclusion ?? undefined,
        title: check?.output.title,
        summary: check?.output.summary ?? '',
      }
    },
    /** Moves what has been waited for into the past, and has the deadlines enforced. */
    later: async (minutes: number) => {
      await database.query(`UPDATE memorymark.measurements SET due_at = due_at - $1 * interval '1 minute'`, [minutes])
      await database.query(`UPDATE memorymark.open_checks SET deadline_at = deadline_at - $1 * interval '1 minute'`, [
        minutes,
      ])
      const deadlines: Job = { kind: 'deadlines' }
      await bot.send(deadlines)
      await settle()
    },
    [Symbol.asyncDispose]: async () => {
      await beside[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

describe('by dispatch', () => {
  test('the workflow of the default branch is started once, with the number and the commit as data', async () => {
    await using at = await duePull()
    expect(at.repository.workflowRuns()).toHaveLength(1)
    expect(at.repository.inputsOf(at.run())).toEqual({
      'pull-request': String(at.pull.number),
      'head-sha': at.pull.headSha,
    })
    expect(at.run()).toMatchObject({ event: 'workflow_dispatch', head_branch: 'main' })
  })

  test('the check shows the estimate and waits; the comment says what is to come', async () => {
    await using at = await duePull()
    expect(await at.check()).toMatchObject({
      status: 'in_progress',
      title: 'The training config wastes its GPU; measuring…',
    })
    expect((await at.repository.comments(at.pull))[0]?.body).toContain(
      'A GPU run is due and will replace these estimates.',
    )
  })

  test('its measurement decides', async () => {
    await using at = await duePull()
    await at.repository.finishRun(at.run(), { artifact: measured, conclusion: 'failure' })
    await at.settle()
    expect(await at.check()).toMatchObject({
      status: 'completed',
      conclusion: 'success',
      title: 'The training config fits and is within policy',
    })
    expect((await at.repository.comments(at.pull))[0]?.body).not.toContain('A GPU run is due')
  })

  test('holds for a later push that leaves the config alone, without another run', async () => {
    await using at = await duePull()
    await at.repository.finishRun(at.run(), { artifact: measured })
    await at.settle()
    await at.repository.pushTo(at.pull, { 'README.md': '# Models\n' })
    await at.settle()
    expect(await at.check()).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(at.repository.workflowRuns()).toHaveLength(1)
  })

  test('does not hold once a file that the config names is another, whatever the report says of it', async () => {
    const besideSettings: Analyze = async (files, { sources }) => {
      const text = await sources.readFile?.('configs/ds.json')
      const otherFiles = [{ path: 'configs/ds.json', blobSha: `of ${text}` }]
      const judged = await judgeByMicroBatch(files)
      return { ...judged, configs: judged.configs.map(config => ({ ...config, otherFiles })) }
    }
    await using at = await duePull({ analyze: besideSettings, files: { 'configs/ds.json': 'stage 2' } })
    const otherFiles = [{ path: 'configs/ds.json', blobSha: 'of stage 3' }]
    const artifact = reportZip(reportOf([fine({ path, provenance: 'measured', otherFiles })]))
    await at.repository.finishRun(at.run(), { artifact })
    await at.settle()
    expect(await at.check()).toMatchObject({ status: 'completed', conclusion: 'success' })

    await at.repository.pushTo(at.pull, { 'README.md': '# Models\n' })
    await at.settle()
    expect(at.repository.workflowRuns()).toHaveLength(1)
    await at.repository.pushTo(at.pull, { 'configs/ds.json': 'stage 3' })
    await at.settle()
    expect(at.repository.workflowRuns()).toHaveLength(2)
    expect(await at.check()).toMatchObject({ status: 'in_progress' })
  })

  test('a run that somebody else dispatched decides nothing', async () => {
    await using at = await duePull()
    const inputs = { 'pull-request': String(at.pull.number), 'head-sha': at.pull.headSha }
    const answer = await fetch(`${at.github.url}/repos/acme/models/actions/workflows/memorymark-sweep.yml/dispatches`, {
      method: 'POST',
      headers: { authorization: `token ${owner.token}` },
      body: JSON.stringify({ ref: 'main', inputs }),
    })
    expect(answer.status).toBe(204)
    const foreign = at.repository.workflowRuns().find(run => run.actor.login === owner.login)
    if (foreign === undefined) throw new Error('No run was started')
    await at.repository.finishRun(foreign, { artifact: measured })
    await at.settle()
    expect(await at.check()).toMatchObject({ status: 'in_progress' })
  })

  test('a newcomer’s commit from a fork is measured only with leave', async () => {
    await using at = await duePull({ fork: true })
    expect(at.repository.workflowRuns()).toEqual([])
    const check = await at.check()
    expect(check).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      title: 'The training config wastes its GPU; measurement needs /memorymark ok',
    })
    expect(check.summary).toContain(`/memorymark ok ${at.pull.headSha}`)

    await at.repository.comment(at.pull, `/memorymark ok ${at.pull.headSha}`)
    await at.settle()
    expect(at.repository.workflowRuns()).toHaveLength(1)
    expect(await at.check()).toMatchObject({ status: 'in_progress' })
  })

  test('a push ends the check of the older commit and its run', async () => {
    await using at = await duePull()
    const older = { ...at.pull } as PullRequest
    const run = at.run()
    await at.repository.pushTo(at.pull, { [path]: trainingConfig(32) })
    await at.settle()
    expect(await at.check(older)).toMatchObject({
      status: 'completed',
      conclusion: 'cancelled',
      title: 'No longer measured',
    })
    expect(at.repository.workflowRuns().find(({ id }) => id === run.id)?.conclusion).toBe('cancelled')
    expect(await at.check()).toMatchObject({ status: 'in_progress' })
  })

  test('closing the pull request ends its check', async () => {
    await using at = await duePull()
    await at.repository.close(at.pull)
    await at.settle()
    expect(await at.check()).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  })
})

describe('a required check never stays pending', () => {
  test('where no runner takes the run: first it says so, then it goes by the estimate', async () => {
    await using at = await duePull({ microBatch: 128 })
    await at.later(61)
    const check = await at.check()
    expect(check).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      title: 'The training config fits and is within policy; no runner picked up the measurement',
    })
    expect(check.summary).toContain('re-run this check')
  })

  test('where the run takes too long', async () => {
    await using at = await duePull()
    await at.repository.startRun(at.run())
    await at.later(61)
    expect(await at.check()).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      title: 'The training config wastes its GPU; the measurement timed out',
    })
  })

  test.each([
    ['cancelled', { conclusion: 'cancelled' }, 'the measurement was cancelled'],
    ['timed out', { conclusion: 'timed_out' }, 'the measurement timed out'],
    ['failed', { conclusion: 'failure' }, 'the measurement failed'],
    ['left no report', {}, 'not measured'],
    ['reported, but from no GPU', { artifact: estimated }, 'not measured'],
    ['left a report that cannot be used', { artifact: Buffer.from('hello') }, 'not measured'],
  ])('where the run %s', async (_, result, words) => {
    await using at = await duePull({ microBatch: 128 })
    await at.repository.finishRun(at.run(), result)
    await at.settle()
    expect(await at.check()).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      title: `The training config fits and is within policy; ${words}`,
    })
  })

  test('where GitHub refuses to start the workflow', async () => {
    await using at = await duePull({
      workflow: 'on: { workflow_dispatch: { inputs: { other: { required: true } } } }\n',
    })
    const check = await at.check()
    expect(check).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      title: 'The training config wastes its GPU; not measured',
    })
    expect(check.summary).toContain('exactly the inputs pull-request and head-sha')
  })

  test('where the pull request’s own workflow never starts', async () => {
    await using at = await duePull({ by: 'pull-request' })
    expect(await at.check()).toMatchObject({ status: 'in_progress' })
    await at.later(6)
    const check = await at.check()
    expect(check).toMatchObject({ status: 'completed', title: 'The training config wastes its GPU; not measured' })
    expect(check.summary).toContain('did not start for this commit')
  })
})

test('Re-run measures again', async () => {
  await using at = await duePull()
  await at.repository.finishRun(at.run(), { conclusion: 'failure' })
  await at.settle()
  const [check] = await at.repository.checkRuns(at.pull.headSha)
  if (check === undefined) throw new Error('There is no check')
  await at.repository.requestCheckAction(check, 'rerun')
  await at.settle()
  expect(at.repository.workflowRuns()).toHaveLength(2)
  expect(await at.check()).toMatchObject({ status: 'in_progress' })
})
