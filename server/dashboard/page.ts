/** What all pages share: head, navigation, skip link. */
import { html } from 'hono/html'
import { version } from '../../engine/base/version.ts'
import type { Assets } from './assets.ts'

/** Markup whose untrusted parts are escaped. */
export type Html = ReturnType<typeof html>

/** A part of a page, which may be empty. */
export type MaybeHtml = Html | ''

export type Section = 'analyse' | 'repositories'

export interface PageOptions {
  /** Without the product's name. */
  readonly title: string
  readonly section?: Section
  /** Seconds until the page reloads, for readers without JavaScript. */
  readonly refreshSeconds?: number
}

export function page(assets: Assets, { title, section, refreshSeconds }: PageOptions, main: Html): Html {
  return documentOf({
    title,
    head: html`<link rel="icon" type="image/svg+xml" href="${assets.icon.url}">
<link rel="stylesheet" href="${assets.styles.url}">
<script type="module" src="${assets.script.url}"></script>
${refreshSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}`,
    home: '/',
    navigation: html`<nav aria-label="Pages">
${navigationLink('/', 'Analyse', section === 'analyse')}
${navigationLink('/repositories', 'Repositories', section === 'repositories')}
</nav>`,
    main,
    footer: html`MemoryMark ${version}. API: <a href="/openapi.json">OpenAPI</a>.`,
  })
}

export interface DocumentParts {
  /** Without the product's name. */
  readonly title: string
  readonly head: Html
  /** The target of the product's name. */
  readonly home: string
  readonly navigation: MaybeHtml
  readonly main: Html
  readonly footer: Html
}

/** The frame of every page of the server and the playground. */
export function documentOf({ title, head, home, navigation, main, footer }: DocumentParts): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f7f7">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0a0a0a">
<title>${title} · MemoryMark</title>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site">
<a class="brand" href="${home}"><span class="mark" aria-hidden="true"></span>MemoryMark</a>
${navigation}
</header>
<main id="main" tabindex="-1">${main}</main>
<footer class="site">${footer}</footer>
</body>
</html>`
}

function navigationLink(href: string, name: string, isCurrent: boolean): Html {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${name}</a>`
}
