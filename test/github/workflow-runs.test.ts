import { expect, test } from 'vitest'
import { call, world } from './caller.ts'

const workflow = `name: Measure
run-name: Measure \${{ inputs.sha }}
on:
  workflow_dispatch:
    inputs:
      sha: { required: true }
      number: {}
`

async function measurable() {
  const at = await world()
  await at.repository.pushToBranch('main', {
    '.github/workflows/measure.yml': workflow,
    '.github/workflows/test.yml': 'name: Test\non: push\n',
  })
  const token = await at.github.botToken()
  const send = async (method: string, path: string, body?: object) => {
    const answer = await call(at.github, token, method, `/repos/acme/models/actions/${path}`, body)
    return { status: answer.status, json: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }
  return { ...at, send, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

const dispatches = 'workflows/measure.yml/dispatches'

test('a dispatch starts a run on the default branch, which is listed, finished and told of', async () => {
  await using at = await measurable()
  const inputs = { sha: 'abc', number: '7' }
  expect(await at.send('POST', dispatches, { ref: 'main', inputs })).toEqual({ status: 204, json: undefined })

  const { json } = await at.send('GET', 'workflows/measure.yml/runs?event=workflow_dispatch&status=queued')
  expect(json).toMatchObject({
    total_count: 1,
    workflow_runs: [
      { display_title: 'Measure abc', head_sha: await at.repository.branchHead('main'), pull_requests: [] },
    ],
  })
  const [run] = at.repository.workflowRuns()
  if (run === undefined) throw new Error('No run was dispatched')
  expect(at.repository.inputsOf(run)).toEqual(inputs)
  await at.repository.finishRun(await at.repository.startRun(run), { artifact: Buffer.from('zipped') })
  await at.github.settled()
  const told = at.github.deliveries.filter(({ event }) => event === 'workflow_run')
  expect(told.map(({ action }) => action)).toEqual(['requested', 'in_progress', 'completed'])
  expect((await at.send('GET', `runs/${run.id}/artifacts`)).json).toMatchObject({ total_count: 1 })
})

test('a dispatch answers with the run where it is asked to', async () => {
  await using at = await measurable()
  const body = { ref: 'main', inputs: { sha: 'abc' }, return_run_details: true }
  const { status, json } = await at.send('POST', dispatches, body)
  expect([status, json.workflow_run_id]).toEqual([200, at.repository.workflowRuns()[0]?.id])
})

test.each([
  ['a workflow that is not there', 'workflows/none.yml/dispatches', { ref: 'main' }, 404],
  ['a workflow without that trigger', 'workflows/test.yml/dispatches', { ref: 'main' }, 422],
  ['a branch that is not there', dispatches, { ref: 'none', inputs: { sha: 'abc' } }, 422],
  ['an input that the workflow does not declare', dispatches, { ref: 'main', inputs: { sha: 'a', x: 'y' } }, 422],
  ['a required input left out', dispatches, { ref: 'main' }, 422],
])('a dispatch is refused for %s', async (_, path, body, status) => {
  await using at = await measurable()
  expect((await at.send('POST', path, body)).status).toBe(status)
  expect(at.repository.workflowRuns()).toEqual([])
})

test('runs are listed by event, head and status, newest first', async () => {
  await using at = await measurable()
  const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const finished = await at.repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha })
  await at.send('POST', dispatches, { ref: 'main', inputs: { sha: 'abc' } })
  const ids = async (query: string) => {
    const { json } = await at.send('GET', `runs?${query}`)
    return json.workflow_runs.map((run: { id: number }) => run.id)
  }
  expect(await ids('')).toHaveLength(2)
  expect(await ids('event=pull_request')).toEqual([finished.id])
  expect(await ids(`head_sha=${pullRequest.headSha}`)).toEqual([finished.id])
  expect(await ids('status=success')).toEqual([finished.id])
  expect(await ids('status=in_progress')).toEqual([])
})

test('a run is cancelled once', async () => {
  await using at = await measurable()
  const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const run = await at.repository.queueWorkflowRun(pullRequest, { headSha: pullRequest.headSha })
  expect((await at.send('POST', `runs/${run.id}/cancel`)).status).toBe(202)
  expect((await at.send('POST', `runs/${run.id}/cancel`)).status).toBe(409)
  expect(at.repository.workflowRuns()[0]).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
})
