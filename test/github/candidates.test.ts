import { expect, it } from 'vitest'
import { selectCandidates } from '../../github/candidates.ts'

const everything = { paths: undefined, ignore: [] }

it('only YAML and JSON files may be training configs', () => {
  const { paths } = selectCandidates(['a.yaml', 'b.yml', 'c.json', 'train.py', 'README.md', 'package.json'], everything)
  expect(paths).toEqual(['a.yaml', 'b.yml', 'c.json'])
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
