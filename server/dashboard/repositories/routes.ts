/** `/repositories`: pages on the bot's repositories. */
import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { configOrders, MAX_PAGE_SIZE, pageRequest, type Repositories, repositoryName } from '../../repositories.ts'
import { type Html, page } from '../page.ts'
import type { Site } from '../site.ts'
import { historyView } from './history.ts'
import { emptyView, listView, unknownView } from './list.ts'
import { REPOSITORIES_PATH } from './paths.ts'
import { type RepositoryRecords, repositoryView } from './repository.ts'

const cursor = pageRequest.shape.cursor.catch(undefined)

/** Parameters in the pages' addresses. Invalid ones are ignored. */
const listQuery = z.object({ cursor })
const repositoryQuery = z.object({
  order: z.enum(configOrders).catch('waste'),
  configs: cursor,
  ledger: cursor,
  decisions: cursor,
})
type RepositoryQuery = z.infer<typeof repositoryQuery>
const historyQuery = z.object({ path: z.string().max(4_096).catch(''), cursor })

const PAGE_SIZE = 25

export function addRepositoryPages(app: Hono, { assets, context: { repositories } }: Site): void {
  const answer = (c: Context, title: string, view: Html, status: 200 | 404 = 200) => {
    c.header('Cache-Control', 'no-store')
    return c.html(page(assets, { title, section: 'repositories' }, view), status)
  }
  const unknown = (c: Context) => answer(c, 'Unknown repository', unknownView(), 404)

  app.get(REPOSITORIES_PATH, async c => {
    if (repositories === undefined) return answer(c, 'Repositories', emptyView())
    const asked = listQuery.parse(c.req.query())
    return answer(c, 'Repositories', listView(await repositories.list(request(asked.cursor))))
  })

  app.get(`${REPOSITORIES_PATH}/:owner/:repo`, async c => {
    const name = repositoryName.safeParse(c.req.param())
    if (repositories === undefined || !name.success) return unknown(c)
    const query = repositoryQuery.parse(c.req.query())
    const records = await recordsOf(repositories, name.data, query)
    if (records === undefined) return unknown(c)
    return answer(c, `${name.data.owner}/${name.data.repo}`, repositoryView(name.data, query.order, records))
  })

  app.get(`${REPOSITORIES_PATH}/:owner/:repo/history`, async c => {
    const name = repositoryName.safeParse(c.req.param())
    if (repositories === undefined || !name.success) return unknown(c)
    const { path, cursor } = historyQuery.parse(c.req.query())
    const records = await repositories.history(name.data, path, request(cursor, MAX_PAGE_SIZE))
    return records === undefined
      ? unknown(c)
      : answer(c, `${name.data.repo}: a config over time`, historyView(name.data, path, records))
  })
}

async function recordsOf(
  repositories: Repositories,
  name: z.infer<typeof repositoryName>,
  query: RepositoryQuery,
): Promise<RepositoryRecords | undefined> {
  const [configs, ledger, decisions] = await Promise.all([
    repositories.configs(name, query.order, request(query.configs)),
    repositories.ledger(name, request(query.ledger)),
    repositories.decisions(name, request(query.decisions)),
  ])
  if (configs === undefined || ledger === undefined || decisions === undefined) return undefined
  return { configs, ledger, decisions }
}

function request(cursor: string | undefined, limit = PAGE_SIZE) {
  return { limit, ...(cursor !== undefined && { cursor }) }
}
