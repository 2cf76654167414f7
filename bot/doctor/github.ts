/** Checks with GitHub that the App exists, where it is installed, and what it was granted. */
import type { GitHub } from '../installation.ts'
import { type GitHubApp, headersOf, statusOf } from '../installation.ts'
import { examineClock } from './clock.ts'
import type { Finding } from './finding.ts'
import { examineGrants } from './grants.ts'

export interface Registered {
  readonly app: GitHubApp
  readonly appId: number
  readonly apiUrl: string
  readonly now: () => Date
}

export async function examineGitHub({ app, appId, apiUrl, now }: Registered): Promise<readonly Finding[]> {
  const github = await app.asApp()
  try {
    const { data, headers } = await github.rest.apps.getAuthenticated()
    const clock = examineClock(now(), headers.date)
    if (data === null) return [clock, notKnown(appId)]
    const asked = {
      of: 'the App itself',
      page: `the settings of the App "${data.slug}", Permissions & events`,
      permissions: granted(data.permissions),
      events: data.events,
    }
    return [
      clock,
      { kind: 'well', what: `GitHub knows the App as "${data.slug}" (${appId})` },
      ...examineGrants(asked),
      ...(await examineWebhook(github)),
      ...(await examineInstallations(github)),
    ]
  } catch (error) {
    const status = statusOf(error)
    if (status === undefined) return [notReached(apiUrl)]
    const { date } = headersOf(error)
    const clock = examineClock(now(), typeof date === 'string' ? date : undefined)
    return [clock, status === 401 ? notKnown(appId) : refused(status)]
  }
}

async function examineInstallations(github: GitHub): Promise<readonly Finding[]> {
  const installations = await github.paginate(github.rest.apps.listInstallations, { per_page: 100 })
  if (installations.length === 0) {
    return [
      {
        kind: 'remark',
        what: 'the App is installed nowhere',
        todo: 'Install it on the repositories that it should watch.',
      },
    ]
  }
  return installations.flatMap(({ id, account, html_url, permissions, events, suspended_at }): readonly Finding[] => {
    const of = `installation ${id} (${account !== null && 'login' in account ? account.login : 'an enterprise'})`
    if (suspended_at !== null)
      return [{ kind: 'remark', what: `${of} is suspended`, todo: `Resume it at ${html_url}.` }]
    return examineGrants({ of, page: html_url, permissions: granted(permissions), events })
  })
}

/** GitHub shows a secret as asterisks if one is set. */
async function examineWebhook(github: GitHub): Promise<readonly Finding[]> {
  const { data } = await github.rest.apps.getWebhookConfigForApp()
  const wrong = [
    ...(data.url ? [] : ['it has no address']),
    ...(data.secret ? [] : ['it has no secret']),
    ...(data.content_type === 'json' ? [] : [`it sends ${data.content_type ?? 'no'} content, not json`]),
    ...(String(data.insecure_ssl ?? '0') === '0' ? [] : ['it does not verify certificates']),
  ]
  if (wrong.length === 0) return [{ kind: 'well', what: `webhooks go to ${data.url}` }]
  const todo = 'Fix it in the settings of the App, General, Webhook.'
  return [{ kind: 'fault', what: `the App’s webhook is not set up correctly: ${wrong.join(', ')}`, todo }]
}

function granted(permissions: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(permissions).map(([name, level]) => [name, String(level)]))
}

function notKnown(appId: number): Finding {
  return {
    kind: 'fault',
    what: `GitHub does not let App ${appId} sign in`,
    todo: 'APP_ID and PRIVATE_KEY must belong to the same App, the key must not have been revoked, and the clock must be right.',
  }
}

function notReached(apiUrl: string): Finding {
  return {
    kind: 'fault',
    what: `${apiUrl} does not answer`,
    todo: 'Check GITHUB_API_URL and the network connection to it.',
  }
}

function refused(status: number): Finding {
  return {
    kind: 'fault',
    what: `GitHub answered ${status}`,
    todo: 'Try again in a while; https://www.githubstatus.com may say more.',
  }
}
