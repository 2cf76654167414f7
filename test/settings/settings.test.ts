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
