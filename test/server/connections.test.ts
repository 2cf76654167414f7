import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { limitConnections } from '../../server/connections.ts'

const MAX_CONNECTIONS = 20

async function serve(answer = 'here') {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(answer))
  })
  limitConnections(server, MAX_CONNECTIONS)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  const open = async (...written: readonly string[]) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    for (const text of written) socket.write(text)
    return socket
  }
  return {
    port,
    open,
    ask: () =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }).then(response => response.text()),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test.each([
  ['say nothing', ''],
  ['stop in the middle of the headers', 'POST / HTTP/1.1\r\nhost: a\r\nx-slow: '],
  ['stop in the middle of the body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nslow'],
])('however many clients %s, the next is answered', async (_, written) => {
  await using server = await serve()
  for (let client = 0; client < 3 * MAX_CONNECTIONS; client += 1) await server.open(written)
  expect(await server.ask()).toBe('here')
})

test('those who keep their connection for later are not driven out by those who are slow to send', async () => {
  await using server = await serve()
  const kept = await server.open('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(kept, 'data')
  for (let client = 0; client < 3 * MAX_CONNECTIONS; client += 1) await server.open('POST / HTTP/1.1\r\n')
  expect(await server.ask()).toBe('here')
  kept.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [again] = await once(kept, 'data')
  expect(String(again)).toContain('200 OK')
})

test('those who are slow to send are not more than may be', async () => {
  await using server = await serve()
  const slow = await Promise.all(Array.from({ length: 2 * MAX_CONNECTIONS }, () => server.open('POST / HTTP/1.1\r\n')))
  await Promise.all(slow.slice(0, MAX_CONNECTIONS).map(socket => socket.closed || once(socket, 'close')))
  expect(slow.filter(socket => !socket.closed).length).toBeLessThanOrEqual(MAX_CONNECTIONS)
})
