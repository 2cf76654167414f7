import { describe, expect, test } from 'vitest'
import { readSettings } from '../../engine/settings/read.ts'
import { isCounted, type RepositorySettings, settingsFor } from '../../engine/settings/settings.ts'

function settings(text: string): RepositorySettings {
  const reading = readSettings({ path: '.github/memorymark.yml', text })
  if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

describe('which files count', () => {
  test.each([
    ['ignore: []\n', 'a/b.yaml', true],
    ['paths: ["configs/**/*.yaml"]\n', 'configs/a.yaml', true],
    ['paths: ["configs/**/*.yaml"]\n', 'configs/deep/a.yaml', true],
    ['paths: ["configs/**/*.yaml"]\n', 'k8s/a.yaml', false],
    ['paths: []\n', 'a.yaml', false],
    ['ignore: ["old/**"]\n', 'old/a.yaml', false],
    ['paths: ["**/*.yaml"]\nignore: ["old/**"]\n', 'old/a.yaml', false],
  ])('%j counts %s: %s', (text, path, counts) => {
    expect(isCounted(path, settings(text))).toBe(counts)
  })
})

describe('what holds for one config', () => {
  const team = settings(`gpu: l4
prices: { l4: 0.4 }
hours_per_run: 3
overrides:
  - path: llm/**
    gpu: a100-80gb
    model: gpt2
    labels: 3
  - path: llm/small.yaml
    gpu: a10
    runs_per_year: 7
    model: gpt2-medium
`)

  test('is what the repository says where no override matches', () => {
    expect(settingsFor('bert.yaml', team)).toMatchObject({
      gpu: { id: 'l4' },
      hoursPerRun: 3,
      runsPerYear: undefined,
      supplied: {},
    })
  })

  test('is what the overrides say, the later one on top, key by key', () => {
    const forSmall = settingsFor('llm/small.yaml', team)
    expect(forSmall).toMatchObject({ gpu: { id: 'a10' }, hoursPerRun: 3, runsPerYear: 7 })
    expect(forSmall.supplied).toMatchObject({
      model: { value: { text: 'gpt2-medium' } },
      labels: { value: { number: 3 } },
    })
  })
})

describe('versions of libraries', () => {
  const team = settings(`versions:
  transformers: "4.57.1"
  torch: "2.4"
overrides:
  - path: old/**
    versions: { transformers: "4.46.3" }
`)
  const versionsFor = (path: string) =>
    settingsFor(path, team).supplied.versions?.map(({ library, version, place }) => [library, version, place])

  test('hold for every config, and an override adds its own behind them', () => {
    const always = [
      ['torch', '2.4', '.github/memorymark.yml, line 3'],
      ['transformers', '4.57.1', '.github/memorymark.yml, line 2'],
    ]
    expect(versionsFor('a.yaml')).toEqual(always)
    expect(versionsFor('old/a.yaml')).toEqual([...always, ['transformers', '4.46.3', '.github/memorymark.yml, line 6']])
  })

  test.each([
    ['versions: { transformers: 4.46 }', '4.46 is not a version in quotes, such as "4.48.1"'],
    ['versions: { transformers: newest }', '"newest" is not a version, such as "4.48.1"'],
    ['versions: 5', '5 is not a list of versions by library, such as transformers: "4.48.1"'],
  ])('%s is refused', (text, message) => {
    const reading = readSettings({ path: '.github/memorymark.yml', text })
    expect(reading.kind === 'unreadable' && reading.problems.map(problem => problem.message)).toEqual([message])
  })

  test('of a library that is misspelt are refused, with what was meant', () => {
    const reading = readSettings({ path: '.github/memorymark.yml', text: 'versions: { transformer: "4.46" }' })
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: [
        {
          fix: 'Did you mean transformers? Use torch, transformers, accelerate, bitsandbytes, trl or flash-linear-attention.',
        },
      ],
    })
  })
})
