/** A GitHub that answers at once what a small pull request asks for, after a pause like the real one's. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const CONFIG = 'model_name_or_path: google-bert/bert-base-uncased\ntask_name: mnli\nper_device_train_batch_size: 16\n'
const PAUSE_MILLIS = 50
const SHA = 'a'.repeat(40)

export interface StubbedGitHub extends AsyncDisposable {
  readonly url: string
  /** Checks that were written. */
  readonly checks: () => number
}

export async function stubGitHub(): Promise<StubbedGitHub> {
  let checks = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.method === 'POST' && request.url?.endsWith('/check-runs')) checks += 1
    await pause(PAUSE_MILLIS)
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The stub has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    checks: () => checks,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Reply = readonly [path: RegExp, body: (match: RegExpExecArray) => unknown]

const replies: readonly Reply[] = [
  [
    /^\/app\/installations\/\d+\/access_tokens$/,
    () => ({ token: 'stub', expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} }),
  ],
  [/^\/app\/installations$/, () => []],
  [/\/pulls\/(\d+)$/, ([, number]) => pull(Number(number))],
  [/\/pulls\/\d+\/files$/, () => [{ filename: 'configs/bert.yaml', status: 'added', sha: SHA }]],
  [
    /\/contents\/configs\/bert\.yaml$/,
    () => ({
      type: 'file',
      size: CONFIG.length,
      sha: SHA,
      encoding: 'base64',
      content: Buffer.from(CONFIG).toString('base64'),
    }),
  ],
  [/\/commits\/\w+\/check-runs$/, () => ({ total_count: 0, check_runs: [] })],
  [/\/actions\/runs$/, () => ({ total_count: 0, workflow_runs: [] })],
  [/\/issues\/\d+\/comments$/, () => []],
]

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const path = url.replace(/\?.*/, '')
  const isWrite = method !== 'GET' && !path.endsWith('/access_tokens')
  const match = isWrite
    ? undefined
    : replies.map(([form, body]) => ({ found: form.exec(path), body })).find(one => one.found)
  const body = isWrite ? { id: 1 } : match?.found ? match.body(match.found) : { message: 'Not Found' }
  const status = isWrite ? 201 : match?.found ? 200 : 404
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function pull(number: number): unknown {
  const repo = { full_name: 'acme/models' }
  return {
    number,
    title: `Change ${number}`,
    state: 'open',
    merged: false,
    merged_at: null,
    user: { login: 'mona' },
    author_association: 'MEMBER',
    changed_files: 1,
    head: { sha: number.toString(16).padStart(40, '0'), ref: `change-${number}`, repo },
    base: { sha: SHA, ref: 'main', repo },
  }
}
