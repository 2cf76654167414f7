/** Sites at which names are looked up, and values that stand for what is not known there. */
import type { Span } from '../syntax/expressions.ts'
import type { Place, Scope } from '../syntax/module.ts'
import { type Frame, type Site, shownAt, type Value } from './values.ts'

/** At the end of a scope, when all of it has run. */
export function siteOf(scope: Scope, frame?: Frame): Site {
  return { module: scope.module, scope, at: Number.MAX_SAFE_INTEGER, branches: [], ...(frame && { frame }) }
}

export function placed({ scope, at, branches }: Place): Place {
  return { scope, at, branches }
}

/** The site of something in a file. */
export function siteAt(place: Place): Site {
  return { module: place.scope.module, ...placed(place) }
}

export function symbol(name: string, { from, to }: Span, site: Site): Value {
  return { module: site.module, from, to, remarks: [], kind: 'symbol', name }
}

export function open(site: Site, { from, to }: Span, why: string): Value {
  return { module: site.module, from, to, remarks: [], kind: 'open', why }
}

export function unknown(site: Site, span: Span): Value {
  return open(site, span, `${shownAt(site.module, span)} depends on run time`)
}

/** As the file writes it, on one line and cut. */
export function writtenAs({ module, from, to }: Value): string {
  return module.text.slice(from, Math.min(to, from + 60)).replaceAll(/\s+/g, ' ')
}

/** Longer expressions are no names. */
const MAX_NAME = 200

export function sourceOf({ from, to }: Span, { module }: Pick<Site, 'module'>): string {
  return to - from > MAX_NAME ? '' : module.text.slice(from, to)
}
