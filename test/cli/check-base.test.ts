import { execFileSync } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { report } from '../../engine/report/schema.ts'
import { root } from '../../scripts/bundles.ts'
import { Workspace } from './run-cli.ts'

const config = (batch: number, more = '') =>
  `model_name_or_path: gpt2\nper_device_train_batch_size: ${batch}\nblock_size: 512\n${more}`

/** Two configs, and one that takes the number of its ZeRO stage from a file. */
async function repository(): Promise<Workspace> {
  const workspace = await Workspace.with({
    'configs/large.yaml': config(50_000),
    'configs/small.yaml': config(2),
    'configs/zero.yaml': config(2, 'deepspeed: ds.json\n'),
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

test("pre-commit's hook stops a commit that runs out of memory", async () => {
  const manifest = z.array(z.object({ entry: z.string() }))
  const [hook] = manifest.parse(parse(await readFile(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')))
  const [npx, yes, command, ...args] = hook?.entry.split(' ') ?? []
  expect([npx, yes, command]).toEqual(['npx', '--yes', 'memorymark'])
  await using workspace = await repository()
  const small = path.join(workspace.folder, 'configs/small.yaml')
  await writeFile(path.join(workspace.folder, 'settings.yml'), 'gpu: a10\n')
  expect(await workspace.run(...args, '--settings', 'settings.yml')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  await writeFile(small, config(60_000))
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
