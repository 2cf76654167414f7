import { describe, expect, test } from 'vitest'
import { writtenRuns } from '../../engine/calibration/file.ts'
import { runWith } from '../calibration/runs.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'

async function world(settings: string | undefined, files: Readonly<Record<string, string>> = {}) {
  const beside = await startBotBesideGitHub()
  const base = {
    'README.md': '# Models\n',
    ...files,
    ...(settings !== undefined && { '.github/memorymark.yml': settings }),
  }
  const repository = await beside.github.createRepository('models', base)
  const check = async (files: Readonly<Record<string, string | null>>) => {
    const pullRequest = await repository.openPullRequest({ files })
    await beside.bot.idle()
    return (await repository.checkRuns(pullRequest.headSha)).at(0)
  }
  const setSettings = (text: string) => repository.pushToBranch('main', { '.github/memorymark.yml': text })
  return { check, setSettings, [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose]() }
}

const config = { 'configs/bert.yaml': trainingConfig(2) }
const lenient = 'gpu: h100\nfail-on: never\nwarn-on: never\nignore: ["old/**"]\n'

test('the settings of the default branch decide', async () => {
  await using beside = await world(lenient)
  const check = await beside.check({ ...config, 'old/bert.yaml': trainingConfig(2) })
  expect(check).toMatchObject({
    conclusion: 'success',
    output: { title: 'The training config fits and is within policy' },
  })
  expect(check?.output.summary).toContain('H100')
})

test('settings that the pull request brings along do not', async () => {
  await using beside = await world('gpu: a10\n')
  expect(await beside.check({ ...config, '.github/memorymark.yml': lenient })).toMatchObject({ conclusion: 'failure' })
})

test('what the runs of the team measured corrects the estimates; a file that cannot be read is told, and corrects nothing', async () => {
  const path = '.github/memorymark-calibration.json'
  const settings = `gpu: a10\nfail-on: never\ncalibration: ${path}\n`
  await using beside = await world(settings, { [path]: writtenRuns([runWith({ speed: 0.9 })]) })
  const text = async () => {
    const check = await beside.check(config)
    return `${check?.output.summary}\n${check?.output.text}`
  }
  expect(await text()).toContain('throughput modelled, calibrated on 1 run of this runner')
  await using broken = await world(settings, { [path]: '[]' })
  const check = await broken.check(config)
  expect(check?.output.summary).toContain('Nothing is calibrated.')
  expect(check?.output.summary).toContain('it is no calibration file')
  expect(check?.output.text).not.toContain('calibrated on')
})

test('broken settings are told on the check with line and field, dead as Markdown, and the built-in ones hold', async () => {
  await using beside = await world('gpu: a11\nfail_on: "@acme/team"\n')
  const check = await beside.check(config)
  expect(check).toMatchObject({ conclusion: 'neutral' })
  const [settings = '', first = ''] = (check?.output.summary ?? '').split('`.github/memorymark.yml`')
  expect(settings).toBe('The settings on the default branch cannot be read, so the built-in ones apply. ')
  expect(first).toMatch(/^, line 1, column 6, `gpu`: "a11" is not a GPU in the catalogue\. Did you mean a10\?/)
  expect(check?.output.summary).not.toContain('@acme')
})

test('while the settings are broken, the last that could be read hold', async () => {
  await using beside = await world('fail-on: never\n')
  expect(await beside.check(config)).toMatchObject({ conclusion: 'neutral' })
  await beside.setSettings('fail-on: sometimes\n')
  const check = await beside.check({ 'configs/other.yaml': trainingConfig(2) })
  expect(check?.conclusion).toBe('neutral')
  expect(check?.output.summary).toContain('so the last valid ones apply.')
})

describe('a config that was bad on the base branch', () => {
  test('does not block a pull request that makes it no worse, and the check says why', async () => {
    await using beside = await world('gpu: a10\n', config)
    const check = await beside.check({ 'configs/bert.yaml': `${trainingConfig(2)}seed: 7\n` })
    expect(check).toMatchObject({
      conclusion: 'neutral',
      output: { title: 'The training config trains slower than it could' },
    })
    expect(check?.output.summary).toContain('This does not block: the base branch was no better.')
  })

  test('blocks when it gets worse, or where the settings say so', async () => {
    await using worse = await world('gpu: a10\n', config)
    expect(await worse.check({ 'configs/bert.yaml': trainingConfig(1) })).toMatchObject({ conclusion: 'failure' })
    await using strict = await world('gpu: a10\njudge: all\n', config)
    const same = { 'configs/bert.yaml': `${trainingConfig(2)}seed: 7\n` }
    expect(await strict.check(same)).toMatchObject({ conclusion: 'failure' })
  })
})
