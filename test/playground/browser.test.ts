/** The playground in a real Chromium, from a static host under a path, as the build writes it. */
import { deflateRawSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { BuiltFile } from '../../scripts/bundles.ts'
import { buildSite } from '../../scripts/site.ts'
import { keepScreenshot } from '../server/dashboard/artifacts.ts'
import { audit } from '../server/dashboard/axe.ts'
import {
  chromiumPath,
  desktop,
  launchChromium,
  phone,
  type WatchOptions,
  watchedPage,
} from '../server/dashboard/chromium.ts'
import { staticSite } from './static-site.ts'

const fits = 'document.documentElement.scrollWidth <= window.innerWidth'
const headline = '[data-answer] h2.headline'

describe.skipIf(chromiumPath === undefined)('the playground in Chromium', () => {
  let browser: Browser
  let files: readonly BuiltFile[]

  beforeAll(async () => {
    ;[browser, files] = await Promise.all([launchChromium(), buildSite()])
  })
  afterAll(() => browser?.close())

  async function opened(options: Partial<WatchOptions> & { readonly fragment?: string } = {}) {
    const { fragment = '', ...rest } = options
    const site = await staticSite(files)
    onTestFinished(() => site[Symbol.asyncDispose]())
    const watched = await watchedPage(browser, { viewport: desktop, ...rest })
    onTestFinished(() => watched[Symbol.asyncDispose]())
    await watched.page.goto(site.url + fragment)
    return { site, ...watched }
  }

  async function answered(options: Parameters<typeof opened>[0] = {}) {
    const all = await opened(options)
    await all.page.locator(headline).waitFor()
    return all
  }

  async function paste(page: Page, config: string, fileName = '') {
    await page.getByLabel('File name').fill(fileName)
    await page.getByLabel('Training config', { exact: true }).fill(config)
    await page.getByRole('button', { name: 'Analyse' }).click()
  }

  describe.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('on a %s', (size, viewport) => {
    test.each(['light', 'dark'] as const)(
      'in %s, it opens with an answer, fits, and axe-core finds nothing',
      async colorScheme => {
        const { page, complaints } = await answered({ viewport, colorScheme })
        const text = await page.locator('main').innerText()
        expect(text).toContain('Qwen/Qwen2.5-1.5B on NVIDIA A100 80 GB')
        expect(text).toContain('Where the memory goes')
        expect(text).toContain('per_device_train_batch_size: 8')
        await page.locator('.chart canvas').nth(1).waitFor()
        expect(await page.locator('.chip.measured').count()).toBe(1)
        expect(await page.evaluate(fits)).toBe(true)
        await keepScreenshot(page, `playground-${size}-${colorScheme}`)
        expect(await audit(page)).toEqual([])
        expect(complaints).toEqual([])
      },
    )
  })

  test('a choice is answered at once, without a button, and the GPUs count', async () => {
    const { page, complaints } = await answered()
    await page.getByLabel('GPU', { exact: true }).selectOption('h100')
    await page.locator(headline).filter({ hasText: 'H100' }).waitFor()
    await page.getByLabel('Number of GPUs').fill('4')
    await page.getByLabel('Number of GPUs').blur()
    await page.getByText('times 4 GPUs').waitFor()
    expect(complaints).toEqual([])
  })

  test('a Python script is read in the page too', async () => {
    const { page, complaints } = await answered()
    await paste(
      page,
      `from transformers import Trainer, TrainingArguments, AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments("out", per_device_train_batch_size=4)
Trainer(model=model, args=args).train()
`,
    )
    await page.locator(headline).filter({ hasText: 'gpt2' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('a pattern in a config brings in what reads patterns', async () => {
    // Without the worker that keeps the files: it would have asked for this one already.
    const { page, site, complaints } = await answered({ serviceWorkers: 'block', tolerated: /Service Worker/ })
    const before = site.requests.length
    await paste(
      page,
      'base_model: meta-llama/Llama-3.2-1B\nmicro_batch_size: 2\nsequence_len: 512\nunfrozen_parameters: [model.layers.15]\n',
    )
    await page.locator(headline).filter({ hasText: 'Llama-3.2-1B' }).waitFor()
    expect(site.requests.length).toBeGreaterThan(before)
    expect(complaints).toEqual([])
  })

  test.each([
    [
      'NeMo RL',
      'policy:\n  model_name: meta-llama/Llama-3.2-1B\n  train_global_batch_size: 64\n  train_micro_batch_size: 2\n  max_total_sequence_length: 512\n  precision: bfloat16\n  dtensor_cfg: {enabled: true}\nsft: {max_num_steps: 10}\n',
    ],
    [
      'verl',
      'model:\n  partial_pretrain: meta-llama/Llama-3.2-1B\ndata:\n  train_batch_size: 64\n  micro_batch_size_per_gpu: 2\n  max_length: 512\n',
    ],
  ])('a config of %s brings in what reads it', async (tool, config) => {
    const { page, complaints } = await answered()
    await paste(page, config)
    await page.getByText(tool).first().waitFor()
    await page.locator('[data-answer]').filter({ hasText: 'Llama-3.2-1B' }).waitFor()
    expect(complaints).toEqual([])
  })

  test.each([
    ['another family', 'openai-community/gpt2'],
    ['a vision-language family', 'Qwen/Qwen2-VL-2B-Instruct'],
    ['the families of images', 'microsoft/resnet-50'],
  ])('a model of %s brings in its family', async (_, model) => {
    const { page, complaints } = await answered()
    await page.getByLabel('A model', { exact: true }).check()
    await page.getByLabel('Model', { exact: true }).fill(model)
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.locator(headline).filter({ hasText: model }).waitFor()
    expect(complaints).toEqual([])
  })

  test('what does not fit is told first, and then the ways to free memory', async () => {
    const { page, complaints } = await answered()
    await page.evaluate(`{
      globalThis.seen = []
      const see = () => document.querySelector('[data-levers]') && seen.push(document.querySelector('[data-answer] h2').textContent)
      new MutationObserver(see).observe(document.querySelector('[data-answer]'), { childList: true })
    }`)
    await page.getByLabel('A model', { exact: true }).check()
    await page.getByLabel('Model', { exact: true }).fill('meta-llama/Llama-2-7b-hf')
    await page.getByLabel('GPU', { exact: true }).selectOption('a10')
    await page.getByRole('heading', { name: /Ways to free memory/ }).waitFor()
    expect(await page.evaluate('seen')).toContain('meta-llama/Llama-2-7b-hf on NVIDIA A10')
    expect(await page.locator('[data-levers]').count()).toBe(0)
    expect(await page.locator('[data-answer]').innerText()).toContain('QLoRA instead of full fine-tuning')
    expect(await audit(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('a mistake is told as on the command line, beside its line, and its reader is led there', async () => {
    const { page, complaints } = await answered()
    await paste(page, 'model_name_or_path: gpt2\nper_device_train_batch_size: many\n', 'train.yaml')
    const message = page.getByRole('alert')
    await message.waitFor()
    expect(await message.innerText()).toContain('train.yaml:2')
    expect(await page.evaluate('document.activeElement.id')).toBe('notice-title')
    expect(await page.locator(headline).count()).toBe(0)
    await paste(page, '', 'notes.exe')
    await page.getByRole('alert').filter({ hasText: 'no config is given' }).waitFor()
    expect(await page.getByLabel('Training config', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(complaints).toEqual([])
  })

  test('a chosen or dropped file is the config, with its name; one that is too large is refused unread', async () => {
    const { page, complaints } = await answered()
    const chooser = page.getByLabel(/launch script/)
    const config = Buffer.from('{"model_name_or_path": "gpt2", "per_device_train_batch_size": 2}')
    await chooser.setInputFiles({ name: 'ours.json', mimeType: 'application/json', buffer: config })
    await page.locator(headline).filter({ hasText: 'gpt2' }).waitFor()
    expect(await page.getByLabel('File name').inputValue()).toBe('ours.json')
    await chooser.setInputFiles({ name: 'huge.yaml', mimeType: 'text/yaml', buffer: Buffer.alloc(200_000, 'a') })
    await page.getByRole('alert').filter({ hasText: 'huge.yaml has 200000 bytes' }).waitFor()
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['model_name_or_path: bert-base-uncased\\nper_device_train_batch_size: 2\\n'], 'b.yaml'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    await page.locator(headline).filter({ hasText: 'bert-base-uncased' }).waitFor()
    expect(await page.getByLabel('File name').inputValue()).toBe('b.yaml')
    expect(complaints).toEqual([])
  })

  test('the link holds all that was entered, and opens to the same answer', async () => {
    const { page, site } = await answered()
    await page.getByLabel('GPU', { exact: true }).selectOption('l40s')
    await page.locator(headline).filter({ hasText: 'L40S' }).waitFor()
    await page.getByLabel('Price per hour ($)').fill('2.5')
    await page.getByRole('button', { name: 'Recalculate' }).click()
    await page.getByText('$2.50 an hour (your setting').waitFor()
    const address = page.url()
    const said = await page.locator('[data-answer]').innerText()
    const other = await watchedPage(browser, { viewport: desktop })
    onTestFinished(() => other[Symbol.asyncDispose]())
    await other.page.goto(address)
    await other.page.getByText('$2.50 an hour (your setting').waitFor()
    expect(await other.page.locator('[data-answer]').innerText()).toBe(said)
    expect(await other.page.getByLabel('GPU', { exact: true }).inputValue()).toBe('l40s')
    expect(other.complaints).toEqual([])
    await page.getByLabel('GPU', { exact: true }).selectOption('a10')
    await page.locator(headline).filter({ hasText: 'A10' }).waitFor()
    expect(await page.locator('[data-answer]').innerText()).not.toContain('your setting')
    // What stands behind the # is in no request.
    expect(site.requests.filter(request => !/^GET \/memorymark\/[\w./-]*$/.test(request))).toEqual([])
  })

  test.each([
    ['cut off', '#1.AAAA', 'a part of it is missing or changed'],
    ['of a bomb', `#1.${deflateRawSync(Buffer.alloc(50_000_000)).toString('base64url')}`, 'more than 600000 bytes'],
  ])('a link that is %s is refused in words, and the form stays usable', async (_, fragment, words) => {
    const { page, complaints } = await opened({ fragment })
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.locator(headline).waitFor()
    expect(complaints).toEqual([])
  })

  test('once loaded, it opens and answers without a network', async () => {
    const { page, site, complaints } = await answered()
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await site.cut()
    await page.reload()
    await page.locator(headline).waitFor()
    await paste(
      page,
      'import torch\nfrom ultralytics import YOLO\nYOLO("yolo11n.pt").train(data="coco8.yaml", batch=8)\n',
    )
    await page.locator(headline).filter({ hasText: 'yolo11n' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('a config that takes too long is given up, in words, and the next question is answered', async () => {
    const { page, complaints } = await answered()
    await page.clock.install()
    // The worker hears nothing of this question, as if it were busy for ever.
    await page.evaluate(`{
      const post = Worker.prototype.postMessage
      Worker.prototype.postMessage = () => { Worker.prototype.postMessage = post }
    }`)
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.clock.runFor(9_000)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.clock.runFor(1_500)
    await page.getByRole('alert').filter({ hasText: 'took longer than 10 s' }).waitFor()
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.locator(headline).waitFor()
    expect(complaints).toEqual([])
  })

  test('may ask nobody, by its own policy', async () => {
    const { page, site } = await answered({ tolerated: /Content Security Policy|violates/ })
    expect(await page.evaluate('fetch("/other").then(() => "sent", () => "refused")')).toBe('refused')
    await page.evaluate('navigator.sendBeacon("/other", "x")')
    await page.evaluate('new Promise(resolve => setTimeout(resolve, 200))')
    expect(site.requests.filter(request => request.includes('other'))).toEqual([])
  })

  test('a keyboard alone gets from the form to the result', async () => {
    const { page } = await answered()
    await page.getByLabel('Training config', { exact: true }).focus()
    for (let press = 0; press < 20; press++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === 'Analyse') break
    }
    await page.keyboard.press('Enter')
    await page.locator(`${headline}:focus`).waitFor()
  })
})
