/** Every page of the dashboard on a desktop and a phone, light and dark; a picture of each is kept to be looked at. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepScreenshot } from './artifacts.ts'
import { freshAssets } from './assets.ts'
import { audit } from './axe.ts'
import { chromiumPath, desktop, launchChromium, phone, watchedPage } from './chromium.ts'
import { everyPage, pageNames } from './every-page.ts'
import { HandDriven } from './hand-driven.ts'
import { knownRepositories } from './known-repositories.ts'
import { type CuttableSite, cuttable, siteApp } from './site.ts'

const ownScroll = 'document.documentElement.scrollWidth <= window.innerWidth'
/** Of the page's background, from 0 for black to 255. */
const brightness = `Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))`

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let browser: Browser
  let site: CuttableSite
  let paths: Awaited<ReturnType<typeof everyPage>>

  beforeAll(async () => {
    const analyses = new HandDriven()
    const [assets, launched] = await Promise.all([freshAssets(), launchChromium()])
    browser = launched
    site = await cuttable(siteApp({ assets, analyses, repositories: knownRepositories() }))
    paths = await everyPage(analyses)
  })
  afterAll(async () => {
    await browser?.close()
    await site?.[Symbol.asyncDispose]()
  })

  describe.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('on a %s', (size, viewport) => {
    test.each(pageNames.flatMap(name => (['light', 'dark'] as const).map(scheme => [name, scheme] as const)))(
      '%s in %s follows the scheme, fits, and axe-core finds nothing',
      async (name, colorScheme) => {
        await using watched = await watchedPage(browser, { viewport, colorScheme, tolerated: /404/ })
        const { page, complaints } = watched
        await page.goto(site.url + paths[name])
        await page.locator('h1').waitFor()
        for (const chart of await page.locator('.chart').all()) await chart.locator('canvas').waitFor()
        expect(Number(await page.evaluate(brightness)) > 127).toBe(colorScheme === 'light')
        expect(await page.evaluate(ownScroll)).toBe(true)
        await keepScreenshot(page, `${size}-${colorScheme}-${name.replaceAll(' ', '-')}`)
        expect(await audit(page)).toEqual([])
        expect(complaints).toEqual([])
      },
    )
  })
})
