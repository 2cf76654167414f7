/** What axe-core finds on a page. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import * as z from 'zod'
import { desktop, phone } from '../../test/server/dashboard/chromium.ts'

const audited = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), help: z.string(), nodes: z.array(z.unknown()) }),
)

interface AuditOptions {
  readonly viewport: typeof desktop
  readonly colorScheme: 'light' | 'dark'
}

/** On a desktop and on a phone, light and dark. */
export async function audits(browser: Browser, url: string, ready?: string): Promise<string[]> {
  const faults: string[] = []
  for (const viewport of [desktop, phone]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      faults.push(...(await audit(browser, url, { viewport, colorScheme }, ready)))
    }
  }
  return faults
}

/** What is folded away is looked at too. One line for each serious or critical fault. `ready`: a selector to wait for. */
async function audit(browser: Browser, url: string, options: AuditOptions, ready = 'h1'): Promise<string[]> {
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
        `${impact} at ${options.viewport.width} px, ${options.colorScheme}: ${help} (${id}, ${nodes.length} times)`,
    )
}
