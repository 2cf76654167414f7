/**
 * Performs deploy/Dockerfile without a container engine: its steps in folders that stand in for file systems, then the bot that comes
 * of it, as its own user and on a file system that is read-only, beside an emulated GitHub and a real PostgreSQL. The last line says
 * `ok: …`. Needs root on Linux, and PostgreSQL.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { trainingConfig } from '../test/bot/configs.ts'
import { type EmulatedGitHub, startGitHub } from '../test/github/index.ts'
import { onA10 } from '../test/on-a10.ts'
import { root } from './bundles.ts'
import { hasPostgres, PostgresCluster } from './chaos/cluster.ts'
import { canChroot } from './container/chroot.ts'
import { Container } from './container/container.ts'
import { entriesLetIn } from './container/context.ts'
import { readStages } from './container/dockerfile.ts'
import { buildImage, type Image } from './container/image.ts'
import { until } from './demo/until.ts'
import { output } from './package/command.ts'

if (!canChroot || !hasPostgres) {
  console.log(`SKIPPED: the steps of deploy/Dockerfile need ${canChroot ? 'PostgreSQL' : 'root on Linux'}.`)
  process.exit(0)
}

const read = (name: string) => readFile(path.join(root, 'deploy', name), 'utf8')
const signal = AbortSignal.timeout(300_000)

await using scratch = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-container-'))
const image = await buildImage(readStages(await read('Dockerfile')), {
  context: { root, entries: entriesLetIn(await read('Dockerfile.dockerignore')) },
  folder: scratch.path,
  buildEnv: await registry(),
})
console.log('The image is built.')
await using github = await startGitHub()
await showsSetup(image, github)
await works(image, github)
console.log('ok: the image builds; its bot serves the setup page, and with PostgreSQL gives a pull request its check')

/** Without any variable: what a first `docker run` does. */
async function showsSetup(image: Image, github: EmulatedGitHub): Promise<void> {
  await using bot = await Container.start(image, { GITHUB_API_URL: github.url }, signal)
  assert.equal((await bot.get('/ready')).status, 503)
  const link = /^http:\/\/\S+(\/setup\?token=\S+)$/m.exec(bot.log)?.[1] ?? ''
  assert.match(await (await bot.get(link)).text(), /Create the GitHub App/)
}

/** What the build needs to find packages as this machine does. */
async function registry(): Promise<Readonly<Record<string, string>>> {
  const passed = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i
  const network = Object.entries(process.env).filter(([name]) => passed.test(name))
  const address = (await output('npm', ['config', 'get', 'registry'], { cwd: root })).trim()
  return { ...Object.fromEntries(network.map(([name, value = '']) => [name, value])), npm_config_registry: address }
}

async function works(image: Image, github: EmulatedGitHub): Promise<void> {
  await using postgres = await PostgresCluster.start()
  const { id, privateKey, webhookSecret } = github.app
  await using bot = await Container.start(
    image,
    {
      APP_ID: String(id),
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: webhookSecret,
      GITHUB_API_URL: github.url,
      DATABASE_URL: postgres.url,
    },
    signal,
  )
  assert.equal((await bot.get('/ready')).status, 200)
  github.sendWebhooksTo(`${bot.origin}/api/github/webhooks`)
  const repository = await github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(2) } })
  await until('the check', { signal, log: () => bot.log }, async () => {
    const { conclusion } = (await repository.checkRuns(pullRequest.headSha)).at(-1) ?? {}
    return conclusion === 'failure' ? true : undefined
  })
}
