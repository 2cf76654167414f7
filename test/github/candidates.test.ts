import { expect, it } from 'vitest'
import { selectCandidates } from '../../github/candidates.ts'

const everything = { paths: undefined, ignore: [] }

it('only YAML, JSON and Python files may be training configs', () => {
  const { paths } = selectCandidates(
    ['a.yaml', 'b.yml', 'c.json', 'train.py', 'tests/test_train.py', 'README.md', 'package.json'],
    everything,
  )
  expect(paths).toEqual(['a.yaml', 'b.yml', 'c.json', 'train.py'])
})

it('of many scripts, 200 are read, those first whose names sound like training, and configs never give way to them', () => {
  const scripts = Array.from({ length: 600 }, (_, index) => `src/${index}.py`)
  const { paths, remarks } = selectCandidates([...scripts, 'src/finetune.py', 'z.yaml'], everything)
  expect(paths).toHaveLength(201)
  expect(paths.slice(-3)).toEqual(['src/198.py', 'src/finetune.py', 'z.yaml'])
  expect(remarks).toEqual([])
})

it('globs narrow them down', () => {
  const { paths } = selectCandidates(
    ['configs/a.yaml', 'configs/deep/b.yaml', 'configs/old/b.yaml', 'k8s/c.yaml', 'd.yaml'],
    { paths: ['configs/**/*.yaml', '*.yaml'], ignore: ['*/old/**'] },
  )
  expect(paths).toEqual(['configs/a.yaml', 'configs/deep/b.yaml', 'd.yaml'])
})

it('more than 500 are cut, and the reader is told', () => {
  const { paths, remarks } = selectCandidates(
    Array.from({ length: 501 }, (_, index) => `${index}.yaml`),
    everything,
  )
  expect(paths).toHaveLength(500)
  expect(remarks).toEqual([
    'Only the first 500 of 501 possible training configs are checked. Narrow them down with the setting paths.',
  ])
})
