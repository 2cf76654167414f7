/**
 * Measures the playground: bytes for its first answer with its charts, compressed by gzip as static hosts send them, the time until
 * the answer is shown, and axe-core's findings in both colour schemes.
 */
import type { Browser } from 'playwright-core'
import * as z from 'zod'
import { buildSite } from '../../scripts/site.ts'
import { staticSite } from '../../test/playground/static-site.ts'
import { desktop } from '../../test/server/dashboard/chromium.ts'
import { audits } from './audit.ts'

const MAX_KILOBYTES = 300
const MAX_ANSWER_MILLIS = 1_000
const LOADS = 7

/** Milliseconds since the navigation began. */
const noteAnswer = `addEventListener('DOMContentLoaded', () => {
  new MutationObserver(() => { globalThis.answeredMillis ??= performance.now() })
    .observe(document.querySelector('[data-answer]'), { childList: true })
})`

export async function playgroundPassed(browser: Browser): Promise<boolean> {
  await using site = await staticSite(await buildSite())
  const kilobytes: number[] = []
  const answers: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const before = site.sentBytes()
    // A new context has an empty cache. The service worker's downloads come after the answer.
    const context = await browser.newContext({ viewport: desktop, serviceWorkers: 'block' })
    const page = await context.newPage()
    await page.addInitScript(noteAnswer)
    await page.goto(site.url)
    await page.locator('[data-answer] .chart canvas').first().waitFor()
    answers.push(z.number().parse(await page.evaluate('answeredMillis')))
    kilobytes.push((site.sentBytes() - before) / 1_000)
    await context.close()
  }
  const sorted = answers.toSorted((a, b) => a - b)
  const answerMillis = sorted[Math.floor(LOADS / 2)] ?? Number.POSITIVE_INFINITY
  const weight = Math.max(...kilobytes)
  const faults = await audits(browser, 'the playground', site.url, '[data-answer] .headline')
  for (const fault of faults) console.log(`  ${fault}`)
  const passed = weight <= MAX_KILOBYTES && answerMillis <= MAX_ANSWER_MILLIS && faults.length === 0
  console.log(
    `${passed ? 'ok' : 'FAILED'}: playground of ${weight.toFixed(1)} kB with its charts (limit ${MAX_KILOBYTES}), first answer after ` +
      `${answerMillis.toFixed(0)} ms (${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)}, limit ${MAX_ANSWER_MILLIS}), ` +
      `${faults.length} serious or critical faults by axe-core or of width (limit 0)`,
  )
  return passed
}
