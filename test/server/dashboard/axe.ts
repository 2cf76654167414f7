/** What axe-core finds on a page. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** Whatever axe-core objects to, with everything unfolded. */
export async function audit(page: Page): Promise<unknown> {
  await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
  // The page's policy allows no script of others; the browser's own evaluation is not bound by it.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) => [id, help, nodes.map(({ html }) => html)]))',
  )
}
