/** Screenshots, kept for whoever looks into a run. */
import path from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../../../scripts/bundles.ts'

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(root, 'test-artifacts', `${name}.png`), fullPage: true })
}
