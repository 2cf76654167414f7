/** What load balancers and Prometheus see. */
import { expect, test } from 'vitest'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

test('GET /ready says that the database answers', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const response = await fetch(`${beside.bot.origin}/ready`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }])
})

test('GET /metrics counts deliveries, jobs, calls and verdicts, and knows no event that a stranger makes up', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await beside.bot.idle()
  const headers = { 'x-github-delivery': 'forged', 'x-github-event': 'made_up', 'x-hub-signature-256': 'sha256=0' }
  await fetch(beside.bot.webhooksUrl, { method: 'POST', headers, body: '{}' })

  const text = await (await fetch(`${beside.bot.origin}/metrics`)).text()
  const lines = text.split('\n')
  expect(lines).toContain('memorymark_deliveries_total{event="pull_request",answer="accepted"} 1')
  expect(lines).toContain('memorymark_deliveries_total{event="other",answer="refused"} 1')
  expect(lines).toContain('memorymark_jobs_ended_total{kind="pull-request",outcome="done"} 1')
  expect(lines).toContain('memorymark_verdicts_total{state="failure"} 1')
  expect(text).toMatch(/memorymark_api_calls_total\{method="POST",status="201"\} \d/)
  expect(text).toContain('memorymark_oldest_job_seconds 0')
  expect(text).not.toContain('made_up')
})

test('the log follows a delivery to its pull request, without payloads or tokens', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  const title = 'A title that only the payload has'
  const pull = await repository.openPullRequest({ title, files: { 'configs/bert.yaml': trainingConfig(16) } })
  await beside.bot.idle()

  const entries = beside
    .log()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  const delivery = beside.github.deliveries.find(({ event }) => event === 'pull_request')?.id
  const taken = entries.find(entry => entry.delivery === delivery && entry.msg === 'A webhook was taken')
  expect(taken?.jobs).toEqual([expect.stringMatching(new RegExp(`/pull/${pull.number}$`))])
  expect(entries.find(({ msg }) => msg === 'A pull request is up to date')).toMatchObject({
    pull: pull.number,
    head: pull.headSha,
  })
  expect(beside.log()).not.toContain(title)
  expect(beside.log()).not.toMatch(/ghs_|Bearer|BEGIN .*PRIVATE KEY/)
})
