/** GitHub's paging: `page` and `per_page` (30 unless told, 100 at most), answered with a `Link` header. */

export interface Page<T> {
  readonly items: readonly T[]
  readonly headers: Readonly<Record<string, string>>
}

/** `publicUrl` is this server's origin, without a trailing slash. */
export function paged<T>(all: readonly T[], requestUrl: string, publicUrl: string): Page<T> {
  const url = new URL(requestUrl)
  const page = Math.max(1, Number(url.searchParams.get('page') ?? 1))
  const perPage = Math.min(100, Math.max(1, Number(url.searchParams.get('per_page') ?? 30)))
  const items = all.slice((page - 1) * perPage, page * perPage)
  if (page * perPage >= all.length) return { items, headers: {} }
  url.searchParams.set('page', String(page + 1))
  return { items, headers: { link: `<${publicUrl}${url.pathname}${url.search}>; rel="next"` } }
}
