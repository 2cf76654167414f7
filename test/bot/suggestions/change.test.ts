import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maintainer, owner, PullRequest } from '../../github/index.ts'
import { onA10 } from '../../on-a10.ts'
import { type BotBesideGitHub, startBotBesideGitHub } from '../bot-beside-github.ts'
import { wastefulText } from '../wasteful-text.ts'

const path = 'configs/bert.yaml'
const fixed = wastefulText({ microBatch: 32, accumulation: 1 })
let beside: BotBesideGitHub

beforeAll(async () => {
  beside = await startBotBesideGitHub()
})
afterAll(() => beside[Symbol.asyncDispose]())

let repositories = 0

/** With the real engine, which knows on which line the batch size stands. */
async function pullChanging(before: string, after: string, options: { readonly fork?: boolean } = {}) {
  repositories += 1
  const repository = await beside.github.createRepository(`models-${repositories}`, { ...onA10, [path]: before })
  const pull = await repository.openPullRequest({ ...options, files: { [path]: after } })
  await beside.bot.idle()
  const comment = async () => (await repository.comments(pull)).at(0)?.body ?? ''
  const replies = async () => (await repository.comments(pull)).slice(1).filter(({ user }) => user.type === 'Bot')
  const ask = async (body: string, as = owner) => {
    await repository.comment(pull, body, as)
    await beside.bot.idle()
  }
  return { repository, pull, comment, replies, ask }
}

const wasteful = wastefulText({ microBatch: 2, accumulation: 16 })
const former = wastefulText({ microBatch: 64, accumulation: 1 })

describe('a batch size that the diff shows', () => {
  test('is suggested on its lines once, however often the pull request is looked at', async () => {
    const { repository, pull, comment } = await pullChanging(former, wasteful)
    await repository.pushTo(pull, { 'README.md': '# Other\n' })
    await beside.bot.idle()

    const suggestions = await repository.reviewComments(pull)
    expect(suggestions).toHaveLength(1)
    const [{ body, start_line: first, line: last } = { body: '', start_line: 0, line: 0 }] = suggestions
    expect([first, last]).toEqual([5, 6])
    expect(body).toContain('Micro-batch **2 → 32**, accumulation 16 → 1: same effective batch')
    expect(body).toContain('```suggestion\nper_device_train_batch_size: 32\ngradient_accumulation_steps: 1\n```')
    expect(await comment()).toContain('`/memorymark fix` opens a pull request with the change')
  })

  test('is suggested with the figures of the comment, also when these have changed since', async () => {
    const { repository, pull, comment } = await pullChanging(former, wasteful)
    const suggested = async () => (await repository.reviewComments(pull)).map(({ body }) => body)
    const [first = ''] = await suggested()
    await repository.pushTo(pull, { [path]: `${wasteful}gradient_checkpointing: true\n` })
    await beside.bot.idle()

    const [second = '', ...others] = await suggested()
    expect(others).toEqual([])
    expect(second).not.toBe(first)
    const gains = (text: string) => text.match(/[\d.–]+× the throughput/g)?.[0]
    expect(gains(second)).toBeDefined()
    expect(gains(second)).toBe(gains(await comment()))
    expect(gains(second)).not.toBe(gains(first))
  })

  test('is suggested anew when the lines are others', async () => {
    const { repository, pull } = await pullChanging(former, wasteful)
    await repository.pushTo(pull, { [path]: wastefulText({ microBatch: 4, accumulation: 8 }) })
    await beside.bot.idle()
    expect(await repository.reviewComments(pull)).toHaveLength(2)
  })

  test('is not suggested where it was accepted as it is', async () => {
    const { repository, pull, ask } = await pullChanging(former, former.replace('1.0e-4', '2.0e-4'))
    await repository.pushTo(pull, { [path]: wasteful })
    await ask('/memorymark accept the GPU is shared', maintainer)
    const before = beside.github.requests.length
    await repository.pushTo(pull, { [path]: `${wasteful}seed: 1\n` })
    await beside.bot.idle()
    const asked = beside.github.requests
      .slice(before)
      .filter(request => /\/(?:reviews|pulls\/1\/comments)/.test(request.path))
    expect(asked).toEqual([])
  })
})

describe('a batch size that the diff does not show', () => {
  test('is not suggested on a line, and the comment says how to have it changed', async () => {
    const padding = '# padding\n'.repeat(20)
    const before = `${wasteful}${padding}seed: 1\n`
    const { repository, pull, comment } = await pullChanging(before, before.replace('seed: 1', 'seed: 2'))
    expect(await repository.reviewComments(pull)).toEqual([])
    expect(await comment()).toContain('`/memorymark fix` opens a pull request with the change')
  })
})

describe('/memorymark fix', () => {
  test('opens one pull request onto the branch with the numbers replaced, and nothing else', async () => {
    const { repository, pull, replies, ask } = await pullChanging(former, wasteful)
    await ask('/memorymark fix')
    await ask('/memorymark fix', maintainer)

    const said = (await replies()).map(({ body }) => body.split('\n\n')[1])
    expect(said).toEqual(
      Array(2).fill(
        `#2 changes \`${path}\` to the recommended batch sizes. Merge it into \`${pull.branch}\` to apply them.`,
      ),
    )
    const fix = await repository.pullRequest({ number: 2 })
    expect(fix.base.ref).toBe(pull.branch)
    expect(await repository.fileAt(path, fix.head.sha)).toBe(fixed)
  })

  test('opens another where the last was closed, on the branch that it left', async () => {
    const { repository, replies, ask } = await pullChanging(former, wasteful)
    await ask('/memorymark fix')
    const first = await repository.pullRequest({ number: 2 })
    await repository.close(new PullRequest(2, first.head.ref, false, first.head.sha))
    await beside.bot.idle()
    await ask('/memorymark fix')
    const second = await repository.pullRequest({ number: 3 })
    expect(second.head.ref).toBe(first.head.ref)
    expect((await replies()).map(({ body }) => /#\d/.exec(body)?.[0])).toEqual(['#2', '#3'])
  })

  test('shows the lines to paste where the branch is a fork’s', async () => {
    const { replies, ask } = await pullChanging(former, wasteful, { fork: true })
    await ask('/memorymark fix')
    const [reply] = await replies()
    expect(reply?.body).toContain('This pull request comes from a fork, to which the bot cannot push.')
    expect(reply?.body).toContain(
      'Lines 5 and 6:\n\n```\nper_device_train_batch_size: 32\ngradient_accumulation_steps: 1\n```',
    )
  })

  test('says what has to be changed by hand', async () => {
    const aliased = wasteful.replace(
      'per_device_train_batch_size: 2',
      'size: &size 2\nper_device_train_batch_size: *size',
    )
    const { replies, ask } = await pullChanging(former, aliased)
    await ask('/memorymark fix')
    const [reply] = await replies()
    expect(reply?.body).toContain('has no plain number at line 6, column 30')
  })

  test('has nothing to do where nothing is to be changed', async () => {
    const { replies, ask } = await pullChanging(wasteful, wastefulText({ microBatch: 320, accumulation: 1 }))
    await ask('/memorymark fix')
    const [reply] = await replies()
    expect(reply?.body).toContain('No config here needs another batch size.')
  })
})

describe('/memorymark fix <n>', () => {
  const tooLarge = `# fine-tuning
model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 64  # as before
gradient_checkpointing: false
packing: false
`
  const small = tooLarge.replace('64', '1')

  test('opens a pull request with the n-th way to free memory, as the report lists it', async () => {
    const { repository, replies, ask, comment, pull } = await pullChanging(small, tooLarge)
    expect(await comment()).toMatch(/\n- \*\*1\.\*\* Micro-batch 64 → \d+: .*training unchanged\n- \*\*2\.\*\* /)
    expect(await comment()).toContain('`/memorymark fix <n>` with the n-th way to free memory')
    const name = /\n- \*\*2\.\*\* ([^:]+): /.exec(await comment())?.[1]
    await ask('/memorymark fix 2')

    const [reply] = await replies()
    expect(reply?.body).toContain(`#2 changes \`${path}\`:`)
    const fix = await repository.pullRequest({ number: 2 })
    expect(fix.base.ref).toBe(pull.branch)
    expect(fix.title).toContain('Free memory: ')
    expect(fix.title.toLowerCase()).toContain(name?.replaceAll('\\', '').toLowerCase())
    const text = await repository.fileAt(path, fix.head.sha)
    expect(text).toContain('# fine-tuning\nmodel_name_or_path: Qwen/Qwen2.5-0.5B\n')
    expect(text).not.toBe(tooLarge)
  })

  test('says where there is no such number, and where nothing needs memory', async () => {
    const large = await pullChanging(small, tooLarge)
    await large.ask('/memorymark fix 99')
    expect((await large.replies())[0]?.body).toContain(`The report lists no number 99 for \`${path}\`.`)
    const { replies, ask } = await pullChanging(former, wasteful)
    await ask('/memorymark fix 1')
    expect((await replies())[0]?.body).toContain('No config here needs more memory than its GPU has.')
  })
})
