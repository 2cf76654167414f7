import { expect, test } from 'vitest'
import { call, world } from './caller.ts'
import { appJwt, memoryMarkApp, otherOwner } from './index.ts'

async function asApp(granted?: Parameters<typeof world>[0]) {
  const at = await world(granted)
  const jwt = appJwt(at.github.app.id, at.github.app.privateKey)
  const get = async (path: string) => JSON.parse((await call(at.github, jwt, 'GET', path)).text)
  return { ...at, jwt, get, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

test('the App reads what it asks for and what each installation granted', async () => {
  const granted = { permissions: { metadata: 'read' }, events: ['pull_request'] } as const
  await using at = await asApp({ granted })
  expect(await at.get('/app')).toMatchObject({ id: 4242, permissions: memoryMarkApp.permissions })
  expect(await at.get('/app/installations')).toMatchObject([
    { id: 100, account: { login: 'acme' }, permissions: { metadata: 'read' }, events: ['pull_request'] },
    { id: 101, account: { login: 'globex' } },
  ])
  expect(await at.get('/repos/acme/models/installation')).toMatchObject({ id: 100, app_slug: 'memorymark' })
})

test('an installation lists its own repositories, in pages', async () => {
  await using at = await asApp()
  await at.github.createRepository('vision', { 'a.yaml': 'a: 1\n' })
  await at.github.createRepository('speech', { 'a.yaml': 'a: 1\n' }, { owner: otherOwner })
  const names = async (token: string) => {
    const { text, link } = await call(at.github, token, 'GET', '/installation/repositories?per_page=1')
    const { total_count, repositories } = JSON.parse(text)
    return { total_count, names: repositories.map((one: { full_name: string }) => one.full_name), more: link !== null }
  }
  expect(await names(await at.github.botToken())).toMatchObject({ total_count: 2, more: true })
  expect(await names(await at.github.botToken(otherOwner))).toEqual({
    total_count: 1,
    names: ['globex/speech'],
    more: false,
  })
})

test('a webhook that reached nobody is listed, and delivered again under the same id', async () => {
  await using at = await asApp()
  at.github.sendWebhooksTo('http://127.0.0.1:9/')
  await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const [missed] = await at.get('/app/hook/deliveries')
  expect(missed).toMatchObject({ guid: at.github.deliveries[0]?.id, event: 'pull_request', status_code: 0 })
  const again = await call(at.github, at.jwt, 'POST', `/app/hook/deliveries/${missed.id}/attempts`)
  expect(again.status).toBe(202)
})
