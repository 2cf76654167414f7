/** Runs axe-core on a page and checks that it is no wider than the screen; `--screenshots <folder>` saves pictures. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import * as z from 'zod'
import { desktop, phone } from '../../test/server/dashboard/chromium.ts'

const audited = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), help: z.string(), nodes: z.array(z.unknown()) }),
)

const { screenshots } = parseArgs({ options: { screenshots: { type: 'string' } } }).values

interface AuditOptions {
  /** Of the page. */
  readonly name: string
  readonly viewport: typeof desktop
  readonly colorScheme: 'light' | 'dark'
}

/** On a desktop and on a phone, light and dark. */
export async function audits(browser: Browser, name: string, url: string, ready?: string): Promise<string[]> {
  const faults: string[] = []
  for (const viewport of [desktop, phone]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      faults.push(...(await audit(browser, url, { name, viewport, colorScheme }, ready)))
    }
  }
  return faults
}

/** Opens folded parts too. One line per serious or critical finding. `ready`: a selector to wait for. */
async function audit(
  browser: Browser,
  url: string,
  { name, ...options }: AuditOptions,
  ready = 'h1',
): Promise<string[]> {
  const context = await browser.newContext(options)
  const where = `at ${options.viewport.width} px, ${options.colorScheme}`
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'load' })
  await page.locator(ready).first().waitFor()
  await page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
  if (screenshots !== undefined) {
    await page.screenshot({ path: path.join(screenshots, `${name}, ${where}.png`), fullPage: true })
  }
  const overflow = z.number().parse(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const violations = audited.parse(await page.evaluate('axe.run().then(({ violations }) => violations)'))
  await context.close()
  const tooWide = overflow > 0 ? [`${overflow} px wider than the screen ${where}`] : []
  const faults = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => `${impact} ${where}: ${help} (${id}, ${nodes.length} times)`)
  return [...tooWide, ...faults]
}
