import { describe, expect, test } from 'vitest'
import { analyze } from '../../../../engine/analyze.ts'
import { formatGib } from '../../../../engine/base/units.ts'
import { FootprintCache } from '../../../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../../../engine/gpus/catalogue.ts'
import { findModel } from '../../../../engine/models/catalogue.ts'
import type { AnalysedConfig } from '../../../../engine/report/schema.ts'
import { overStepCard } from '../../../../server/dashboard/result/over-step-card.ts'
import { withOverStep } from '../../../../server/over-step.ts'

async function analysed(...lines: readonly string[]): Promise<AnalysedConfig> {
  const text = ['memorymark:', 'model: bert', 'sequence_length: 128', ...lines].join('\n  ')
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now: new Date('2026-03-01T12:00:00Z') })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

function overStepOf(config: AnalysedConfig): AnalysedConfig {
  const model = findModel('bert')
  if (model === undefined) throw new Error('the catalogue lost BERT')
  return withOverStep(config, model.config, { gpu: defaultGpu, footprints: new FootprintCache() })
}

const cardOf = async (config: AnalysedConfig) => String(await overStepCard(config))

describe('memory over the step', () => {
  test('is there for an estimate, and never for what was measured', async () => {
    const config = await analysed('batch_size: 16')
    const { overStep = [] } = overStepOf(config)
    expect(Math.max(...overStep.map(({ bytes }) => bytes))).toBe(config.current.peakBytes)
    expect(overStepOf({ ...config, provenance: 'measured' }).overStep).toBeUndefined()
    expect(await cardOf(config)).toBe('')
  })

  test('is drawn with the kinds that occur, estimated, and told in a table with the peak', async () => {
    const config = overStepOf(await analysed('batch_size: 16'))
    const card = await cardOf(config)
    const kinds = [
      'temporaries',
      'logits',
      'activations',
      'gradients',
      'inputs',
      'library workspace',
      'optimizer state',
      'weights',
    ]
    expect(Array.from(card.matchAll(/<\/svg>&nbsp;([a-z ]+)<\/th>/g), ([, kind]) => kind)).toEqual(kinds)
    expect(card.match(/<path /g)).toHaveLength(kinds.length)
    expect(card).toContain('estimated')
    const peak = formatGib(config.current.peakBytes)
    expect(card).toContain(`>peak ${peak}</text>`)
    expect(card).toMatch(new RegExp(`<tfoot><tr><th scope="row">together</th>.*<td>${peak.replace('.', '\\.')}</td>`))
    expect(card).toContain(`comes at: ${config.peakMoment}.`)
  })

  test('has a line where memory ends, as soon as the step comes near to it', async () => {
    expect(await cardOf(overStepOf(await analysed('batch_size: 16')))).not.toContain('dashed line')
    expect(await cardOf(overStepOf(await analysed('batch_size: 4096')))).toContain('The dashed line is what is usable')
  })

  test('says what the second forward and backward stand for', async () => {
    const card = await cardOf(overStepOf(await analysed('batch_size: 16', 'gradient_accumulation: 4')))
    expect(card).toContain('>2nd backward</th>')
    expect(card).toContain('The second forward and backward stand for all')
    expect(await cardOf(overStepOf(await analysed('batch_size: 16')))).not.toContain('The second forward')
  })

  test('shows names as text', async () => {
    const config = overStepOf(await analysed('batch_size: 16'))
    const hostile = config.overStep?.map(point => ({ ...point, moment: '"><script>alert(1)</script>' }))
    expect(await cardOf({ ...config, overStep: hostile })).not.toContain('<script>')
  })
})
