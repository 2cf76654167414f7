import { beforeAll, describe, expect, it } from 'vitest'
import { planSweeps } from '../../action/matrix.ts'
import { readRunners } from '../../action/runners.ts'
import { analyze, type Report } from '../../engine/index.ts'
import { bertMnli as bert } from '../bert-mnli.ts'

const paged = `${bert}optim: paged_adamw_32bit\n`
const now = new Date('2026-01-02T03:04:05Z')
const nowhere = () => false

function runners(text: string) {
  return readRunners(name => (name === 'runners' ? text : ''))
}
const fleet = runners('a10: self-hosted, linux, a10\n\nh100: self-hosted, h100')

let two: Report

beforeAll(async () => {
  two = await analyze(
    ['a.yaml', 'b.yaml'].map(path => ({ path, text: bert })),
    { now },
  )
})

describe('the matrix', () => {
  it('has every config on every GPU of the fleet, with the labels of its runner', () => {
    const { include, remarks } = planSweeps(two, fleet, nowhere)
    expect(include.map(({ id: _, ...entry }) => entry)).toEqual([
      { config: 'a.yaml', gpu: 'a10', 'runs-on': ['self-hosted', 'linux', 'a10'] },
      { config: 'a.yaml', gpu: 'h100', 'runs-on': ['self-hosted', 'h100'] },
      { config: 'b.yaml', gpu: 'a10', 'runs-on': ['self-hosted', 'linux', 'a10'] },
      { config: 'b.yaml', gpu: 'h100', 'runs-on': ['self-hosted', 'h100'] },
    ])
    expect(remarks).toEqual([])
  })

  it('gives each sweep an id that is its own, the same every time, and harmless in a name', () => {
    const ids = () => planSweeps(two, fleet, nowhere).include.map(({ id }) => id)
    expect(new Set(ids()).size).toBe(4)
    expect(ids()).toEqual(ids())
    for (const id of ids()) expect(id).toMatch(/^[0-9a-f]{16}$/)
  })

  it('has a config whose GPU is settled on that one alone', () => {
    const { include } = planSweeps(two, fleet, path => path === 'a.yaml')
    expect(include.map(({ config, gpu }) => `${config} ${gpu}`)).toEqual(['a.yaml a10', 'b.yaml a10', 'b.yaml h100'])
  })

  it('leaves out a config whose GPU has no runner, and says so', () => {
    const { include, remarks } = planSweeps(two, runners('h100: self-hosted'), path => path === 'a.yaml')
    expect(include.map(({ config }) => config)).toEqual(['b.yaml'])
    expect(remarks).toEqual([
      'Not planned: 1 of 2 training configs, whose GPU has no line in the input runners; they stay estimated.',
    ])
  })

  it('leaves the runner to the workflow where there is no fleet', () => {
    const { include } = planSweeps(two, runners(''), nowhere)
    expect(include.map(({ id: _, ...entry }) => entry)).toEqual([
      { config: 'a.yaml', gpu: 'a10' },
      { config: 'b.yaml', gpu: 'a10' },
    ])
  })

  it('sends no GPU after what it would not measure, and says so', async () => {
    const files = [
      { path: 'broken.yaml', text: 'per_device_train_batch_size: [16\n' },
      { path: 'paged.yaml', text: paged },
      { path: 'fine.yaml', text: bert },
    ]
    const { include, remarks } = planSweeps(await analyze(files, { now }), fleet, nowhere)
    expect(new Set(include.map(({ config }) => config))).toEqual(new Set(['fine.yaml']))
    expect(remarks).toEqual([
      'Not planned: 1 of 3 training configs, which could not be read; the check says why.',
      'Not planned: 1 of 3 training configs, whose kind of step the worker does not support; they stay estimated.',
    ])
  })

  it('ends at 256 jobs, and says how many were cut', () => {
    const [config] = two.configs
    if (config === undefined) throw new Error('there is a config')
    const many: Report = { ...two, configs: Array.from({ length: 200 }, (_, n) => ({ ...config, path: `${n}.yaml` })) }
    const { include, remarks } = planSweeps(many, fleet, nowhere)
    expect(include).toHaveLength(256)
    expect(remarks).toEqual([
      'Only the first 256 of 400 sweeps are planned, the most that a matrix can hold. Narrow them down with the input paths.',
    ])
  })

  it('stays within what an output holds, however long the paths', () => {
    const [config] = two.configs
    if (config === undefined) throw new Error('there is a config')
    const paths = Array.from({ length: 200 }, (_, n) => `${n}/${'x'.repeat(4_000)}.yaml`)
    const { include, remarks } = planSweeps(
      { ...two, configs: paths.map(path => ({ ...config, path })) },
      fleet,
      nowhere,
    )
    expect(JSON.stringify({ include }).length).toBeLessThan(600_000)
    expect(remarks[0]).toMatch(/^Only the first \d+ of 400 sweeps are planned/)
  })
})

describe('the input runners', () => {
  it.each([
    ['a10', 'input runners: "a10" is not a GPU with runner labels. Write one per line, such as a10: self-hosted, a10.'],
    ['a10: ,', 'input runners: "a10: ," is not a GPU with runner labels.'],
    [
      'a11: self-hosted',
      'input runners: "a11" is not in the catalogue, and the settings do not describe it. Did you mean a10?',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => runners(text)).toThrow(message)
  })
})
