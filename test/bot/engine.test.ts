import { expect, test } from 'vitest'
import { onA10 } from '../on-a10.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

test('the engine’s verdict on BERT at micro-batch 16 arrives on the pull request', async () => {
  await using beside = await startBotBesideGitHub()
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(2) } })
  await beside.bot.idle()

  const [check] = await repository.checkRuns(pullRequest.headSha)
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' })
  expect(repository.annotations(check?.id ?? 0)).toMatchObject([
    { path: 'configs/bert.yaml', start_line: 3, end_line: 3 },
  ])
  expect((await repository.comments(pullRequest))[0]?.body).toContain(
    'MemoryMark: the training config trains slower than it could',
  )
})

test('a team named in a model id is not mentioned, and Markdown in it is dead', async () => {
  await using beside = await startBotBesideGitHub()
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const model = '@acme/gpu-team ![x](https://evil.example/x.png) <img src=x>'
  const pullRequest = await repository.openPullRequest({ files: { 'configs/evil.yaml': trainingConfig(2, model) } })
  await beside.bot.idle()

  const [comment] = await repository.comments(pullRequest)
  const [check] = await repository.checkRuns(pullRequest.headSha)
  for (const markdown of [comment?.body, check?.output.summary, check?.output.text]) {
    expect(outsideCode(markdown ?? '')).not.toMatch(/@acme|!\[x\]|<img/)
  }
  expect(comment?.body).toContain('could not be analysed')
})

test('one unreadable config does not keep the others from being analysed', async () => {
  await using beside = await startBotBesideGitHub()
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const pullRequest = await repository.openPullRequest({
    files: {
      'configs/bert.yaml': trainingConfig(2),
      'configs/none.yaml': trainingConfig(0),
    },
  })
  await beside.bot.idle()

  const [comment] = await repository.comments(pullRequest)
  expect(comment?.body).toContain('1 of 2 training configs trains slower than it could, 1 could not be analysed')
  expect(comment?.body).toMatch(/`configs\/none\.yaml.*3/)
})

test('a file of DeepSpeed that a config names is read at the head, together with the others', async () => {
  await using beside = await startBotBesideGitHub()
  const repository = await beside.github.createRepository('models', {
    'configs/ds.json': '{"zero_optimization": {"stage": 1}}',
  })
  const pullRequest = await repository.openPullRequest({
    files: {
      'configs/bert.yaml': `${trainingConfig(100_000)}deepspeed: configs/ds.json\n`,
      'configs/ds.json': '{"zero_optimization": {"stage": 3}}',
    },
  })
  await beside.bot.idle()

  expect((await repository.comments(pullRequest))[0]?.body).toContain('ZeRO stage 3: read from "configs/ds.json"')
  const reads = beside.github.requests.filter(({ path }) =>
    decodeURIComponent(path).includes('contents/configs/ds.json'),
  )
  expect(reads).toEqual([])
})

/** GitHub mentions nobody and renders nothing inside code spans. */
function outsideCode(markdown: string): string {
  return markdown.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
}
