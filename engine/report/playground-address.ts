/** The address of a playground, and the links to it that a report may hold. */

/** In characters. Browsers and GitHub take longer links, but people do not copy them. */
export const MAX_PLAYGROUND_LINK = 4_000

const MAX_ADDRESS = 300

/** Whether `text` is a plain https page: no user, no query, no fragment. */
export function isPlaygroundAddress(text: string): boolean {
  const url = text.length <= MAX_ADDRESS && /^https:\/\/[\w.:/~%-]+$/.test(text) ? URL.parse(text) : null
  return url !== null && url.username === ''
}

/** Whether `link` leads to the page at `address`. */
export function leadsTo(address: string | undefined, link: string): boolean {
  return address !== undefined && link.startsWith(`${address}#`)
}

/** A link as `engine/playground-link.ts` makes it. */
export const playgroundLinkPattern = /^https:\/\/[\w.:/~%-]+#1\.[\w-]+$/
