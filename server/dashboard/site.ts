/** What all pages have access to. */
import type { PagesContext } from '../pages.ts'
import type { Assets } from './assets.ts'

export interface Site {
  readonly assets: Assets
  readonly context: PagesContext
}
