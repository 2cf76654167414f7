/**
 * Installs the package, as npm would publish it, under a Node that is too old for it, the oldest that it supports and the one that
 * it is developed on, and runs its commands. The last line says `ok: …`.
 */
import assert from 'node:assert/strict'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { root } from './bundles.ts'
import { output } from './package/command.ts'
import { Installed } from './package/installed.ts'
import { npmEnvironment, pack } from './package/packed.ts'

const CONFIG = path.join(root, 'examples/configs/bert-mnli.yaml')

const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string().startsWith('>=') }) })
  .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')))
const oldestNode = engines.node.slice('>='.length)

await using scratch = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-install-'))
await output('npm', ['run', '--silent', 'build'], { cwd: root, env: npmEnvironment })
const tarball = await pack(root, path.join(scratch.path, 'package'))

const tooOld = await under('20')
await refuses(tooOld)
const supported = [await under(oldestNode), await under('24')]
for (const installed of supported) await works(installed)
await worksThroughNpx()
console.log(
  `ok: memorymark ${version} works on Node ${supported.map(({ node }) => node).join(' and ')}, also through npx; ${tooOld.node} is told to be too old`,
)

function under(node: string): Promise<Installed> {
  return Installed.under({ tarball, node, folder: path.join(scratch.path, node) })
}

async function works(installed: Installed): Promise<void> {
  for (const command of ['memorymark', 'memorymark-bot']) {
    const { exitCode, stdout, stderr } = await installed.run(command, ['--version'])
    assert.deepEqual({ exitCode, stdout, stderr }, { exitCode: 0, stdout: `${version}\n`, stderr: '' })
  }
  const estimate = await installed.run('memorymark', ['estimate', 'bert', '--batch-size', '64', '--json'])
  assert.equal(estimate.exitCode, 0, estimate.stderr)
  assert.ok(JSON.parse(estimate.stdout).peakBytes > 0)

  const check = await installed.run('memorymark', ['check', CONFIG, '--gpu', 'a10', '--json'])
  assert.equal(check.exitCode, 0, check.stderr)
  assert.equal(JSON.parse(check.stdout).configs[0].status, 'analysed')

  const help = await installed.run('memorymark-bot', ['--help'])
  assert.equal(help.exitCode, 0, help.stderr)
  assert.match(help.stdout, /^ {2}WEBHOOK_SECRET /m)

  const stray = await installed.run('memorymark-bot', ['--port', '3000'])
  assert.equal(stray.exitCode, 2, stray.stdout)
  assert.match(stray.stderr, /^"--port 3000" is not an option of memorymark-bot\. .*\n$/)
  console.log(`Node ${installed.node}: every command does its work`)
}

/**
 * Node that is too old: one line says what is needed, without a stack trace; commands that need no more than their
 * arguments work.
 */
async function refuses(installed: Installed): Promise<void> {
  for (const [command, ...args] of [
    ['memorymark', 'estimate', 'bert'],
    ['memorymark', 'check', CONFIG],
    ['memorymark-bot'],
    ['memorymark-bot', 'doctor'],
  ] as const) {
    const { exitCode, stdout, stderr } = await installed.run(command, args)
    assert.deepEqual(
      { exitCode, stdout, stderr },
      {
        exitCode: 2,
        stdout: '',
        stderr: `this is Node ${installed.node.slice(1)}, which is too old. Use Node ${oldestNode} or newer.\n`,
      },
    )
  }
  const { exitCode, stdout } = await installed.run('memorymark-bot', ['--help'])
  assert.equal(exitCode, 0)
  assert.match(stdout, /^ {2}WEBHOOK_SECRET /m)
  console.log(`Node ${installed.node}: every command says that it needs ${oldestNode}`)
}

/** As with npx; the packed file stands for the name on the registry. */
async function worksThroughNpx(): Promise<void> {
  for (const command of ['memorymark', 'memorymark-bot']) {
    const args = ['--yes', '--package', tarball, command, '--version']
    assert.equal(await output('npx', args, { cwd: scratch.path, env: npmEnvironment }), `${version}\n`)
  }
}
