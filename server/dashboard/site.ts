/** What every page needs to answer. */
import type { PagesContext } from '../pages.ts'
import type { Assets } from './assets.ts'

export interface Site {
  readonly assets: Assets
  readonly context: PagesContext
}
