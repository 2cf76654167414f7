/** /v1/repositories: the bot's repositories; a server without a bot answers 404. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import * as z from 'zod'
import type { Problem } from '../engine/base/errors.ts'
import { fault, faultOf } from './fault.ts'
import { jsonAnswer } from './json-answer.ts'
import {
  configOrders,
  configRecord,
  decision,
  ledger,
  ledgerEntry,
  pageRequest,
  type Repositories,
  repositoryName,
  repositorySummary,
} from './repositories.ts'

const unknown = jsonAnswer('No such repository, or a server without a bot', fault)
const refused = jsonAnswer('The request is invalid', fault)

function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().optional().meta({ description: 'The cursor of the next page; absent on the last' }),
  })
}

const list = createRoute({
  method: 'get',
  path: '/v1/repositories',
  summary: 'The repositories that the bot watches',
  request: { query: pageRequest },
  responses: { 200: jsonAnswer('A page of them', pageOf(repositorySummary)), 400: refused, 404: unknown },
})

const configs = createRoute({
  method: 'get',
  path: '/v1/repositories/{owner}/{repo}/configs',
  summary: 'Its training configs, as last seen',
  request: { params: repositoryName, query: pageRequest.extend({ order: z.enum(configOrders).default('waste') }) },
  responses: { 200: jsonAnswer('A page of them, worst first', pageOf(configRecord)), 400: refused, 404: unknown },
})

const history = createRoute({
  method: 'get',
  path: '/v1/repositories/{owner}/{repo}/history',
  summary: 'One config over time',
  request: { params: repositoryName, query: pageRequest.extend({ path: z.string().min(1).max(4_096) }) },
  responses: { 200: jsonAnswer('A page of it, newest first', pageOf(configRecord)), 400: refused, 404: unknown },
})

const savings = createRoute({
  method: 'get',
  path: '/v1/repositories/{owner}/{repo}/ledger',
  summary: 'What merged pull requests saved, and what was accepted instead',
  request: { params: repositoryName, query: pageRequest },
  responses: {
    200: jsonAnswer('A page of it, newest first', pageOf(ledgerEntry).extend({ totals: ledger })),
    400: refused,
    404: unknown,
  },
})

const decisions = createRoute({
  method: 'get',
  path: '/v1/repositories/{owner}/{repo}/decisions',
  summary: 'Pull requests that were blocked, and those that were accepted, with the reasons',
  request: { params: repositoryName, query: pageRequest },
  responses: { 200: jsonAnswer('A page of them, newest first', pageOf(decision)), 400: refused, 404: unknown },
})

/** Without `repositories`, every route answers 404 and explains. */
export function addRepositoryRoutes(app: OpenAPIHono, repositories: Repositories | undefined): void {
  const missing = faultOf(repositories === undefined ? noBot : unknownRepository)

  app.openapi(list, async context => {
    const page = await repositories?.list(context.req.valid('query'))
    return page === undefined ? context.json(missing, 404) : context.json(answered(page), 200)
  })
  app.openapi(configs, async context => {
    const { order, ...page } = context.req.valid('query')
    const found = await repositories?.configs(context.req.valid('param'), order, page)
    return found === undefined ? context.json(missing, 404) : context.json(answered(found), 200)
  })
  app.openapi(history, async context => {
    const { path, ...page } = context.req.valid('query')
    const found = await repositories?.history(context.req.valid('param'), path, page)
    return found === undefined ? context.json(missing, 404) : context.json(answered(found), 200)
  })
  app.openapi(savings, async context => {
    const found = await repositories?.ledger(context.req.valid('param'), context.req.valid('query'))
    return found === undefined ? context.json(missing, 404) : context.json(answered(found), 200)
  })
  app.openapi(decisions, async context => {
    const found = await repositories?.decisions(context.req.valid('param'), context.req.valid('query'))
    return found === undefined ? context.json(missing, 404) : context.json(answered(found), 200)
  })
}

/** Copies, because the answer's type has mutable arrays. */
function answered<Item, Page extends { readonly items: readonly Item[] }>(page: Page) {
  return { ...page, items: [...page.items] }
}

const noBot: Problem = {
  code: 'no-repositories',
  message: 'this server has no repositories',
  fix: "Use the bot's server, memorymark-bot.",
}

const unknownRepository: Problem = {
  code: 'unknown-repository',
  message: 'the bot does not know this repository',
  fix: 'Install its App on the repository, and open a pull request that changes a training config.',
}
