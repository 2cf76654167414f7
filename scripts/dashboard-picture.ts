/** Takes the README's picture, docs/dashboard.png: `memorymark serve`, asked about BERT on an A10 by estimate. Needs Chromium. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { launchChromium } from '../test/server/dashboard/chromium.ts'
import { root } from './bundles.ts'

const server = spawn(process.execPath, ['cli/main.ts', 'serve', '--engine', 'estimate', '--port', '0'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await using browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1180, height: 1520 }, colorScheme: 'dark' })
  await page.goto(await addressOfServer())
  await page.getByLabel('Model', { exact: true }).fill('bert')
  await page.getByLabel('GPU', { exact: true }).selectOption('a10')
  await page.getByRole('button', { name: 'Analyse', exact: true }).click()
  for (const chart of [0, 1]) await page.locator('.chart canvas').nth(chart).waitFor()
  await page.screenshot({ path: `${root}/docs/dashboard.png` })
} finally {
  server.kill()
}
console.log('docs/dashboard.png is taken: look at it.')

async function addressOfServer(): Promise<string> {
  for await (const line of createInterface(server.stdout)) {
    const address = /http:\/\/[\w.:]+\d/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error('memorymark serve ended before it listened.')
}
