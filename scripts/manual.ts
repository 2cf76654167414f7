/** The manual as pages of the site: the README and docs/, so that there is one text to keep. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { html, raw } from 'hono/html'
import MarkdownIt from 'markdown-it'
import { version } from '../engine/base/version.ts'
import { documentOf, type Html } from '../server/dashboard/page.ts'
import { type BuiltFile, root } from './bundles.ts'

/** Relative to the site. */
const FOLDER = 'manual'

export interface ManualOptions {
  /** Of the dashboard, relative to the site. */
  readonly styles: string
  readonly icon: string
  /**
   * The address of the repository's files, such as `https://github.com/acme/memorymark/blob/main`; without it, links to
   * them become text.
   */
  readonly sources?: string
}

interface Chapter {
  /** Relative to the repository. */
  readonly source: string
  readonly name: string
  readonly title: string
  readonly text: string
}

/** In the order in which the README's table names them. */
export async function manual(options: ManualOptions): Promise<BuiltFile[]> {
  const readme = await readText('README.md')
  const named = Array.from(readme.matchAll(/^\| \[docs\/([\w-]+\.md)\]/gm), ([, name]) => `docs/${name}`)
  const chapters = await Promise.all(['README.md', ...named].map(chapterOf))
  const beside = (await readdir(path.join(root, 'docs'))).filter(name => !name.endsWith('.md')).sort()
  return [
    { name: `${FOLDER}/manual.css`, contents: await readFile(new URL('manual.css', import.meta.url)) },
    ...(await Promise.all(
      beside.map(async name => ({ name: `${FOLDER}/${name}`, contents: await readBytes(`docs/${name}`) })),
    )),
    ...(await Promise.all(chapters.map(chapter => pageOf(chapter, chapters, options)))),
  ]
}

async function chapterOf(source: string): Promise<Chapter> {
  const text = await readText(source)
  const [, heading = source] = /^# (.+)$/m.exec(text) ?? []
  const isFront = source === 'README.md'
  return {
    source,
    name: isFront ? 'index.html' : `${path.basename(source, '.md')}.html`,
    title: isFront ? 'Overview' : heading,
    text,
  }
}

async function pageOf(chapter: Chapter, chapters: readonly Chapter[], options: ManualOptions): Promise<BuiltFile> {
  const link = ({ name, title }: Chapter): Html =>
    html`<li><a href="${name}"${name === chapter.name ? raw(' aria-current="page"') : ''}>${title}</a></li>`
  const document = documentOf({
    title: chapter.title,
    head: html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
<link rel="icon" type="image/svg+xml" href="../${options.icon}">
<link rel="stylesheet" href="../${options.styles}">
<link rel="stylesheet" href="manual.css">`,
    home: '../',
    navigation: html`<nav aria-label="Pages"><a href="../">Playground</a><a href="index.html" aria-current="true">Manual</a></nav>`,
    main: html`<div class="manual"><nav aria-label="Chapters"><ul>${chapters.map(link)}</ul></nav>
<article class="card">${raw(rendered(chapter, chapters, options.sources))}</article></div>`,
    footer: html`MemoryMark ${version}`,
  })
  return { name: `${FOLDER}/${chapter.name}`, contents: new TextEncoder().encode(`${String(await document)}\n`) }
}

/** The texts are our own, with the little HTML that GitHub shows as well. */
function rendered({ source, text }: Chapter, chapters: readonly Chapter[], sources: string | undefined): string {
  const markdown = new MarkdownIt({ html: true })
  const { renderer } = markdown
  renderer.rules.heading_open = (tokens, index, options) => {
    tokens[index]?.attrSet('id', slugOf(tokens[index + 1]?.content ?? ''))
    return renderer.renderToken(tokens, index, options)
  }
  renderer.rules.table_open = () => '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>\n'
  renderer.rules.table_close = () => '</table></div>\n'
  renderer.rules.link_open = (tokens, index, options) => {
    const token = tokens[index]
    const to = addressOf(token?.attrGet('href') ?? '', source, chapters, sources)
    if (to === undefined) token?.attrs?.splice(0)
    else token?.attrSet('href', to)
    return renderer.renderToken(tokens, index, options)
  }
  const fence = renderer.rules.fence
  renderer.rules.fence = (...args) => (fence?.(...args) ?? '').replace('<pre>', '<pre tabindex="0">')
  const image = renderer.rules.image
  renderer.rules.image = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    token?.attrSet('src', path.posix.basename(token.attrGet('src') ?? ''))
    return image?.(tokens, index, options, environment, self) ?? ''
  }
  return markdown.render(text)
}

/** Undefined for a link to a file that the site does not have. */
function addressOf(
  href: string,
  source: string,
  chapters: readonly Chapter[],
  sources: string | undefined,
): string | undefined {
  if (/^(?:[a-z]+:|#)/.test(href)) return href
  const [to = '', fragment] = href.split('#')
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(source), to))
  const chapter = chapters.find(each => each.source === target)
  const own = chapter?.name ?? (/^docs\/[^/]+$/.test(target) ? path.posix.basename(target) : undefined)
  const address = own ?? (sources === undefined ? undefined : `${sources}/${target}`)
  return address === undefined || fragment === undefined ? address : `${address}#${fragment}`
}

/** Anchors of headings, as GitHub makes them. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function readText(name: string): Promise<string> {
  return readFile(path.join(root, name), 'utf8')
}

function readBytes(name: string): Promise<Uint8Array> {
  return readFile(path.join(root, name))
}
