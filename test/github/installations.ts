/** Where an App is installed and what it may do there; emulate knows it, and answers a little beside the point. */
import { installations, owner, type Permissions } from './accounts.ts'
import type { Events } from './events.ts'
import { type Call, fullNameOf, type Gateway, notFound, REPOSITORY, type Routes, refuse } from './gateway.ts'
import type { Webhooks } from './webhooks.ts'

export function routeInstallations(routes: Routes, gateway: Gateway, webhooks: Webhooks, events: Events): void {
  routes.post('/app/installations/:id/access_tokens', async c => {
    const response = await gateway.forward(c)
    if (!response.ok) return response
    const issued = (await response.clone().json()) as { token: string; permissions: Permissions }
    gateway.tokens.record(issued.token, Number(c.req.param('id')), issued.permissions)
    return response
  })
  routes.get('/installation/repositories', c => listRepositories(c, gateway))
  routes.get(`${REPOSITORY}/installation`, c => {
    const app = gateway.tokens.appItself(c.req.header('authorization'))
    const [account] = fullNameOf(c).split('/')
    const installation = installations.find(one => one.app === app && one.account === account)
    return installation === undefined ? notFound() : gateway.send(c, `/app/installations/${installation.id}`)
  })
  routes.get('/app/hook/config', c => c.json({ insecure_ssl: '0', secret: '********', ...webhooks.config }))
  routeHookDeliveries(routes, gateway, webhooks, events)
}

async function listRepositories(c: Call, gateway: Gateway): Promise<Response> {
  const caller = gateway.tokens.callerOf(c.req.header('authorization'))
  if (caller === undefined) return refuse(403, 'You must authenticate with an installation access token')
  const { account } = caller.installation
  const repositories: object[] = []
  for (let page = 1, more = true; more; page += 1) {
    const path = `/users/${account}/repos?per_page=100&page=${page}`
    const found = await gateway.upstream.json<object[]>('GET', path, owner.token)
    repositories.push(...found)
    more = found.length === 100
  }
  return gateway.page(c, repositories, items => ({
    total_count: repositories.length,
    repository_selection: 'all',
    repositories: items,
  }))
}

/** Every attempt at every webhook, newest first; any of them can be asked for again. */
function routeHookDeliveries(routes: Routes, gateway: Gateway, webhooks: Webhooks, events: Events): void {
  routes.get('/app/hook/deliveries', c => {
    if (gateway.tokens.appItself(c.req.header('authorization')) === undefined)
      return refuse(401, 'Requires authentication')
    const tried = new Set<string>()
    const all = webhooks.attempts.map(({ delivery, at, status }, index) => {
      const redelivery = tried.has(delivery.id)
      tried.add(delivery.id)
      return {
        id: index + 1,
        guid: delivery.id,
        delivered_at: at,
        redelivery,
        status: status === 0 ? 'failed to connect to host' : 'OK',
        status_code: status,
        event: delivery.event,
        action: delivery.action,
      }
    })
    return gateway.page(c, all.reverse(), items => items)
  })
  routes.post('/app/hook/deliveries/:id/attempts', c => {
    const delivery = webhooks.attempts[Number(c.req.param('id')) - 1]?.delivery
    if (delivery === undefined) return notFound()
    webhooks.askedAgain.push(delivery)
    events.aside(webhooks.redeliver(delivery))
    return c.json({}, 202)
  })
}
