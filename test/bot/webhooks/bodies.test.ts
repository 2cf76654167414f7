/** How much of what strangers send is held in memory. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Bodies } from '../../../bot/webhooks/bodies.ts'

const KIB = 1_024

let server: Server
const sockets: Socket[] = []
const lengths: number[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  lengths.length = 0
  server.close()
})

/** Answers with how a body was read; holds each that came whole until `release` resolves. */
async function serve(release: Promise<void> = Promise.resolve()): Promise<void> {
  const bodies = new Bodies({ maxBytes: 100 * KIB, maxTotalBytes: 250 * KIB })
  server = createServer((request, response) => {
    const answer = async (kind: string) => {
      if (kind === 'text') await release
      response.writeHead(200, { connection: 'close', 'content-length': kind.length }).end(kind)
    }
    bodies
      .read(request, reading => {
        if (reading.kind === 'text') lengths.push(reading.text.length)
        return answer(reading.kind)
      })
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

async function send(declared: number | 'chunked', sent: string): Promise<{ readonly answer: Promise<string> }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', data => {
    text += data
  })
  socket.on('error', () => {})
  const answer = once(socket, 'close').then(() => text.split('\r\n\r\n')[1] ?? '')
  const length = declared === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${declared}`
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${length}\r\n\r\n${sent}`)
  return { answer }
}

const kib = (count: number) => 'x'.repeat(count * KIB)

test('a body that declares more than may be is refused before it is read', async () => {
  await serve()
  expect(await (await send(101 * KIB, '')).answer).toBe('too-large')
})

test('a body that turns out to be larger is given up', async () => {
  await serve()
  const chunk = `${(60 * KIB).toString(16)}\r\n${kib(60)}\r\n`
  expect(await (await send('chunked', chunk + chunk)).answer).toBe('too-large')
})

test('of bodies that do not end, the largest makes room for one that does', async () => {
  await serve()
  const largest = await send(100 * KIB, kib(99))
  const others = [await send(100 * KIB, kib(70)), await send(100 * KIB, kib(70))]
  const small = await send(20 * KIB, kib(20))
  expect(await small.answer).toBe('text')
  expect(await largest.answer).toBe('no-room')
  await expect(Promise.race([...others.map(({ answer }) => answer), 'still arriving'])).resolves.toBe('still arriving')
})

test('bodies count until they are done with, and are not given up once they are whole', async () => {
  const release = Promise.withResolvers<void>()
  await serve(release.promise)
  const whole = [await send(90 * KIB, kib(90)), await send(90 * KIB, kib(90))]
  await expect.poll(() => lengths).toHaveLength(2)
  expect(await (await send(100 * KIB, kib(99))).answer).toBe('no-room')
  release.resolve()
  expect(await Promise.all(whole.map(({ answer }) => answer))).toEqual(['text', 'text'])
  expect(await (await send(100 * KIB, kib(100))).answer).toBe('text')
})

test('a body in pieces of one byte is the same body', async () => {
  await serve()
  const { answer } = await send('chunked', `${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`)
  expect(await answer).toBe('text')
  expect(lengths).toEqual([50_000])
})
