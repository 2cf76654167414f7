/**
 * What GitHub asks of an installation for each call, by "Permissions required for GitHub Apps" in its documentation
 * (API version 2022-11-28). A call that is not listed is refused loudly, so that nobody calls what nobody has looked up.
 */
import type { Permissions } from './accounts.ts'

/** As `name:level`. Where several are listed, any one of them is enough. */
type Needs = readonly [string, ...string[]]

const REPO = '/repos/{owner}/{repo}'

/** By method and path template, as Octokit writes them. */
const endpointNeeds: Readonly<Record<string, Needs>> = {
  'GET /installation/repositories': ['metadata:read'],
  // What a query asks for is held to the grants where it is answered.
  'POST /graphql': ['metadata:read'],
  [`GET ${REPO}`]: ['metadata:read'],
  [`GET ${REPO}/collaborators/{username}/permission`]: ['metadata:read'],

  [`GET ${REPO}/contents/{path}`]: ['contents:read'],
  [`PUT ${REPO}/contents/{path}`]: ['contents:write'],
  [`GET ${REPO}/branches/{branch}`]: ['contents:read'],
  [`GET ${REPO}/commits/{ref}`]: ['contents:read'],
  [`GET ${REPO}/compare/{basehead}`]: ['contents:read'],
  [`GET ${REPO}/git/ref/{ref}`]: ['contents:read'],
  [`GET ${REPO}/git/blobs/{file_sha}`]: ['contents:read'],
  [`GET ${REPO}/git/commits/{commit_sha}`]: ['contents:read'],
  [`GET ${REPO}/git/trees/{tree_sha}`]: ['contents:read'],
  [`POST ${REPO}/git/blobs`]: ['contents:write'],
  [`POST ${REPO}/git/trees`]: ['contents:write'],
  [`POST ${REPO}/git/commits`]: ['contents:write'],
  [`POST ${REPO}/git/refs`]: ['contents:write'],
  [`PATCH ${REPO}/git/refs/{ref}`]: ['contents:write'],
  [`DELETE ${REPO}/git/refs/{ref}`]: ['contents:write'],

  [`POST ${REPO}/check-runs`]: ['checks:write'],
  [`PATCH ${REPO}/check-runs/{check_run_id}`]: ['checks:write'],
  [`GET ${REPO}/check-runs/{check_run_id}`]: ['checks:read'],
  [`GET ${REPO}/check-runs/{check_run_id}/annotations`]: ['checks:read'],
  [`GET ${REPO}/commits/{ref}/check-runs`]: ['checks:read'],

  [`GET ${REPO}/pulls`]: ['pull_requests:read'],
  [`POST ${REPO}/pulls`]: ['pull_requests:write'],
  [`GET ${REPO}/pulls/{pull_number}`]: ['pull_requests:read'],
  [`PATCH ${REPO}/pulls/{pull_number}`]: ['pull_requests:write'],
  [`GET ${REPO}/pulls/{pull_number}/files`]: ['pull_requests:read'],
  [`GET ${REPO}/pulls/{pull_number}/comments`]: ['pull_requests:read'],
  [`POST ${REPO}/pulls/{pull_number}/comments`]: ['pull_requests:write'],
  [`PATCH ${REPO}/pulls/comments/{comment_id}`]: ['pull_requests:write'],
  [`DELETE ${REPO}/pulls/comments/{comment_id}`]: ['pull_requests:write'],
  [`GET ${REPO}/pulls/{pull_number}/reviews`]: ['pull_requests:read'],
  [`POST ${REPO}/pulls/{pull_number}/reviews`]: ['pull_requests:write'],

  [`GET ${REPO}/issues`]: ['issues:read'],
  [`POST ${REPO}/issues`]: ['issues:write'],
  [`GET ${REPO}/issues/{issue_number}`]: ['issues:read', 'pull_requests:read'],
  [`PATCH ${REPO}/issues/{issue_number}`]: ['issues:write', 'pull_requests:write'],
  [`GET ${REPO}/issues/{issue_number}/comments`]: ['issues:read', 'pull_requests:read'],
  [`POST ${REPO}/issues/{issue_number}/comments`]: ['issues:write', 'pull_requests:write'],
  [`GET ${REPO}/issues/comments/{comment_id}`]: ['issues:read', 'pull_requests:read'],
  [`PATCH ${REPO}/issues/comments/{comment_id}`]: ['issues:write', 'pull_requests:write'],
  [`DELETE ${REPO}/issues/comments/{comment_id}`]: ['issues:write', 'pull_requests:write'],
  [`GET ${REPO}/issues/comments/{comment_id}/reactions`]: ['issues:read', 'pull_requests:read'],
  [`POST ${REPO}/issues/comments/{comment_id}/reactions`]: ['issues:write', 'pull_requests:write'],

  [`GET ${REPO}/actions/runs`]: ['actions:read'],
  [`GET ${REPO}/actions/runs/{run_id}`]: ['actions:read'],
  [`POST ${REPO}/actions/runs/{run_id}/cancel`]: ['actions:write'],
  [`GET ${REPO}/actions/runs/{run_id}/artifacts`]: ['actions:read'],
  [`GET ${REPO}/actions/workflows/{workflow_id}/runs`]: ['actions:read'],
  [`POST ${REPO}/actions/workflows/{workflow_id}/dispatches`]: ['actions:write'],
  [`GET ${REPO}/actions/artifacts/{artifact_id}/{archive_format}`]: ['actions:read'],
}

/** What an App calls as itself, with its JWT. */
const appEndpoints = [
  // How an App begins: its code is all that it asks for.
  'POST /app-manifests/{code}/conversions',
  'GET /app',
  'GET /app/installations',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  `GET ${REPO}/installation`,
  'GET /app/hook/config',
  'GET /app/hook/deliveries',
  'POST /app/hook/deliveries/{delivery_id}/attempts',
].map(pattern)

const installationEndpoints = Object.entries(endpointNeeds).map(([endpoint, needs]) => ({
  pattern: pattern(endpoint),
  needs,
}))

export type Access =
  | { readonly kind: 'unlisted' }
  /** With the App's JWT, whatever was granted. */
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly needs: Needs }

export function accessTo(method: string, path: string): Access {
  const call = `${method} ${path}`
  if (appEndpoints.some(one => one.test(call))) return { kind: 'app' }
  const endpoint = installationEndpoints.find(one => one.pattern.test(call))
  return endpoint === undefined ? { kind: 'unlisted' } : { kind: 'installation', needs: endpoint.needs }
}

export function covers(granted: Permissions, needs: Needs): boolean {
  return needs.some(need => {
    const [name = '', level] = need.split(':')
    return granted[name] === 'write' || (granted[name] === 'read' && level === 'read')
  })
}

/** Paths of files, names of refs and ranges of them may hold slashes; nothing else may. */
function pattern(endpoint: string): RegExp {
  const source = endpoint.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    ['path', 'ref', 'branch', 'basehead'].includes(name) ? '.+' : '[^/]+',
  )
  return new RegExp(`^${source}$`)
}
