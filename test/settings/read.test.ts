import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../engine/base/errors.ts'
import { readSettings } from '../../engine/settings/read.ts'
import type { RepositorySettings } from '../../engine/settings/settings.ts'

const path = '.github/memorymark.yml'

function settingsOf(text: string): RepositorySettings {
  const reading = readSettings({ path, text })
  if (reading.kind !== 'settings') throw new Error(`no settings: ${JSON.stringify(reading)}`)
  return reading.settings
}

function problemsOf(text: string): readonly Problem[] {
  const reading = readSettings({ path, text })
  if (reading.kind !== 'unreadable') throw new Error(`nothing was refused: ${JSON.stringify(reading)}`)
  return reading.problems
}

/** `2:6 gpu: what is wrong. What to do.` */
function toldOf(text: string): string[] {
  return problemsOf(text).map(
    ({ line, column, field, message, fix }) => `${line}:${column} ${field}: ${message}. ${fix}`,
  )
}

describe('a repository without settings', () => {
  test.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['a file of comments', '# gpu: a10\n\n---\n'],
  ])('has none: %s', (_, text) => {
    expect(readSettings(text === undefined ? undefined : { path, text })).toEqual({ kind: 'none' })
  })
})

describe('the settings', () => {
  test('of the example are read, every one of them', async () => {
    const text = await readFile(new URL('../../examples/settings/memorymark.yml', import.meta.url), 'utf8')
    expect(settingsOf(text)).toMatchObject({
      source: path,
      paths: ['configs/**/*.yaml', 'configs/**/*.json'],
      ignore: ['configs/archive/**'],
      gpu: 'a10',
      gpus: [{ id: 'our-mi210', describedAt: '.github/memorymark.yml, line 17' }],
      pricesPerHourUsd: { a10: 0.75, 'our-mi210': 1.2 },
      hoursPerRun: 4,
      runsPerYear: 250,
      failOn: [{ kind: 'waste', abovePercent: 40 }],
      warnOn: [
        { kind: 'throughput-loss', abovePercent: 10 },
        { kind: 'annual-cost', aboveUsd: 500 },
      ],
      judge: 'changed',
      stepSize: 8,
      calibrationPath: '.github/memorymark-calibration.json',
      marginPercent: 5,
      reportSchedule: '0 6 * * 1',
      measure: { by: 'dispatch' },
      overrides: [
        {
          paths: ['configs/llm/**'],
          gpu: 'a100-80gb',
          hoursPerRun: 12,
          supplied: { gpus: { value: { kind: 'number', number: 8 } } },
        },
        {
          paths: ['configs/llm/from-environment.yaml'],
          supplied: {
            model: {
              value: { kind: 'text', text: 'meta-llama/Llama-3.1-8B' },
              file: path,
              at: { line: 53, column: 12 },
            },
            sequence_length: { value: { kind: 'number', number: 4_096 } },
          },
        },
      ],
    })
  })

  test('that are left empty are as good as left out', () => {
    expect(settingsOf('gpu:\npaths:\noverrides:\n  - path: a.yaml\n    model:\n')).toMatchObject({
      gpu: undefined,
      paths: undefined,
      overrides: [{ paths: ['a.yaml'], supplied: {} }],
    })
  })

  test('take conditions in one text or a list, and never for none', () => {
    const both = [
      { kind: 'waste', abovePercent: 40 },
      { kind: 'annual-cost', aboveUsd: 500 },
    ]
    expect(settingsOf('fail-on: waste > 40 %, annual-cost > $500\n').failOn).toEqual(both)
    expect(settingsOf('fail-on:\n  - waste > 40 %\n  - annual-cost > $500\n').failOn).toEqual(both)
    expect(settingsOf('fail-on: never\n').failOn).toEqual([])
  })
})

describe('a slip is told with line, field and what was meant', () => {
  test.each([
    ['gpus: a10\n', '1:7 gpus: "a10" is not a list of GPUs, each with name and memory_gib. Write a list of GPUs, '],
    ['gpu: a11\n', '1:6 gpu: "a11" is not a GPU in the catalogue. Did you mean a10? Use t4, v100-16gb, '],
    ['gpu: 10\n', '1:6 gpu: 10 is not a GPU in the catalogue. Write a GPU in the catalogue.'],
    ['\nhours-per-run: 2\n', '2:16 hours-per-run: Unknown key "hours-per-run". Did you mean hours_per_run? '],
    ['fail_on: never\n', '1:10 fail_on: Unknown key "fail_on". Did you mean fail-on? '],
    ['prices:\n  a100: 1\n', '2:9 prices.a100: Unknown key "a100". '],
    ['prices:\n  a10: free\n', '2:8 prices.a10: "free" is not a number above 0 and up to 10,000. Write a number '],
    ['hours_per_run: 0\n', '1:16 hours_per_run: 0 is not a number above 0 and up to 100,000. '],
    ['runs_per_year: .inf\n', '1:16 runs_per_year: .inf is not a number above 0 and up to 1,000,000. '],
    ['calibration: ../secret.json\n', '1:14 calibration: "../secret.json" is not the path of a JSON file, such as '],
    ['calibration: /etc/a.json\n', '1:14 calibration: "/etc/a.json" is not the path of a JSON file, such as '],
    ['judge: new\n', '1:8 judge: "new" is not "changed" or "all". Use changed or all.'],
    ['step_size: 2.5\n', '1:12 step_size: 2.5 is not a whole number from 1 to 1,000,000. '],
    ['margin_percent: 95\n', '1:17 margin_percent: 95 is not a number from 0 to 90. '],
    [
      'ignore:\n  - "+(a|a)b"\n',
      '2:5 ignore[0]: The glob "+(a|a)b" uses an extended glob such as +(a|b), which is not ',
    ],
    [
      'paths: ["{1..99999999}"]\n',
      '1:9 paths[0]: The glob "{1..99999999}" uses a range such as {1..9}, which is not supported',
    ],
    [
      'overrides:\n  - path: "a\\\\b"\n',
      '2:11 overrides[0].path: The glob "a\\b" has a backslash: write / between folders. ',
    ],
    ['paths: configs/**\n', '1:8 paths: "configs/**" is not a list of globs. Write a list of globs.'],
    ['paths:\n  - a.yaml\n  - 3\n', '3:5 paths[1]: 3 is not a glob, such as configs/**/*.yaml. '],
    ['fail-on: waste > lots\n', '1:10 fail-on: "waste > lots" is not a condition. Write `waste > 40 %`, '],
    ['warn-on: 40\n', '1:10 warn-on: 40 is not a condition, such as "waste > 40 %", or a list of them. '],
    ['report: weekly\n', '1:9 report: "weekly" is not a mapping with a schedule. Write a mapping with a schedule.'],
    ['report:\n  cron: never\n', '2:9 report.cron: Unknown key "cron". Use schedule.'],
    [
      'report:\n  schedule: weekly\n',
      '2:13 report.schedule: This is not a valid schedule with at most one report per day',
    ],
    ['overrides:\n  - gpu: l4\n', '2:5 overrides[0].path: There is no value here. Write a glob, '],
    ['overrides:\n  - path: a\n    batch: 2\n', '3:12 overrides[0].batch: Unknown key "batch". '],
    ['overrides:\n  - path: a\n    task: causal\n', '3:11 overrides[0].task: "causal" is not a task. '],
    ['overrides: [a]\n', '1:13 overrides[0]: "a" is not an override: a mapping with a path. '],
  ])('%j', (text, told) => {
    const [first = '', ...others] = toldOf(text)
    expect(first).toContain(told)
    expect(others).toEqual([])
  })

  test('globs are refused that are too many characters together', () => {
    const glob = 'a'.repeat(499)
    const told = toldOf(`paths: [${`${glob},`.repeat(41)}]\noverrides:\n${`  - path: ${glob}\n`.repeat(41)}`)
    expect(told).toEqual([
      expect.stringContaining('1:8 paths: These globs have more than 20,000 characters together. Write globs that '),
      expect.stringContaining(
        '3:3 overrides: The paths of these overrides have more than 20,000 characters together. ',
      ),
    ])
  })

  test('all of them at once', () => {
    expect(
      problemsOf('gpu: a11\nfoo: 1\noverrides:\n  - path: a\n    gpu: x\n')
        .map(({ line }) => line)
        .sort(),
    ).toEqual([1, 2, 5])
  })

  test('also where the file is no mapping, several documents or no YAML', () => {
    expect(problemsOf('- a\n')).toMatchObject([{ file: path, line: 1 }])
    expect(problemsOf('gpu: a10\n---\ngpu: l4\n')).toMatchObject([{ file: path, line: 1 }])
    expect(problemsOf('gpu: [a10\n')).toMatchObject([{ code: 'not-yaml', file: path }])
  })
})
