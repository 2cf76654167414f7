/**
 * Every page of the dashboard, and the playground, in a real Chromium, on this machine, with nothing in the browser's cache: what it
 * weighs as it crosses the wire (markup, script, styles, icon; headers included), when it first paints, and what axe-core finds, on a
 * desktop and on a phone, light and dark; of the playground also when its first answer stands there.
 * Fails when a page weighs above 150 kB or first paints after 1 s (median of its loads), when the playground needs more than 300 kB
 * or 1 s for its first answer, where axe-core finds anything serious or critical, or where a page is wider than the screen.
 * `--screenshots <folder>` leaves each as it looks. Needs Chromium (MEMORYMARK_CHROMIUM, or where distributions put it).
 */
import type { Browser, Page } from 'playwright-core'
import * as z from 'zod'
import { freshAssets } from '../test/server/dashboard/assets.ts'
import { chromiumPath, desktop, launchChromium } from '../test/server/dashboard/chromium.ts'
import { everyPage } from '../test/server/dashboard/every-page.ts'
import { HandDriven } from '../test/server/dashboard/hand-driven.ts'
import { knownRepositories } from '../test/server/dashboard/known-repositories.ts'
import { cuttable, siteApp } from '../test/server/dashboard/site.ts'
import { audits } from './page/audit.ts'
import { playgroundPassed } from './page/playground.ts'

const MAX_KILOBYTES = 150
const MAX_FIRST_PAINT_MILLIS = 1_000
const LOADS = 7

if (chromiumPath === undefined) {
  console.log('SKIPPED: there is no Chromium here. Set MEMORYMARK_CHROMIUM to its executable.')
  process.exit(0)
}

interface PageFigures {
  readonly kilobytes: number
  readonly firstPaintMillis: number
  readonly faults: readonly string[]
}

const analyses = new HandDriven()
await using site = await cuttable(siteApp({ assets: await freshAssets(), analyses, repositories: knownRepositories() }))
await using browser = await launchChromium()
const figures: PageFigures[] = []
for (const [name, path] of Object.entries(await everyPage(analyses))) {
  figures.push(await measure(browser, name, site.url + path))
}

const kilobytes = Math.max(...figures.map(page => page.kilobytes))
const firstPaintMillis = Math.max(...figures.map(page => page.firstPaintMillis))
const faults = figures.flatMap(page => page.faults)
const dashboardPassed = kilobytes <= MAX_KILOBYTES && firstPaintMillis <= MAX_FIRST_PAINT_MILLIS && faults.length === 0
console.log(
  `${dashboardPassed ? 'ok' : 'FAILED'}: ${figures.length} pages of at most ${kilobytes.toFixed(1)} kB (limit ${MAX_KILOBYTES}), ` +
    `first paint after ${firstPaintMillis.toFixed(0)} ms at most (limit ${MAX_FIRST_PAINT_MILLIS}), ` +
    `${faults.length} serious or critical faults by axe-core or of width (limit 0)`,
)
process.exitCode = (await playgroundPassed(browser)) && dashboardPassed ? 0 : 1

async function measure(browser: Browser, name: string, url: string): Promise<PageFigures> {
  const loads: { readonly bytes: number; readonly firstPaintMillis: number }[] = []
  for (let load = 0; load < LOADS; load++) loads.push(await coldLoad(browser, url))
  const paints = loads.map(({ firstPaintMillis }) => firstPaintMillis).toSorted((a, b) => a - b)
  const page: PageFigures = {
    kilobytes: Math.max(...loads.map(({ bytes }) => bytes)) / 1_000,
    firstPaintMillis: paints[Math.floor(LOADS / 2)] ?? Number.POSITIVE_INFINITY,
    faults: await audits(browser, name, url),
  }
  console.log(
    `${name}: ${page.kilobytes.toFixed(1)} kB, first paint ${page.firstPaintMillis.toFixed(0)} ms (${paints[0]?.toFixed(0)} to ${paints.at(-1)?.toFixed(0)})`,
  )
  for (const fault of page.faults) console.log(`  ${fault}`)
  return page
}

/** A new context has an empty cache. */
async function coldLoad(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: desktop })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(url, { waitUntil: 'load' })
  await page.locator('main h1').waitFor()
  const firstPaintMillis = await firstContentfulPaint(page)
  await context.close()
  return { bytes, firstPaintMillis }
}

async function firstContentfulPaint(page: Page): Promise<number> {
  return z.number().parse(
    await page.evaluate(`new Promise(resolve => {
      new PerformanceObserver(list => {
        const paint = list.getEntriesByName('first-contentful-paint')[0]
        if (paint) resolve(paint.startTime)
      }).observe({ type: 'paint', buffered: true })
    })`),
  )
}
