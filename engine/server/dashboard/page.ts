/** What every page shares: the head, the navigation, the way past it. */
import { html } from 'hono/html'
import { version } from '../../version.ts'
import type { Assets } from './assets.ts'

/** Markup whose untrusted parts are escaped already. */
export type Html = ReturnType<typeof html>

/** A part of a page that may have nothing to say. */
export type MaybeHtml = Html | ''

export type Section = 'analyse' | 'repositories'

export interface PageOptions {
  /** Without the product's name. */
  readonly title: string
  readonly section?: Section
  /** For a page that changes by itself and whose reader has no JavaScript. */
  readonly refreshSeconds?: number
}

export function page(assets: Assets, { title, section, refreshSeconds }: PageOptions, main: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<meta name="theme-color" content="#0a0a0a">
<title>${title} · MemoryMark</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon.url}">
<link rel="stylesheet" href="${assets.styles.url}">
<script type="module" src="${assets.script.url}"></script>
${refreshSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>MemoryMark</a>
<nav aria-label="Pages">
${navigationLink('/', 'Analyse', section === 'analyse')}
${navigationLink('/repositories', 'Repositories', section === 'repositories')}
</nav>
</header>
<main id="main" tabindex="-1">${main}</main>
<footer class="site">MemoryMark ${version}. API: <a href="/openapi.json">OpenAPI</a>.</footer>
</body>
</html>`
}

function navigationLink(href: string, name: string, isCurrent: boolean): Html {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${name}</a>`
}
