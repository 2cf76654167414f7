/** A page that shows a pull request of the emulated GitHub as its readers meet it: comment, suggestions, check and annotations. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import type { PullRequest, Repository } from '../../test/github/index.ts'
import { barChart } from './bar-chart.ts'
import { freePort } from './free-port.ts'

export interface PullRequestPage extends AsyncDisposable {
  readonly url: string
}

/** The pull request as it stands at each request, on loopback. */
export async function showPullRequest(repository: Repository, pullRequest: PullRequest): Promise<PullRequestPage> {
  const style = await readFile(new URL('pull-request-page.css', import.meta.url), 'utf8')
  const app = new Hono()
  app.get('/', async c => c.html(await page(repository, pullRequest, style)))
  const port = await freePort()
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
      }),
  }
}

async function page(repository: Repository, pullRequest: PullRequest, style: string) {
  const title = `Pull request ${pullRequest.number} of ${repository.fullName}`
  const [comments, reviewComments, runs] = await Promise.all([
    repository.comments(pullRequest),
    repository.reviewComments(pullRequest),
    repository.checkRuns(pullRequest.headSha),
  ])
  const suggestions = await Promise.all(
    reviewComments.map(async comment => {
      const file = (await repository.fileAt(comment.path, pullRequest.headSha)) ?? ''
      return { comment, before: file.split('\n').slice((comment.start_line ?? comment.line) - 1, comment.line) }
    }),
  )
  // Of the runs of one name, GitHub shows the latest.
  const latest = [...new Map(runs.map(run => [run.name, run])).values()]
  const checks = latest.map(run => ({ ...run, annotations: repository.annotations(run.id) }))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<h2>Conversation</h2>
${comments.map(({ user, body }) => card(user.login, body))}
<h2>Files changed</h2>
${suggestions.map(({ comment, before }) => card(`${comment.user.login} on ${comment.path}, ${lineWords(comment.start_line, comment.line)}`, withDiff(comment.body, before)))}
<h2>Checks</h2>
${checks.map(
  ({ name, conclusion, status, output, annotations }) => html`
<article><header><b>${name}</b>: ${conclusion ?? status}</header>
<div class="body"><h3>${output.title ?? ''}</h3>${markdown(output.summary ?? '')}${markdown(output.text ?? '')}
${annotations.map(
  ({ path, start_line, annotation_level, message }) =>
    html`<p class="annotation ${annotation_level}"><b>${path}, line ${start_line}</b><br>${message}</p>`,
)}</div></article>`,
)}
</main>
</body>
</html>`
}

function lineWords(first: number | null, last: number): string {
  return first === null || first === last ? `line ${last}` : `lines ${first} to ${last}`
}

function card(heading: string, body: string) {
  return html`<article><header>${heading}</header><div class="body">${markdown(body)}</div></article>`
}

/** A suggestion with the lines that it replaces, as GitHub shows it. */
function withDiff(body: string, before: readonly string[]): string {
  return body.replace(/^(`{3,})suggestion\n(.*?)^\1$/ms, (_, fence: string, after: string) => {
    const added = after.trimEnd().split('\n')
    const lines = [...before.map(line => `-${line}`), ...added.map(line => `+${line}`)]
    return ['**Suggested change**\n', `${fence}diff`, ...lines, fence].join('\n')
  })
}

/** Our own texts; what in them is a stranger's is escaped there, as on GitHub. */
function markdown(text: string) {
  const rendered = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true })
  return raw(
    rendered
      .replace(
        /<pre><code class="language-diff">(.*?)<\/code><\/pre>/gs,
        (_, code: string) => `<pre class="diff">${code.trimEnd().split('\n').map(diffLine).join('')}</pre>`,
      )
      .replace(
        /<pre><code class="language-mermaid">(.*?)<\/code><\/pre>/gs,
        (block, code: string) => barChart(code) ?? block,
      ),
  )
}

function diffLine(line: string): string {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context'
  return `<span class="${kind}">${line}\n</span>`
}
