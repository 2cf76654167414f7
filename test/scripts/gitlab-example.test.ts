/** The job of examples/gitlab, run by a shell as GitLab's runner does, on a stand-in for GitLab's notes API. */
import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { root } from '../../scripts/bundles.ts'
import { sharedCommand } from '../shared-builds.ts'

const ci = z.object({
  memorymark: z.object({ script: z.array(z.string()), variables: z.record(z.string(), z.string()) }),
})
const example = path.join(root, 'examples/gitlab/memorymark.gitlab-ci.yml')

interface Note {
  readonly id: number
  readonly author: { readonly id: number }
  body: string
}

const ME = 7
const TOKEN = 'glpat-for-the-test'

/** GitLab's `/user` and the notes of merge request 3 of project 12. */
async function notesApi(notes: Note[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    let sent = ''
    for await (const chunk of request) sent += chunk
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value))
    if (headers['private-token'] !== TOKEN) return answer(401, { message: '401 Unauthorized' })
    const [, place = '', id] =
      /^\/api\/v4(\/user|\/projects\/12\/merge_requests\/3\/notes)(?:\/(\d+))?(?:\?.*)?$/.exec(url) ?? []
    asked.push(`${method} ${place.replace(/.*\//, '')}${id === undefined ? '' : `/${id}`}`)
    const body = new URLSearchParams(sent).get('body') ?? ''
    const note = notes.find(one => String(one.id) === id)
    if (place === '/user') return answer(200, { id: ME })
    if (place === '') return answer(404, {})
    if (method === 'GET') return answer(200, notes)
    if (method === 'POST') return answer(201, notes[notes.push({ id: 100, author: { id: ME }, body }) - 1])
    if (note === undefined) return answer(404, {})
    if (method === 'PUT') note.body = body
    else notes.splice(notes.indexOf(note), 1)
    return answer(200, note)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`, asked }
}

const config = (batch: number) =>
  `memorymark:\n  model: bert\n  batch_size: ${batch}\n  gradient_accumulation: 1\n  sequence_length: 128\n`

test('one note follows the merge request, and the job fails where something blocks', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-gitlab-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
  git('init', '--quiet')
  await write('untouched.yaml', config(500_000))
  await write('train.yaml', config(16))
  git('add', '.')
  git('commit', '--quiet', '-m', 'base')
  const base = git('rev-parse', 'HEAD').trim()

  // The commands that the job calls: the package as it would be installed, and an install that has been done.
  const bin = await mkdtemp(path.join(tmpdir(), 'memorymark-gitlab-bin-'))
  onTestFinished(() => rm(bin, { recursive: true }))
  const main = await sharedCommand('memorymark')
  const commands = { npm: 'true', memorymark: `exec "${process.execPath}" "${main}" "$@" --gpu a10` }
  for (const [name, line] of Object.entries(commands)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${line}\n`)
    await chmod(path.join(bin, name), 0o755)
  }

  const marker = '<!-- memorymark:report -->'
  const strangers = { id: 1, author: { id: 8 }, body: `${marker}\nnot ours` }
  const notes: Note[] = [strangers]
  const { url, asked } = await notesApi(notes)
  const { script } = ci.parse(parse(await readFile(example, 'utf8'))).memorymark
  const job = (token = TOKEN) =>
    new Promise<{ code: number | null; output: string }>(resolve => {
      const env = {
        PATH: `${bin}:${path.dirname(process.execPath)}:${process.env.PATH}`,
        HF_HUB_OFFLINE: '1',
        CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
        CI_API_V4_URL: url,
        CI_PROJECT_ID: '12',
        CI_MERGE_REQUEST_IID: '3',
        MEMORYMARK_GITLAB_TOKEN: token,
      }
      const options = { cwd: folder, env, encoding: 'utf8' } as const
      // A runner ends the job at the first line that fails.
      const child = execFile('bash', ['-c', ['set -eo pipefail', ...script].join('\n')], options, (_, out, err) =>
        resolve({ code: child.exitCode, output: out + err }),
      )
    })

  await write('train.yaml', config(100_000))
  const blocked = await job()
  expect(blocked.code, blocked.output).toBe(1)
  expect(notes).toHaveLength(2)
  expect(notes[1]?.body).toMatch(/^<!-- memorymark:report -->\n\n### 🟥 MemoryMark: .*out of memory/)
  expect(notes[1]?.body).toContain('train.yaml')
  expect(notes[1]?.body).not.toContain('untouched.yaml')

  await write('train.yaml', config(64))
  expect((await job()).code).toBe(0)
  expect(notes).toHaveLength(2)
  expect(notes[1]?.body).not.toContain('🟥')

  await write('train.yaml', config(16))
  expect((await job()).code).toBe(0)
  expect(notes).toEqual([strangers])
  expect(asked).toEqual([
    ...['GET user', 'GET notes', 'POST notes'],
    ...['GET user', 'GET notes', 'PUT notes/100'],
    ...['GET user', 'GET notes', 'DELETE notes/100'],
  ])

  // Without the variable, or with a token that has lapsed, the verdict stays.
  await write('train.yaml', config(100_000))
  expect((await job('')).code).toBe(1)
  const refused = await job('lapsed')
  expect(refused.code).toBe(1)
  expect(refused.output).toContain('The note could not be written.')
  expect(asked).toHaveLength(9)
})
