/**
 * The first minute of somebody new, with what is committed: clone, `npm ci`, pack, install, check an example, open the playground,
 * in a folder of its own. The last line says `ok: …` with the time of each step; nothing hangs on the times.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { staticSite } from '../test/playground/static-site.ts'
import { chromiumPath, launchChromium } from '../test/server/dashboard/chromium.ts'
import { root } from './bundles.ts'
import { output, run } from './package/command.ts'
import { installGlobally, npmEnvironment, pack } from './package/packed.ts'

const EXAMPLE = 'examples/configs/bert-mnli.yaml'

await using scratch = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-first-minute-'))
const clone = path.join(scratch.path, 'memorymark')
const inClone = { cwd: clone, env: npmEnvironment }
const prefix = path.join(scratch.path, 'prefix')
const times: string[] = []
const startedMillis = performance.now()

await step('git clone', () => output('git', ['clone', '--quiet', root, clone], { cwd: scratch.path }))
await step('npm ci', () => output('npm', ['ci'], inClone))
const tarball = await step('npm pack', () => pack(clone, path.join(scratch.path, 'package')))
await step('npm install', () => installGlobally(tarball, prefix))
await step('memorymark check', checkExample)
await step('npm run build:site', () => output('npm', ['run', '--silent', 'build:site'], inClone))
if (chromiumPath === undefined) {
  console.log('SKIPPED: the playground in Chromium. Set MEMORYMARK_CHROMIUM to its executable.')
} else {
  await step('playground', openPlayground)
}
console.log(`ok: from nothing to the first answers in ${secondsSince(startedMillis)} (${times.join(', ')})`)

async function step<T>(name: string, perform: () => Promise<T>): Promise<T> {
  const before = performance.now()
  const result = await perform()
  times.push(`${name} ${secondsSince(before)}`)
  console.log(times.at(-1))
  return result
}

async function checkExample(): Promise<void> {
  const { exitCode, stdout, stderr } = await run(
    path.join(prefix, 'bin/memorymark'),
    ['check', EXAMPLE, '--gpu', 'a10'],
    inClone,
  )
  assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: '' })
  assert.match(stdout, /bert-mnli\.yaml/)
  assert.match(stdout, /8 → 32/)
}

/** Waits for the answer to the question that the page opens with. */
async function openPlayground(): Promise<void> {
  await using site = await staticSite(await builtFiles(path.join(clone, 'site')))
  await using browser = await launchChromium()
  const page = await browser.newPage()
  await page.goto(site.url)
  await page.locator('[data-answer] .headline').waitFor()
}

async function builtFiles(folder: string) {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
  return Promise.all(names.map(async file => ({ name: path.relative(folder, file), contents: await readFile(file) })))
}

function secondsSince(millis: number): string {
  return `${((performance.now() - millis) / 1_000).toFixed(1)} s`
}
