/** The pages in a real Chromium, against the real server. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { defaultGpu } from '../../../engine/gpus/catalogue.ts'
import type { Machine } from '../../../engine/probes/device.ts'
import type { Assets } from '../../../server/dashboard/assets.ts'
import { dashboard } from '../../../server/dashboard/routes.ts'
import { type ListenOptions, listen, type RunningServer } from '../../../server/listen.ts'
import { hasTorch, python } from '../../probes/python.ts'
import { keepScreenshot } from './artifacts.ts'
import { freshAssets } from './assets.ts'
import { chromiumPath, desktop, launchChromium, phone, type WatchOptions, watchedPage } from './chromium.ts'
import { HandDriven } from './hand-driven.ts'
import { type CuttableSite, cuttable, siteApp } from './site.ts'

const ownScroll = 'document.documentElement.scrollWidth <= window.innerWidth'
const focused = 'document.activeElement.id || document.activeElement.name || document.activeElement.textContent.trim()'

/** The log makes way for the result; what was added to it is kept for the test. */
const rememberLines = `
  globalThis.rememberedLines = []
  addEventListener('DOMContentLoaded', () => {
    new MutationObserver(changes => {
      const added = changes.flatMap(change => [...change.addedNodes]).filter(node => node.parentElement?.closest('.log'))
      rememberedLines.push(...added.map(node => node.textContent))
    }).observe(document.body, { childList: true, subtree: true })
  })`

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let browser: Browser
  let assets: Assets
  let served: ListenOptions
  let server: RunningServer

  beforeAll(async () => {
    // The server's processes take it over: nothing here may ask the Hub.
    vi.stubEnv('HF_HUB_OFFLINE', '1')
    ;[browser, assets] = await Promise.all([launchChromium(), freshAssets()])
    served = {
      host: '127.0.0.1',
      port: 0,
      gpu: defaultGpu,
      engine: 'estimate',
      python: 'python3',
      pages: dashboard(assets),
      log: text => console.error(text),
    }
    server = await listen(served)
  })

  afterAll(async () => {
    vi.unstubAllEnvs()
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  async function opened(url: string, options: WatchOptions) {
    const watched = await watchedPage(browser, options)
    onTestFinished(() => watched[Symbol.asyncDispose]())
    await watched.page.goto(url)
    return watched
  }

  describe.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('on a %s', (name, viewport) => {
    test('a model is analysed, and the result says what to change and how it is known', async () => {
      const { page, complaints } = await opened(server.url, { viewport })
      expect(await page.evaluate(ownScroll)).toBe(true)
      await keepScreenshot(page, `${name}-analyse`)

      await page.getByRole('combobox', { name: 'Model' }).fill('google-bert/bert-base-uncased')
      await page.getByLabel('GPU', { exact: true }).selectOption('a10')
      await page.getByRole('button', { name: 'Analyse' }).click()
      const heading = page.getByRole('heading', { level: 1 })
      await heading.filter({ hasText: 'google-bert/bert-base-uncased on NVIDIA A10' }).waitFor()

      expect(await page.title()).toBe('Result: google-bert/bert-base-uncased on NVIDIA A10 · MemoryMark')
      const text = await page.locator('main').innerText()
      expect(text).toContain('Micro-batch 32 would bring')
      expect(text).toMatch(/2\.\d\d of 21\.8 GiB \(14 %\)/)
      expect(text).toContain('per_device_train_batch_size: 32')
      expect(await page.locator('.bars .chip.modelled').count()).toBe(3)
      expect(await page.locator('.chip.measured').count()).toBe(0)
      expect(await page.locator('.chart canvas').count()).toBe(2)
      expect(await page.evaluate(ownScroll)).toBe(true)
      expect(complaints).toEqual([])
      await keepScreenshot(page, `${name}-result`)
    })

    test('a pasted config comes back with the recommended size in its place', async () => {
      const { page, complaints } = await opened(server.url, { viewport })
      await page.getByLabel('A training config').check()
      await page
        .getByLabel('Training config', { exact: true })
        .fill('# ours\nmemorymark:\n  model: gpt2\n  batch_size: 2\n  sequence_length: 512\n')
      await page.getByRole('button', { name: 'Analyse' }).click()
      const pasted = page.getByRole('region', { name: 'Your config with the new sizes' })
      await pasted.waitFor()
      expect(await pasted.textContent()).toMatch(
        /^# ours\nmemorymark:\n {2}model: gpt2\n {2}batch_size: (?!2\n)\d+\n {2}sequence_length: 512\n$/,
      )
      expect(complaints).toEqual([])
    })
  })

  test('a problem is told beside its field, and the message can be dismissed', async () => {
    const { page } = await opened(server.url, { viewport: desktop, tolerated: /400/ })
    await page.getByRole('button', { name: 'Analyse' }).click()
    const message = page.getByRole('alert')
    expect(await message.innerText()).toContain('no model is named')
    expect(await page.getByRole('combobox', { name: 'Model' }).getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect(await message.count()).toBe(0)
  })

  test('a model that nobody knows ends in what to do, with a way to try again', async () => {
    const { page } = await opened(server.url, { viewport: desktop })
    await page.getByRole('combobox', { name: 'Model' }).fill('nobody/knows-this')
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.getByRole('heading', { name: 'No result: nobody/knows-this' }).waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('nobody/knows-this')
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
    expect(await page.getByRole('link', { name: 'Analyse another' }).isVisible()).toBe(true)
  })

  test('what this machine has is shown as soon as that is known', async () => {
    const found = Promise.withResolvers<Machine>()
    const context = {
      analyses: new HandDriven(),
      machine: () => found.promise,
      gpu: defaultGpu,
      engine: 'auto',
    } as const
    const site = await cuttable(dashboard(assets)(context))
    onTestFinished(() => site[Symbol.asyncDispose]())
    const { page, complaints } = await opened(site.url, { viewport: desktop })
    const card = page.getByRole('region', { name: 'This machine' })
    expect(await card.innerText()).toContain('Still detecting')
    found.resolve({
      kind: 'python',
      python: '3.12.0',
      torch: '2.13.0',
      transformers: '5.18.0',
      hasBitsandbytes: false,
      device: {
        kind: 'cuda',
        name: 'NVIDIA A10',
        count: 2,
        totalBytes: 22.06 * 2 ** 30,
        contextBytes: 300 * 2 ** 20,
        otherBytes: 0,
        isCapped: false,
        usableBytes: 22.06 * 2 ** 30 - 300 * 2 ** 20,
        cublasWorkspaceBytes: 8 * 2 ** 20,
        driver: '580.65',
        cuda: '13.0',
        rocm: null,
        computeCapability: [8, 6],
      },
    })
    await card.getByText('2 × NVIDIA A10, 22.1 GiB each').waitFor()
    expect(await card.innerText()).toContain('torch 2.13.0, transformers 5.18.0, CUDA 13.0, driver 580.65')
    expect(await card.locator('.chip.measured').count()).toBe(1)
    await page.reload()
    expect(await page.getByLabel('GPU', { exact: true }).locator('option').first().innerText()).toBe(
      "this machine's NVIDIA A10, 22.1 GiB",
    )
    expect(complaints).toEqual([])
  })

  test('pointing at a chart tells the figure there', async () => {
    const { page } = await opened(server.url, { viewport: desktop })
    await page.getByRole('combobox', { name: 'Model' }).fill('bert')
    await page.getByRole('button', { name: 'Analyse' }).click()
    const chart = page.locator('.chart').first()
    await chart.locator('canvas').waitFor()
    expect(await chart.getAttribute('aria-label')).toMatch(
      /^Peak memory, estimated: from 1\.\d\d GiB at 1 to 2\d\.\d GiB at \d+; now: 8; recommended: 32; limit: usable, 21\.8 GiB$/,
    )
    await chart.locator('.u-over').hover({ position: { x: 1, y: 100 } })
    expect(await chart.locator('.readout').innerText()).toMatch(/^1: 1\.\d\d GiB: fits$/)
  })

  test('what is to be pasted can be copied, and so can the address', async () => {
    const { page } = await opened(server.url, { viewport: desktop })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('combobox', { name: 'Model' }).fill('bert')
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.getByRole('button', { name: "Copy: For Hugging Face's Trainer" }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'per_device_train_batch_size: 32\ngradient_accumulation_steps: 1\n',
    )
    await page.getByRole('button', { name: 'Copy link' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
  })

  test('the cards follow the terms, to the figures that the server would give', async () => {
    const { page } = await opened(server.url, { viewport: desktop })
    await page.getByRole('combobox', { name: 'Model' }).fill('bert')
    await page.getByRole('button', { name: 'Analyse' }).click()
    const savings = page.locator('[data-cost="year"]')
    await savings.waitFor()
    const before = await savings.innerText()
    await page.getByLabel('Price per hour ($)').fill('6')
    const typed = await savings.innerText()
    expect(typed).not.toBe(before)
    await page.getByRole('button', { name: 'Recalculate' }).click()
    await page.waitForURL(/price=6/)
    expect(await savings.innerText()).toBe(typed)
  })

  test('the keyboard alone gets from the first link to the result', async () => {
    const { page, complaints } = await opened(server.url, { viewport: desktop })
    await page.keyboard.press('Tab')
    expect(await page.evaluate(focused)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(focused)).toBe('source')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(focused)).toBe('model')
    await page.keyboard.type('gpt2')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'openai-community/gpt2 on NVIDIA A10' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('without JavaScript the form works, the page reloads itself, and the figures stand in tables', async () => {
    const { page, complaints } = await opened(server.url, { viewport: phone, javaScriptEnabled: false })
    await page.getByRole('combobox', { name: 'Model' }).fill('bert')
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.getByRole('heading', { name: 'google-bert/bert-base-uncased on NVIDIA A10' }).waitFor()
    await page.locator('summary', { hasText: 'The figures as a table' }).first().click()
    expect(await page.locator('#memory-curve-table tbody tr').count()).toBeGreaterThan(2)
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('a server without the bot says how repositories come to be shown', async () => {
    const { page, complaints } = await opened(`${server.url}/repositories`, { viewport: phone })
    expect(await page.locator('main').innerText()).toContain('memorymark-bot')
    expect(complaints).toEqual([])
  })

  test.skipIf(!hasTorch)("PyTorch's own sweep is told trial by trial, and its result says traced", async () => {
    const traced = await listen({ ...served, engine: 'auto', python })
    onTestFinished(() => traced[Symbol.asyncDispose]())
    const { page, complaints } = await opened(traced.url, { viewport: desktop })
    await page.getByRole('combobox', { name: 'Model' }).fill('bert')
    await page.getByLabel('GPU', { exact: true }).selectOption('a10')
    await page.addInitScript(rememberLines)
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page
      .getByRole('heading', { name: 'google-bert/bert-base-uncased on NVIDIA A10' })
      .waitFor({ timeout: 120_000 })
    const lines = z.array(z.string()).parse(await page.evaluate('rememberedLines'))
    const trials = lines.filter(line => /^batch \d+ .*\(traced\)$/.test(line))
    expect(trials[0]).toMatch(/^batch 8 fits: \d\.\d\d GiB \(traced\)$/)
    expect(trials.length).toBe(await page.getByRole('region', { name: 'Sizes tried' }).locator('tbody tr').count())
    expect(await page.locator('.bar.traced').count()).toBe(3)
    expect(await page.locator('main').innerText()).toMatch(/Peak memory\s+traced/)
    await keepScreenshot(page, 'desktop-traced')
    expect(complaints).toEqual([])
  })

  describe('while a sweep runs', () => {
    const request = { model: 'bert', spec: {}, engine: 'auto', strategy: 'predict-verify' } as const
    const first = {
      kind: 'trial',
      trial: { microBatch: 16, provenance: 'traced', outcome: { kind: 'fits', peakBytes: 2.4 * 2 ** 30 } },
    } as const
    const second = {
      kind: 'trial',
      trial: { microBatch: 288, provenance: 'traced', outcome: { kind: 'out-of-memory' } },
    } as const
    const firstLine = 'batch 16 fits: 2.40 GiB (traced)'
    const secondLine = 'batch 288 runs out of memory (traced)'
    // What Chromium says of a connection that the test itself breaks.
    const tolerated = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY|404/

    async function running(): Promise<{ analyses: HandDriven; site: CuttableSite; url: string; id: string }> {
      const analyses = new HandDriven()
      const site = await cuttable(siteApp({ assets, analyses }))
      onTestFinished(() => site[Symbol.asyncDispose]())
      const id = analyses.started(request)
      return { analyses, site, id, url: `${site.url}/analyses/${id}` }
    }

    test('each trial is a line of the log as it happens, announced to a screen reader', async () => {
      const { analyses, url, id } = await running()
      const { page, complaints } = await opened(url, { viewport: desktop })
      const log = page.getByRole('log')
      expect(await log.getAttribute('aria-live')).toBe('polite')
      analyses.happens(id, first)
      await log.getByText(firstLine).waitFor()
      analyses.happens(id, second)
      await log.getByText(secondLine).waitFor()
      expect(await log.locator('li').allInnerTexts()).toEqual(['started', firstLine, secondLine])
      await keepScreenshot(page, 'desktop-running')
      expect(complaints).toEqual([])
    })

    test('cancelling it ends it, with what was tried', async () => {
      const { analyses, url, id } = await running()
      analyses.happens(id, first)
      const { page, complaints } = await opened(url, { viewport: desktop })
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('heading', { name: 'Cancelled: bert' }).waitFor()
      expect(await page.getByRole('log').innerText()).toContain(firstLine)
      expect(complaints).toEqual([])
    })

    test('a server that dies leaves what is known on the page; one that comes back is followed on', async () => {
      const { analyses, site, url, id } = await running()
      const { page, complaints } = await opened(url, { viewport: desktop, tolerated })
      const log = page.getByRole('log')
      const status = page.locator('[data-status]')
      analyses.happens(id, first)
      await log.getByText(firstLine).waitFor()

      await site.cut()
      await status.filter({ hasText: 'Connection to the server lost' }).waitFor()
      expect(await log.innerText()).toContain(firstLine)
      await keepScreenshot(page, 'desktop-server-lost')

      analyses.happens(id, second)
      await site.resume()
      await log.getByText(secondLine).waitFor()
      expect(await log.locator('li').allInnerTexts()).toEqual(['started', firstLine, secondLine])
      await status.filter({ hasText: 'Trying batch sizes.' }).waitFor()
      expect(complaints).toEqual([])
    })

    test('an analysis that ends while its events cannot be heard still shows its end', async () => {
      const { analyses, url, id } = await running()
      const { page, complaints } = await opened('about:blank', { viewport: desktop, tolerated: /ERR_FAILED/ })
      await page.route('**/events', route => route.abort())
      await page.goto(url)
      await page.locator('[data-status]', { hasText: 'Connection to the server lost' }).waitFor()
      analyses.happens(id, first)
      analyses.happens(id, { kind: 'cancelled' })
      await page.getByRole('heading', { name: 'Cancelled: bert' }).waitFor()
      expect(await page.getByRole('log').innerText()).toContain(firstLine)
      expect(complaints).toEqual([])
    })

    test('a server that was started anew does not know it: the page says so, keeps the log, and asks again', async () => {
      const { analyses, site, url, id } = await running()
      const { page, complaints } = await opened(url, { viewport: phone, tolerated })
      const log = page.getByRole('log')
      analyses.happens(id, first)
      await log.getByText(firstLine).waitFor()

      await site.cut()
      analyses.forget()
      await site.resume()
      await page.locator('[data-status]', { hasText: 'The server restarted' }).waitFor()
      expect(await log.innerText()).toContain(firstLine)
      expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
      await keepScreenshot(page, 'phone-server-restarted')

      await page.getByRole('button', { name: 'Start again' }).click()
      await page.waitForURL(other => !other.href.endsWith(id))
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Analysing bert')
      expect(complaints).toEqual([])
    })
  })
})
