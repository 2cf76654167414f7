/** Strangers who fill the bot with bodies that never end: as many as it has connections, each as large as it takes. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BotProcess } from '../demo/bot-process.ts'
import { residentMib } from './process-tree.ts'
import { LIMITS } from './surface.ts'

const CONNECTIONS = 500
const BODY_BYTES = 2 * 2 ** 20
/** The bot ends a request that has not arrived by then. */
const MILLIS = 10_000
const LOOK_MILLIS = 25

/** What is wrong, one sentence each. `databaseMib` are not counted. */
export async function flood(bot: BotProcess, databaseMib: number): Promise<readonly string[]> {
  const { hostname, port } = new URL(bot.origin)
  const head = [
    'POST /api/github/webhooks HTTP/1.1',
    'host: a',
    `content-length: ${BODY_BYTES}`,
    'x-github-delivery: d',
    'x-github-event: push',
    `x-hub-signature-256: sha256=${'0'.repeat(64)}`,
  ]
  const unfinished = Buffer.alloc(BODY_BYTES - 1, 'x')
  let refused = 0
  let peakMib = 0
  const look = setInterval(() => {
    peakMib = Math.max(peakMib, residentMib(bot.pid) - databaseMib)
  }, LOOK_MILLIS)
  const sockets = Array.from({ length: CONNECTIONS }, (): Socket => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('data', answer => {
      if (String(answer).startsWith('HTTP/1.1 503')) refused += 1
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(unfinished)
    return socket
  })
  await sleep(MILLIS)
  for (const socket of sockets) socket.destroy()
  clearInterval(look)
  console.log(
    `bot: ${CONNECTIONS} unsigned bodies of 2 MiB at once; ${refused} were sent away; most memory ${peakMib.toFixed(0)} MiB`,
  )
  return [
    ...(bot.isRunning ? [] : ['unsigned bodies: the bot ended']),
    ...(refused > 0 ? [] : ['unsigned bodies: none was sent away']),
    ...(peakMib > LIMITS.peakMib ? [`unsigned bodies: ${peakMib.toFixed(0)} MiB`] : []),
  ]
}
