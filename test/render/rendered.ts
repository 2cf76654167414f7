/** Rendered Markdown as GitHub's users meet it: through a GFM renderer, with raw HTML let through. */
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

export function toHtml(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true })
}

/** Tag names in order, without those that merely wrap text (`code` outside blocks, `span`). */
export function structure(html: string): string[] {
  const blocks = html.replaceAll(/<pre>.*?<\/pre>/gs, '<pre>')
  return Array.from(blocks.matchAll(/<(\/?[a-zA-Z!][^\s>]*)/g), ([, name]) => name ?? '').filter(
    name => !/^\/?(?:code|span)$/.test(name),
  )
}

/** The text in which GitHub looks for mentions and references: all of it, except in code. */
export function liveText(html: string): string {
  return html
    .replaceAll(/<pre>.*?<\/pre>/gs, ' ')
    .replaceAll(/<code[^>]*>.*?<\/code>/gs, ' ')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
