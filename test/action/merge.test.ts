import { beforeAll, describe, expect, it } from 'vitest'
import { mergeShards } from '../../action/merge.ts'
import { type AnalysedConfig, analyze, findGpu, type Report } from '../../engine/index.ts'
import { bertMnli as bert } from '../bert-mnli.ts'
import { unanalysed } from './reports.ts'

const now = new Date('2026-01-02T03:04:05Z')
const files = (text = bert) => ['a.yaml', 'b.yaml'].map(path => ({ path, text }))

let estimated: Report

beforeAll(async () => {
  estimated = await analyze(files(), { now })
})

/** A report as a sweep leaves it. */
function measured(from: Report, path: string, changes: Partial<AnalysedConfig> = {}): Report {
  const configs = from.configs.flatMap(config =>
    config.path === path && config.status === 'analysed'
      ? [{ ...config, provenance: 'measured' as const, errorBandPercent: 0, ...changes }]
      : [],
  )
  return { ...from, configs }
}

function known({ configs }: Report): string[] {
  return configs.map(config =>
    config.status === 'analysed' ? `${config.path} ${config.gpu.id} ${config.provenance}` : config.path,
  )
}

describe('shards', () => {
  it('take the place of the estimates', () => {
    const { report, remarks } = mergeShards(estimated, [measured(estimated, 'a.yaml'), measured(estimated, 'b.yaml')])
    expect(known(report)).toEqual(['a.yaml a10 measured', 'b.yaml a10 measured'])
    expect(remarks).toEqual([])
  })

  it('that are missing leave the estimate, and the reader is told', () => {
    const { report, remarks } = mergeShards(estimated, [measured(estimated, 'a.yaml')])
    expect(known(report)).toEqual(['a.yaml a10 measured', 'b.yaml a10 estimated'])
    expect(remarks).toEqual(['No shard has figures for 1 of 2 training configs: they stay estimated.'])
  })

  it('are not missed where none were asked for', () => {
    expect(mergeShards(estimated, [])).toEqual({ report: estimated, remarks: [] })
  })

  it('of several GPUs stand side by side; of the same GPU the last counts', async () => {
    const h100 = findGpu('h100')
    const onH100 = await analyze(files(), { now, ...(h100 && { gpu: h100 }) })
    const shards = [
      measured(estimated, 'a.yaml', { speedup: 1 }),
      measured(onH100, 'a.yaml'),
      measured(estimated, 'a.yaml', { speedup: 1.5 }),
    ]
    const { report } = mergeShards(estimated, shards)
    expect(known(report)).toEqual(['a.yaml a10 measured', 'a.yaml h100 measured', 'b.yaml a10 estimated'])
    expect(report.configs[0]).toMatchObject({ speedup: 1.5 })
  })

  it('of another version of a config, or of one that is not looked at, are left aside', async () => {
    const older = await analyze(files(bert.replace('batch_size: 16', 'batch_size: 8')), { now })
    const stranger = measured(estimated, 'a.yaml', { path: 'secret.yaml' })
    const { report, remarks } = mergeShards(estimated, [measured(older, 'a.yaml'), stranger])
    expect(known(report)).toEqual(['a.yaml a10 estimated', 'b.yaml a10 estimated'])
    expect(remarks).toEqual([
      'No shard has figures for 2 of 2 training configs: they stay estimated.',
      '2 results in the shards are for other configs, or for other versions of these, and were ignored.',
    ])
  })

  it('whose sweep broke off say why, and the estimate stands', () => {
    const { report, remarks } = mergeShards(estimated, [unanalysed('a.yaml'), measured(estimated, 'b.yaml')])
    expect(known(report)).toEqual(['a.yaml a10 estimated', 'b.yaml a10 measured'])
    expect(remarks[0]).toBe('A sweep failed: Not valid YAML. Correct it.')
  })
})
