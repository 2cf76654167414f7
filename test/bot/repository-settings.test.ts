import { expect, test } from 'vitest'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

async function world(settings: string | undefined) {
  const beside = await startBotBesideGitHub()
  const base = { 'README.md': '# Models\n', ...(settings !== undefined && { '.github/memorymark.yml': settings }) }
  const repository = await beside.github.createRepository('models', base)
  const check = async (files: Readonly<Record<string, string>>) => {
    const pullRequest = await repository.openPullRequest({ files })
    await beside.bot.idle()
    return (await repository.checkRuns(pullRequest.headSha)).at(0)
  }
  return { check, [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose]() }
}

const config = { 'configs/bert.yaml': trainingConfig(16) }
const lenient = 'gpu: h100\nfail-on: never\nignore: ["old/**"]\n'

test('the settings of the default branch decide', async () => {
  await using beside = await world(lenient)
  const check = await beside.check({ ...config, 'old/bert.yaml': trainingConfig(16) })
  expect(check).toMatchObject({
    conclusion: 'success',
    output: { title: 'The training config fits and is within policy' },
  })
  expect(check?.output.summary).toContain('H100')
})

test('settings that the pull request brings along do not', async () => {
  await using beside = await world(undefined)
  expect(await beside.check({ ...config, '.github/memorymark.yml': lenient })).toMatchObject({ conclusion: 'failure' })
})

test('broken settings are told on the check with line and field, dead as Markdown, and the built-in ones hold', async () => {
  await using beside = await world('gpu: a11\nfail_on: "@acme/team"\n')
  const check = await beside.check(config)
  expect(check).toMatchObject({ conclusion: 'failure' })
  const [settings = '', first = ''] = (check?.output.summary ?? '').split('`.github/memorymark.yml`')
  expect(settings).toBe('The settings on the default branch cannot be read, so the built-in ones hold. ')
  expect(first).toMatch(/^, line 1, column 6, `gpu`: "a11" is not a GPU of the catalogue\. Did you mean a10\?/)
  expect(check?.output.summary).not.toContain('@acme')
})
