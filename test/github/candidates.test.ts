import { afterAll, expect, it } from 'vitest'
import type { Globs } from '../../engine/index.ts'
import { selectCandidates } from '../../github/candidates.ts'
import { lendEngine } from '../bot/engines.ts'

const engine = lendEngine(() => {})
afterAll(() => engine[Symbol.asyncDispose]())
const select = (paths: readonly string[], globs: Globs) => selectCandidates(engine, paths, globs)

const everything = { paths: undefined, ignore: [] }

it('only YAML, JSON and Python files may be training configs', async () => {
  const { paths } = await select(
    ['a.yaml', 'b.yml', 'c.json', 'train.py', 'tests/test_train.py', 'README.md', 'package.json'],
    everything,
  )
  expect(paths).toEqual(['a.yaml', 'b.yml', 'c.json', 'train.py'])
})

it('of many scripts, 200 are read, those first whose names sound like training, and configs never give way to them', async () => {
  const scripts = Array.from({ length: 600 }, (_, index) => `src/${index}.py`)
  const { paths, remarks } = await select([...scripts, 'src/finetune.py', 'z.yaml'], everything)
  expect(paths).toHaveLength(201)
  expect(paths.slice(-3)).toEqual(['src/198.py', 'src/finetune.py', 'z.yaml'])
  expect(remarks).toEqual([])
})

it('globs narrow them down', async () => {
  const { paths } = await select(
    ['configs/a.yaml', 'configs/deep/b.yaml', 'configs/old/b.yaml', 'k8s/c.yaml', 'd.yaml'],
    { paths: ['configs/**/*.yaml', '*.yaml'], ignore: ['*/old/**'] },
  )
  expect(paths).toEqual(['configs/a.yaml', 'configs/deep/b.yaml', 'd.yaml'])
})

it('more than 500 are cut, and the reader is told', async () => {
  const { paths, remarks } = await select(
    Array.from({ length: 501 }, (_, index) => `${index}.yaml`),
    everything,
  )
  expect(paths).toHaveLength(500)
  expect(remarks).toEqual([
    'Only the first 500 of 501 possible training configs are checked. Narrow them down with the setting paths.',
  ])
})
