/** The pages of the setup, without JavaScript. Everything in them that is not ours is escaped. */
import { html, raw } from 'hono/html'
import type { manifestFor } from './manifest.ts'
import { style } from './style.ts'

export type Page = ReturnType<typeof html>

export interface SetupPageParts {
  readonly manifest: ReturnType<typeof manifestFor>
  /** GitHub's page that receives the manifest. */
  readonly createUrl: string
  /** The page's token, for the form that names an organization. */
  readonly token: string
  /** The organization that will own the App; undefined for the person's own account. */
  readonly organization: string | undefined
  /** The file in which the credentials will be stored. */
  readonly file: string
}

export function setupPage({ manifest, createUrl, token, organization, file }: SetupPageParts): Page {
  const permissions = Object.entries(manifest.default_permissions)
  return frame(
    'Create the GitHub App',
    html`<p>This bot has no GitHub App yet. The button takes you to GitHub, which asks for a name and creates an App of your own with
these settings:</p>
<dl>
<dt>Owner</dt><dd>${organization ?? 'your own account'}</dd>
<dt>Webhooks go to</dt><dd><code>${manifest.hook_attributes.url}</code></dd>
<dt>Permissions</dt><dd>${permissions.map(([name, level]) => `${name}: ${level}`).join(', ')}</dd>
<dt>Events</dt><dd>${manifest.default_events.join(', ')}</dd>
<dt>Its key is kept in</dt><dd><code>${file}</code>, on this machine, for the bot's user only</dd>
</dl>
<form method="post" action="${createUrl}">
<input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
<button>Create the GitHub App</button>
</form>
<p>GitHub must be able to reach that webhook address. If it is not the public one, open this page under the public one first.</p>
<form method="get" class="later">
<input type="hidden" name="token" value="${token}">
<label>If an organization is to own it, its name <input name="organization" value="${organization ?? ''}" pattern="[A-Za-z0-9\\-]{1,39}"></label>
<button>Change the owner</button>
</form>`,
  )
}

export interface CreatedPageParts {
  readonly slug: string
  readonly installUrl: string
  readonly file: string
}

export function createdPage({ slug, installUrl, file }: CreatedPageParts): Page {
  return frame(
    'The App exists',
    html`<p>GitHub has created the App <b>${slug}</b>. Its key and secret are in <code>${file}</code>; keep a copy of that file. The bot is
starting.</p>
<p><a href="${installUrl}">Install it on your repositories</a></p>`,
  )
}

export function refusedPage(message: string, fix: string): Page {
  return frame('That did not work', html`<p>${message}.</p><p>${fix}</p>`)
}

function frame(title: string, main: Page): Page {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · MemoryMark</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>`
}
