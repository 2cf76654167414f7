/** `check --base` in repositories of git, through the real command line. */
import { execFileSync } from 'node:child_process'
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { report } from '../../engine/report/schema.ts'
import { root } from '../../scripts/bundles.ts'
import { qwenClm } from '../qwen-clm.ts'
import { Workspace } from './run-cli.ts'

const tooLarge = qwenClm.replace('batch_size: 4', 'batch_size: 64')

/** A repository whose branch `main` holds `files`, with `changes` in its working tree; null deletes. */
async function changed(files: Readonly<Record<string, string>>, changes: Readonly<Record<string, string | null>>) {
  const workspace = await Workspace.with(files)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: workspace.folder })
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Models')
  for (const [name, text] of Object.entries(changes)) {
    const file = path.join(workspace.folder, name)
    await (text === null ? rm(file) : writeFile(file, text))
  }
  return workspace
}

describe('check --base', () => {
  test('finds configs by the versions that a lock file gives them now, and says which release moves the peak', async () => {
    await using workspace = await changed(
      { 'requirements.txt': 'transformers==4.48.1\n', 'configs/a.yaml': qwenClm, 'README.md': 'Models' },
      { 'requirements.txt': null, 'uv.lock': '[[package]]\nname = "transformers"\nversion = "5.18.0"\n' },
    )
    const { stdout, exitCode } = await workspace.run('check', '--base', 'main')
    expect(exitCode).toBe(0)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Estimated 20\.7 → 19\.5 GiB \(−6 %\) with transformers 4\.48\.1 → 5\.18\.0 \(uv\.lock, line 3\): from transformers 4\.49 on, the loss no longer copies the float32 logits \(−1\.16 GiB\)\./,
    )
  })

  test('leaves alone what no difference affects', async () => {
    await using workspace = await changed(
      { 'requirements.txt': 'transformers==4.48.1\n', 'a.yaml': qwenClm },
      { 'requirements.txt': 'numpy\ntransformers==4.48.1\n' },
    )
    expect((await workspace.run('check', '--base', 'main')).stdout).toContain('nothing to measure')
  })

  test.each([
    ['1 for what the change made too large', { 'a.yaml': qwenClm }, { 'a.yaml': tooLarge }, 1],
    ['0 for what already was too large', { 'a.yaml': tooLarge }, { 'a.yaml': `${tooLarge}seed: 1\n` }, 0],
    ['1 for what is too large and not tracked yet', { 'README.md': 'Models' }, { 'a.yaml': tooLarge }, 1],
  ])('exits with %s', async (_, files, changes, exitCode) => {
    await using workspace = await changed(files, changes)
    expect((await workspace.run('check', '--base', 'main', '--gpu', 'a10')).exitCode).toBe(exitCode)
  })
})

const gpt2 = (batch: number, more = '') =>
  `model_name_or_path: gpt2\nper_device_train_batch_size: ${batch}\nblock_size: 512\n${more}`

/** Two configs, and one that takes the number of its ZeRO stage from a file. */
async function repository(): Promise<Workspace> {
  const workspace = await Workspace.with({
    'configs/large.yaml': gpt2(50_000),
    'configs/small.yaml': gpt2(2),
    'configs/zero.yaml': gpt2(2, 'deepspeed: ds.json\n'),
    'ds.json': '{"zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": "auto"}',
  })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.folder })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'base')
  return workspace
}

test('--base checks what has changed and what hangs on it, against what it was', async () => {
  await using workspace = await repository()
  const at = (name: string) => path.join(workspace.folder, name)
  await rename(at('configs/large.yaml'), at('configs/huge.yaml'))
  await writeFile(at('ds.json'), '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}')
  execFileSync('git', ['add', '--all'], { cwd: workspace.folder })

  const { stdout, exitCode } = await workspace.run(
    'check',
    '--base',
    'HEAD',
    '--gpu',
    'a10',
    '--json',
    '--comment',
    'c.md',
  )
  const { configs } = report.parse(JSON.parse(stdout))
  expect(configs.map(({ path }) => path).toSorted()).toEqual(['configs/huge.yaml', 'configs/zero.yaml'])
  // Out of memory under its former name as well.
  const huge = configs.find(({ path }) => path === 'configs/huge.yaml')
  expect(huge?.status === 'analysed' && huge.verdict.reasons[0]).toMatchObject({
    kind: 'does-not-fit',
    spared: 'no-worse',
  })
  expect(exitCode).toBe(0)
  expect(await readFile(at('c.md'), 'utf8')).toContain('configs/huge.yaml')

  const all = await workspace.run('check', '--gpu', 'a10')
  expect(all.exitCode).toBe(1)
})

test.skipIf(process.platform === 'win32')('--base reads nothing through a link, which may lead to a pipe', async () => {
  await using workspace = await repository()
  const at = (name: string) => path.join(workspace.folder, name)
  // Nobody writes to it: reading it would wait for ever.
  execFileSync('mkfifo', [at('.git/pipe')])
  await symlink('../.git/pipe', at('configs/pipe.yaml'))
  await writeFile(at('configs/new.yaml'), gpt2(4))
  execFileSync('git', ['add', '--all'], { cwd: workspace.folder })

  const { stdout } = await workspace.run('check', '--base', 'HEAD', '--gpu', 'a10', '--json')
  expect(report.parse(JSON.parse(stdout)).configs.map(config => config.path)).toEqual(['configs/new.yaml'])
})

test('--comment tells what would free memory, as on a pull request', async () => {
  await using workspace = await repository()
  await workspace.run('check', 'configs', '--gpu', 'a10', '--comment', 'c.md')
  const comment = await readFile(path.join(workspace.folder, 'c.md'), 'utf8')
  expect(comment).toContain('**Ways to free memory**')
})

test("pre-commit's hook stops a commit that runs out of memory", async () => {
  const manifest = z.array(z.object({ entry: z.string() }))
  const [hook] = manifest.parse(parse(await readFile(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')))
  const [npx, yes, command, ...args] = hook?.entry.split(' ') ?? []
  expect([npx, yes, command]).toEqual(['npx', '--yes', 'memorymark'])
  await using workspace = await repository()
  const small = path.join(workspace.folder, 'configs/small.yaml')
  await writeFile(path.join(workspace.folder, 'settings.yml'), 'gpu: a10\n')
  expect(await workspace.run(...args, '--settings', 'settings.yml')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  await writeFile(small, gpt2(60_000))
  const { exitCode, stdout } = await workspace.run(...args, '--settings', 'settings.yml')
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('out of memory configs/small.yaml')])
})

test('--base refuses what git does not know, and what would be taken for an option', async () => {
  await using workspace = await repository()
  for (const base of ['no-such-branch', '--output=x']) {
    const { stderr, exitCode } = await workspace.run('check', `--base=${base}`)
    expect(stderr).toBe(
      `--base: "${base}" is no commit of the repository here. Fetch it first, or name another, such as origin/main.\n`,
    )
    expect(exitCode).toBe(2)
  }
})
