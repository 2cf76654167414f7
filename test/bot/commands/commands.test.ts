import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../bot/store/database.ts'
import { contributor, maintainer } from '../../github/index.ts'
import { type BotBesideGitHub, startBotBesideGitHub } from '../bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from '../configs.ts'
import { lendDatabase } from '../databases.ts'
import { configPath, wastefulPull } from './beside.ts'

let beside: BotBesideGitHub
let database: Database

beforeAll(async () => {
  database = await lendDatabase()
  beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch, database })
})
afterAll(async () => {
  await beside[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

describe('a command', () => {
  test('is answered once: by a reaction and at most one reply, also when its webhook comes again', async () => {
    const at = await wastefulPull(beside)
    const comment = await at.ask('/memorymark help', contributor)
    const delivery = beside.github.deliveries.at(-1)
    if (delivery === undefined) throw new Error('No webhook was sent')
    await beside.github.redeliver(delivery)
    await beside.bot.idle()

    expect(await at.reactionsTo(comment)).toEqual(['+1'])
    const replies = await at.replies()
    expect(replies).toHaveLength(1)
    expect(replies[0]).toContain('- `/memorymark accept <reason>` unblocks this pull request')
  })

  test('that is not known is told what was meant, and an edit is not answered', async () => {
    const at = await wastefulPull(beside)
    const comment = await at.ask('/memorymark exlpain')
    await at.repository.editComment(at.pull, comment, '/memorymark help')
    await beside.bot.idle()

    expect(await at.reactionsTo(comment)).toEqual(['confused'])
    expect(await at.replies()).toEqual([
      'Unknown command `exlpain`. Did you mean `/memorymark explain`? `/memorymark help` lists the commands.',
    ])
  })

  test('whose arguments are wrong is told why', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark snooze 100')
    expect(await at.replies()).toEqual([
      '`/memorymark snooze`: it needs a number of days from 1 to 90. `/memorymark help` lists the commands.',
    ])
  })

  test.each(['rerun', 'ok 0123456', 'accept it is fine', 'snooze 3', 'fix'])(
    '%s is refused to who may not write, and does nothing',
    async words => {
      const at = await wastefulPull(beside)
      const before = await at.check()
      const comment = await at.ask(`/memorymark ${words}`, contributor)

      expect(await at.replies()).toEqual([
        `\`/memorymark ${words.split(' ')[0]}\` needs write access to this repository.`,
      ])
      expect(await at.reactionsTo(comment)).toEqual(['confused'])
      expect(await at.check()).toEqual(before)
    },
  )

  test('on a closed pull request is refused', async () => {
    const at = await wastefulPull(beside)
    await at.repository.close(at.pull)
    await at.ask('/memorymark fix')
    expect(await at.replies()).toEqual(['This pull request is closed.'])
  })

  test('after the first of a comment is left', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark rerun\n/memorymark fix')
    expect(await at.replies()).toEqual(['Only the first command of a comment is carried out.'])
  })
})

describe('when GitHub does not answer well', () => {
  test('a command is tried again, and its reply is not said twice', async () => {
    const at = await wastefulPull(beside)
    beside.github.failNext({ method: 'POST', path: /\/reactions$/, status: 502, times: 1 })
    const comment = await at.ask('/memorymark help')
    expect(await at.reactionsTo(comment)).toEqual(['+1'])
    expect(await at.replies()).toHaveLength(1)
  })

  test('what cannot be done is told', async () => {
    const at = await wastefulPull(beside)
    beside.github.failNext({ method: 'GET', path: /\/permission$/, status: 422, times: 1 })
    const comment = await at.ask('/memorymark rerun')
    expect(await at.reactionsTo(comment)).toEqual(['confused'])
    expect(await at.replies()).toEqual(["This failed because of an internal error; the bot's log says more."])
  })
})

describe('comments that are no commands', () => {
  test('are not answered', async () => {
    const at = await wastefulPull(beside)
    const before = beside.github.requests.length
    await at.ask('Try this:\n```\n/memorymark fix\n```')
    expect(await at.replies()).toEqual([])
    expect(beside.github.requests.slice(before).filter(({ app }) => app !== undefined)).toEqual([])
  })
})

describe('rerun', () => {
  test('makes the check anew', async () => {
    const at = await wastefulPull(beside)
    const before = await at.repository.checkRuns(at.pull.headSha)
    const comment = await at.ask('/memorymark rerun', maintainer)
    const after = await at.repository.checkRuns(at.pull.headSha)
    expect([before.length, after.length]).toEqual([1, 2])
    expect(after.at(-1)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(await at.reactionsTo(comment)).toEqual(['+1'])
  })
})

describe('accept', () => {
  test('unblocks by name and reason, and ends when the config gets worse', async () => {
    const at = await wastefulPull(beside)
    expect((await at.check())?.conclusion).toBe('failure')
    const comment = await at.ask('/memorymark accept the A10 is shared', maintainer)

    const accepted = await at.check()
    expect(accepted?.conclusion).toBe('neutral')
    expect(accepted?.output.summary).toContain('Accepted by `maintainer` on ')
    expect(accepted?.output.summary).toContain(': the A10 is shared. This covers `configs/bert.yaml`')
    expect(await at.reactionsTo(comment)).toEqual(['+1'])
    expect(await at.replies()).toEqual([])

    await at.repository.pushTo(at.pull, { 'README.md': '# Other\n' })
    await beside.bot.idle()
    expect((await at.check())?.conclusion).toBe('neutral')

    await at.repository.pushTo(at.pull, { 'configs/second.yaml': trainingConfig(8) })
    await beside.bot.idle()
    expect((await at.check())?.conclusion).toBe('failure')
  })

  test('finds nothing to accept where nothing blocks', async () => {
    const at = await wastefulPull(beside)
    await at.repository.pushTo(at.pull, { [configPath]: trainingConfig(128) })
    await beside.bot.idle()
    await at.ask('/memorymark accept it is fine')
    expect(await at.replies()).toEqual(['Nothing blocks this pull request, so there is nothing to accept.'])
  })
})

describe('snooze', () => {
  test('lets the check pass, and leaves the comment as it is whatever comes', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark snooze 3', maintainer)
    const before = await at.repository.comments(at.pull)
    expect((await at.check())?.conclusion).toBe('neutral')
    expect((await at.check())?.output.summary).toContain('Snoozed by `maintainer` until ')
    await at.repository.pushTo(at.pull, { [configPath]: trainingConfig(128) })
    await beside.bot.idle()
    expect(await at.repository.comments(at.pull)).toEqual(before)
  })
})

describe('a snooze that has ended', () => {
  const endSnoozes = async () => {
    await database.query("UPDATE memorymark.snoozes SET until = now() - interval '1 minute' WHERE NOT is_over")
    await beside.bot.send({ kind: 'deadlines' })
    await beside.bot.idle()
  }

  test('blocks again by the clock alone', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark snooze 3', maintainer)
    await endSnoozes()
    expect((await at.check())?.conclusion).toBe('failure')
    expect((await at.check())?.output.summary).not.toContain('Put off by')
  })

  test('lets the comment tell what came meanwhile', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark snooze 3', maintainer)
    await at.repository.pushTo(at.pull, { [configPath]: trainingConfig(128) })
    await beside.bot.idle()
    await endSnoozes()
    const [comment] = await at.repository.comments(at.pull)
    expect(comment?.body).toContain('nothing to gain')
  })
})

describe('ok', () => {
  test('takes no commit but the newest of a fork', async () => {
    const at = await wastefulPull(beside, { fork: true })
    const old = at.pull.headSha
    await at.repository.pushTo(at.pull, { [configPath]: trainingConfig(24) })
    await beside.bot.idle()
    const refused = await at.ask(`/memorymark ok ${old}`)
    const taken = await at.ask(`/memorymark ok ${at.pull.headSha}`)

    expect(await at.reactionsTo(refused)).toEqual(['confused'])
    expect(await at.reactionsTo(taken)).toEqual(['+1'])
    expect(await at.replies()).toEqual([expect.stringContaining(`The newest is \`${at.pull.headSha}\``)])
  })

  test.each([7, 39])('takes no commit by its first %i digits, and tells what to write', async digits => {
    const at = await wastefulPull(beside, { fork: true })
    const comment = await at.ask(`/memorymark ok ${at.pull.headSha.slice(0, digits)}`)

    expect(await at.reactionsTo(comment)).toEqual(['confused'])
    expect(await at.replies()).toEqual([
      `Other commits can begin with the same digits, so the whole SHA is needed. The newest is \`${at.pull.headSha}\`: review what it changes, then write \`/memorymark ok ${at.pull.headSha}\`.`,
    ])
    expect(
      await database.query('SELECT 1 FROM memorymark.measurements WHERE approved_by IS NOT NULL AND head_sha = $1', [
        at.pull.headSha,
      ]),
    ).toEqual([])
  })

  test('has nothing to do on a branch of the repository itself', async () => {
    const at = await wastefulPull(beside)
    await at.ask(`/memorymark ok ${at.pull.headSha}`)
    expect(await at.replies()).toEqual([
      'This pull request comes from this repository itself, so its measurement needs no approval.',
    ])
  })
})

describe('explain', () => {
  test('tells anyone how each config was read', async () => {
    const at = await wastefulPull(beside)
    await at.ask('/memorymark explain', contributor)
    const [reply = ''] = await at.replies()
    expect(reply).toContain('#### `configs/bert.yaml`')
    expect(reply).toContain('line 3, column 30')
    expect(reply).toContain('Memory is estimated from the config alone')
  })

  test('tells who asks before the newest commit was judged to ask again', async () => {
    const at = await wastefulPull(beside)
    await database.query("UPDATE memorymark.explanations SET head_sha = 'older'")
    const comment = await at.ask('/memorymark explain', contributor)
    expect(await at.replies()).toEqual([
      'The newest commit has not been judged yet. Ask again once its check is complete.',
    ])
    expect(await at.reactionsTo(comment)).toEqual(['confused'])
  })
})
