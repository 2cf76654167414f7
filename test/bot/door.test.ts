/** What strangers send to the bot's address, and how. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BotBesideGitHub, startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

let beside: BotBesideGitHub
beforeAll(async () => {
  beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch, keepsHouse: false })
})
afterAll(() => beside[Symbol.asyncDispose]())

let before = 0
beforeEach(() => {
  before = beside.log().length
})
/** By the test that runs. */
const logged = () => beside.log().slice(before)

describe('a webhook that is not one', () => {
  const signature = `sha256=${'0'.repeat(64)}`
  const named = { 'x-github-delivery': 'd', 'x-github-event': 'pull_request' }

  test.each([
    ['nothing at all', {}, '', 400],
    ['an empty body', { ...named, 'x-hub-signature-256': signature }, '', 400],
    ['an empty body without a signature', named, '', 400],
    ['no headers', {}, '{}', 400],
    ['no signature', named, '{}', 401],
    ['a signature of another kind', { ...named, 'x-hub-signature-256': 'md5=1' }, '{}', 401],
    ['a signature that is no hexadecimal', { ...named, 'x-hub-signature-256': `sha256=${'é'.repeat(64)}` }, '{}', 401],
    ['bytes that are no text', { ...named, 'x-hub-signature-256': signature }, Buffer.from([0xff, 0, 0xfe]), 401],
    ['2 MiB', { ...named, 'x-hub-signature-256': signature }, 'x'.repeat(2 * 2 ** 20 + 1), 413],
  ])('with %s is refused, and no fault of ours', async (_, headers, body, status) => {
    const response = await fetch(beside.bot.webhooksUrl, { method: 'POST', headers, body })

    expect(response.status).toBe(status)
    expect(logged()).not.toContain('"stack"')
  })

  test.each([
    ['a form', 'payload=%7B%7D'],
    ['half of its JSON', '{"action": "opened", "pull_'],
  ])('though signed, being %s, is told what to set', async (_, body) => {
    const delivery = { id: 'd', event: 'pull_request', action: '', body, deliveredAt: '', statuses: [] }

    expect(await beside.github.deliver(delivery, beside.bot.webhooksUrl)).toBe(400)
    expect(logged()).toContain('set the content type of the App’s webhook to application/json')
    expect(logged()).not.toContain('"stack"')
  })

  test.each([
    ['whose body breaks off', 'POST /api/github/webhooks HTTP/1.1\r\nhost: a\r\ncontent-length: 50\r\n\r\n{"act', ''],
    ['with huge headers', `POST /api/github/webhooks HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`, '431'],
    ['that is no HTTP', 'EHLO example.com\r\n\r\n', '400'],
  ])('%s harms nobody', async (_, written, answer) => {
    const socket = await dial()
    const answered = once(socket, answer === '' ? 'connect' : 'data').then(([data]) => String(data))
    socket.write(written)
    if (answer !== '') expect(await answered).toContain(`HTTP/1.1 ${answer}`)
    socket.end()

    expect((await fetch(beside.bot.healthUrl)).status).toBe(200)
    expect(logged()).not.toContain('"stack"')
  })
})

test('webhooks and /health are answered however many clients send theirs slowly', async () => {
  const head = 'POST /api/github/webhooks HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n'
  const slow: Socket[] = []
  for (let client = 0; client < 600; client += 1) {
    const socket = await dial()
    socket.write(client % 2 === 0 ? head : head.slice(0, 40))
    slow.push(socket)
  }
  const { repository, pull } = await openPull()

  expect((await fetch(beside.bot.healthUrl)).status).toBe(200)
  await expect.poll(() => beside.github.deliveries.at(-1)?.statuses).toEqual([202])
  expect(await repository.comments(pull)).toHaveLength(1)
  for (const socket of slow) socket.destroy()
})

test('webhooks are taken while bodies of strangers fill the room for them; who takes most of it is to come again', async () => {
  const bytes = 2 * 2 ** 20
  const head = `POST /api/github/webhooks HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\nx-github-delivery: d\r\nx-github-event: e\r\nx-hub-signature-256: sha256=0\r\n\r\n`
  const strangers: Socket[] = []
  const answers: string[] = []
  for (let client = 0; client < 40; client += 1) {
    const socket = await dial()
    socket.on('data', data => answers.push(String(data)))
    socket.write(head + 'x'.repeat(bytes - 1))
    strangers.push(socket)
  }
  // Of 40, 8 have room.
  await expect.poll(() => answers.length, { timeout: 9_000 }).toBeGreaterThanOrEqual(32)
  expect(new Set(answers.map(answer => answer.split('\r\n')[0]))).toEqual(new Set(['HTTP/1.1 503 Service Unavailable']))
  expect(answers.every(answer => /\r\nretry-after: 10\r\n/i.test(answer))).toBe(true)
  const { repository, pull } = await openPull()

  expect((await fetch(beside.bot.healthUrl)).status).toBe(200)
  await expect.poll(() => beside.github.deliveries.at(-1)?.statuses).toEqual([202])
  expect(await repository.comments(pull)).toHaveLength(1)
  for (const socket of strangers) socket.destroy()
})

async function dial(): Promise<Socket> {
  const { hostname, port } = new URL(beside.bot.origin)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  return socket
}

let opened = 0
async function openPull() {
  const repository = await beside.github.createRepository(`models-${opened++}`, { 'README.md': '# Models\n' })
  const pull = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await beside.bot.idle()
  return { repository, pull }
}
