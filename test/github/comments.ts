/** Comments and issues as GitHub shows them, with the App that wrote them; reactions, which emulate lacks. */
import { owner, personBehind } from './accounts.ts'
import { type CommentJson, withApp } from './authorship.ts'
import type { Events } from './events.ts'
import {
  bodyOf,
  type Call,
  fullNameOf,
  type Gateway,
  notFound,
  numberOf,
  REPOSITORY,
  type Routes,
  refuse,
  refuseFields,
} from './gateway.ts'

interface Written {
  readonly user: { readonly login: string }
}

interface Reaction {
  readonly id: number
  readonly content: string
  readonly user: { readonly login: string }
}

const contents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']

export function routeComments(routes: Routes, gateway: Gateway, events: Events): void {
  const one = (c: Call) => gateway.amended(c, (written: Written) => withApp(written))
  const all = (c: Call) => gateway.amended(c, (list: Written[]) => list.map(withApp))
  routes.get(`${REPOSITORY}/issues/:number/comments`, all)
  routes.post(`${REPOSITORY}/issues/:number/comments`, c =>
    gateway.amended(c, async (written: CommentJson) => {
      const comment = withApp(written)
      // An App hears of its own comments too. Those of people are told by repository.ts, which can wait for the answer.
      if (comment.user.login.endsWith('[bot]'))
        events.sendAside(
          fullNameOf(c),
          'issue_comment',
          await commentEvent('created', gateway, c, comment),
          comment.user.login,
        )
      return comment
    }),
  )
  routes.get(`${REPOSITORY}/issues/comments/:id`, one)
  routes.patch(`${REPOSITORY}/issues/comments/:id`, one)
  routes.get(`${REPOSITORY}/issues`, async c => ((await issuesAreOff(c, gateway)) ? issuesOff() : all(c)))
  routes.post(`${REPOSITORY}/issues`, async c => ((await issuesAreOff(c, gateway)) ? issuesOff() : one(c)))
  routes.get(`${REPOSITORY}/issues/:number`, async c => {
    const issue = await findIssue(gateway, fullNameOf(c), numberOf(c, 'number'))
    return issue === undefined ? notFound() : c.json(issue)
  })
  routes.patch(`${REPOSITORY}/issues/:number`, one)
  routeReactions(routes, gateway)
}

async function commentEvent(action: string, gateway: Gateway, c: Call, comment: CommentJson) {
  return { action, issue: await findIssue(gateway, fullNameOf(c), numberOf(c, 'number')), comment }
}

interface PullJson extends Written {
  readonly number: number
  readonly title: string
  readonly body: string | null
  readonly state: string
  readonly html_url: string
  readonly url: string
}

/** On GitHub every pull request is an issue too, which names it. */
async function findIssue(gateway: Gateway, fullName: string, number: number): Promise<object | undefined> {
  const issue = await gateway.upstream.find<Written>(`/repos/${fullName}/issues/${number}`, owner.token)
  if (issue !== undefined) return withApp(issue)
  const pull = await gateway.upstream.find<PullJson>(`/repos/${fullName}/pulls/${number}`, owner.token)
  if (pull === undefined) return undefined
  const { title, body, state, user, url, html_url } = pull
  return withApp({ number, title, body, state, user, html_url, pull_request: { url, html_url } })
}

async function issuesAreOff(c: Call, gateway: Gateway): Promise<boolean> {
  const repository = await gateway.upstream.find<{ has_issues: boolean }>(`/repos/${fullNameOf(c)}`, owner.token)
  return repository?.has_issues === false
}

function issuesOff(): Response {
  return refuse(410, 'Issues has been disabled in this repository.')
}

function routeReactions(routes: Routes, gateway: Gateway): void {
  const reactions = new Map<string, Reaction[]>()
  let made = 0
  const of = (c: Call) => reactions.get(`${fullNameOf(c)} ${numberOf(c, 'id')}`) ?? []
  const exists = (c: Call) =>
    gateway.upstream.find(`/repos/${fullNameOf(c)}/issues/comments/${numberOf(c, 'id')}`, owner.token)
  routes.get(`${REPOSITORY}/issues/comments/:id/reactions`, async c =>
    (await exists(c)) === undefined ? notFound() : gateway.page(c, of(c), items => items),
  )
  routes.post(`${REPOSITORY}/issues/comments/:id/reactions`, async c => {
    if ((await exists(c)) === undefined) return notFound()
    const { content } = ((await bodyOf(c)) ?? {}) as { content?: string }
    if (content === undefined || !contents.includes(content)) return refuseFields('Validation Failed', ['content'])
    const login = loginOf(c, gateway)
    const present = of(c).find(one => one.content === content && one.user.login === login)
    if (present !== undefined) return c.json(present, 200)
    const added = { id: ++made, content, user: { login } }
    reactions.set(`${fullNameOf(c)} ${numberOf(c, 'id')}`, [...of(c), added])
    return c.json(added, 201)
  })
}

function loginOf(c: Call, gateway: Gateway): string {
  const authorization = c.req.header('authorization')
  const caller = gateway.tokens.callerOf(authorization)
  if (caller !== undefined) return `${caller.installation.app.slug}[bot]`
  return personBehind(authorization).login
}
