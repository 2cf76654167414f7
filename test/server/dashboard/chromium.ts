/** A real Chromium, where this machine has one; tests that need it are skipped by name elsewhere. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const places = [
  process.env.MEMORYMARK_CHROMIUM,
  // The same engine without a window, for a third of the CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export const chromiumPath = places.find(place => place !== undefined && existsSync(place))

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium here: set MEMORYMARK_CHROMIUM to its executable')
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
  })
}

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 360, height: 740 }

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  /** What no page of ours may do: break its policy, ask another server, throw. */
  readonly complaints: readonly string[]
}

export interface WatchOptions {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly javaScriptEnabled?: boolean
  readonly colorScheme?: 'light' | 'dark'
  readonly serviceWorkers?: 'allow' | 'block'
  /** Answers that a test provokes are no complaint. */
  readonly tolerated?: RegExp
}

export async function watchedPage(browser: Browser, options: WatchOptions): Promise<WatchedPage> {
  const { tolerated = /(?!)/, ...rest } = options
  const context = await browser.newContext(rest)
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (text: string) => {
    if (!tolerated.test(text)) complaints.push(text)
  }
  page.on('console', message => {
    // Chromium reports breaches of the policy there too.
    if (message.type() === 'error' || message.type() === 'warning') complain(message.text())
  })
  page.on('pageerror', error => complain(error.message))
  page.on('request', request => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol !== 'data:' && hostname !== '127.0.0.1') complain(`asked ${request.url()}`)
  })
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}
