/** What axe-core finds on a page. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import * as z from 'zod'

const audited = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), help: z.string(), nodes: z.array(z.unknown()) }),
)

export interface AuditOptions extends BrowserContextOptions {
  readonly viewport: { readonly width: number; readonly height: number }
}

/** What is folded away is looked at too. One line for each serious or critical fault. `ready`: a selector to wait for. */
export async function audit(browser: Browser, url: string, options: AuditOptions, ready = 'h1'): Promise<string[]> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'load' })
  await page.locator(ready).first().waitFor()
  await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const violations = audited.parse(await page.evaluate('axe.run().then(({ violations }) => violations)'))
  await context.close()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, impact, help, nodes }) =>
        `${impact} at ${options.viewport.width} px: ${help} (${id}, ${nodes.length} times)`,
    )
}
