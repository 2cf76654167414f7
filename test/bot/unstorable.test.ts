/** Text that PostgreSQL cannot keep. */
import { expect, test } from 'vitest'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { wastefulPull } from './commands/beside.ts'
import { judgeByMicroBatch } from './configs.ts'

test.each(['\0', '\uD800', '\uDC00'])('a comment with %j is taken, answered and done with', async character => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const { bot, github } = beside
  const at = await wastefulPull(beside)
  await at.ask('/memorymark help')
  const genuine = github.deliveries.find(({ body }) => body.includes('"/memorymark help"'))
  if (genuine === undefined) throw new Error('No webhook was sent')
  const comment = await at.repository.comment(at.pull, 'Nothing to the bot')
  const payload = JSON.parse(genuine.body) as { comment: object }
  const body = `/memorymark accept it is${character}fine`
  const delivery = {
    ...genuine,
    id: 'hostile',
    body: JSON.stringify({ ...payload, comment: { ...payload.comment, id: comment.id, body } }),
    statuses: [],
  }

  expect(await github.deliver(delivery, bot.webhooksUrl)).toBe(202)
  await bot.idle()
  expect(await at.reactionsTo(comment)).toEqual(['+1'])
  expect((await at.check())?.output.summary).toContain('it is�fine')
})
