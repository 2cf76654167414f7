/** The bot started with no App at all: by one click it has one, and does its work. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/demo/free-port.ts'
import { bareEnvironment } from '../../bare-environment.ts'
import { type EmulatedGitHub, startGitHub } from '../../github/index.ts'
import { onA10 } from '../../on-a10.ts'
import { chromiumPath, desktop, launchChromium, phone, watchedPage } from '../../server/dashboard/chromium.ts'
import { newDataFolder, sharedCommand } from '../../shared-builds.ts'
import { trainingConfig } from '../configs.ts'

interface FirstRun extends AsyncDisposable {
  readonly child: ChildProcess
  /** Of the page, as the bot tells it. */
  readonly link: string
}

async function startWithoutApp(github: EmulatedGitHub, folder: string, database = 'memory:'): Promise<FirstRun> {
  const child = spawn(process.execPath, [await sharedCommand('memorymark-bot')], {
    env: {
      ...bareEnvironment,
      GITHUB_API_URL: github.url,
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATABASE_URL: database,
      MEMORYMARK_CREDENTIALS: path.join(folder, 'app.env'),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }
  for await (const line of createInterface(child.stderr)) {
    const link = /^http:\/\/\S+$/.exec(line)?.[0]
    if (link === undefined) continue
    child.stderr.resume()
    return { child, link, [Symbol.asyncDispose]: stop }
  }
  throw new Error('The bot ended before it told the address of its setup')
}

/** What a browser does with the page's first form. */
async function pressButton(link: string): Promise<Response> {
  const page = await (await fetch(link)).text()
  const action = /<form method="post" action="([^"]+)">/.exec(page)?.[1] ?? ''
  const manifest = /name="manifest" value="([^"]+)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
  return fetch(action, { method: 'POST', body: new URLSearchParams({ manifest }) })
}

test('a click creates the App, its key is kept for the owner alone, and pull requests get their check', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-setup-'))
  await using github = await startGitHub()
  await using bot = await startWithoutApp(github, folder.path)
  const { origin } = new URL(bot.link)

  const page = await pressButton(`${bot.link}&organization=acme`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('The App exists')
  expect(github.manifests).toMatchObject([
    { organization: 'acme', manifest: { hook_attributes: { url: `${origin}/api/github/webhooks` } } },
  ])

  const file = path.join(folder.path, 'app.env')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toMatch(/^APP_ID=4242\nPRIVATE_KEY=-----BEGIN [^\n]+\nWEBHOOK_SECRET=[^\n]+\n$/)

  await expect.poll(async () => (await fetch(`${origin}/ready`).catch(() => undefined))?.status).toBe(200)
  const repository = await github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(2) } })
  await expect.poll(async () => (await repository.checkRuns(pullRequest.headSha)).at(-1)?.conclusion).toBe('failure')
  expect((await fetch(bot.link)).status).toBe(404)
})

test('the next start finds the App in the file', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-setup-'))
  await using github = await startGitHub()
  {
    await using bot = await startWithoutApp(github, folder.path, await newDataFolder())
    await pressButton(bot.link)
  }
  const child = spawn(process.execPath, [await sharedCommand('memorymark-bot'), 'doctor'], {
    env: {
      ...bareEnvironment,
      GITHUB_API_URL: github.url,
      DATABASE_URL: 'memory:',
      MEMORYMARK_CREDENTIALS: path.join(folder.path, 'app.env'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output).toContain('GitHub knows the App as "memorymark" (4242)')
})

test.skipIf(chromiumPath === undefined)('in Chromium, the owner is chosen and the button pressed', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-setup-'))
  await using github = await startGitHub()
  await using bot = await startWithoutApp(github, folder.path, await newDataFolder())
  await using browser = await launchChromium()
  await using watched = await watchedPage(browser, {
    viewport: desktop,
    javaScriptEnabled: false,
    tolerated: /favicon/,
  })
  const { page, complaints } = watched

  await page.goto(bot.link)
  await page.setViewportSize(phone)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width)
  await page.setViewportSize(desktop)
  await page.getByLabel('If an organization is to own it').fill('acme')
  await page.getByRole('button', { name: 'Change the owner' }).click()
  await page.getByRole('button', { name: 'Create the GitHub App' }).click()
  await page.getByRole('heading', { name: 'The App exists' }).waitFor()

  const { origin } = new URL(bot.link)
  expect(github.manifests).toMatchObject([
    { organization: 'acme', manifest: { redirect_url: `${origin}/setup/created` } },
  ])
  expect(await page.getByRole('link', { name: 'Install it' }).getAttribute('href')).toBe(
    `${github.url}/apps/memorymark/installations/new`,
  )
  expect(complaints).toEqual([])
})

test('told to end before there is an App, it ends well', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-setup-'))
  await using github = await startGitHub()
  await using bot = await startWithoutApp(github, folder.path)
  const closed = once(bot.child, 'close')
  bot.child.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
})
