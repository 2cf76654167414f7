import { describe, expect, test } from 'vitest'
import { explainFile } from '../../engine/explain.ts'
import { type ExplainedConfig, renderExplanations } from '../../engine/render/explanation.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import { wasteful } from './fixtures.ts'

const LIMIT = 65_536
const path = 'configs/bert.yaml'
const text = 'model_name_or_path: bert-base-uncased\ntask_name: mnli\nper_device_train_batch_size: 16\n'

async function explained(overrides: Partial<AnalysedConfig> = {}, source = text): Promise<ExplainedConfig> {
  return { path, explanation: await explainFile({ path, text: source }), config: wasteful({ path, ...overrides }) }
}

describe('an explanation', () => {
  test('tells each setting with its value and the place that it was read from', async () => {
    const rendered = renderExplanations([await explained()], LIMIT)
    expect(rendered).toContain('#### `configs/bert.yaml`')
    expect(rendered).toContain('Read as Hugging Face Trainer, recognised by per\\_device\\_train\\_batch\\_size.')
    expect(rendered).toContain('line 3, column 30 \\(per\\_device\\_train\\_batch\\_size\\)')
    expect(rendered).toContain("| gradient accumulation  | 1                             | the Trainer's default ")
  })

  test('tells a training method in words', async () => {
    const source =
      'model_name_or_path: Qwen/Qwen2.5-0.5B\nnum_generations: 8\nmax_completion_length: 256\nper_device_train_batch_size: 8\n'
    const rendered = renderExplanations([await explained({}, source)], LIMIT)
    expect(rendered).toContain('online, reference none, completion length 256, completions 8, generation transformers')
    expect(rendered).not.toContain('object Object')
  })

  test.each<[string, Partial<AnalysedConfig>, string, string]>([
    ['estimated', {}, 'Memory is estimated from the config alone', 'no run has timed it'],
    [
      'traced',
      { provenance: 'traced' },
      "Memory was traced: PyTorch's own graph of the step on its meta device, without a GPU.",
      'no run has timed it',
    ],
    [
      'measured',
      {
        provenance: 'measured',
        errorBandPercent: 0,
        throughputProvenance: 'measured',
        trials: [
          { microBatch: 16, provenance: 'measured', outcome: { kind: 'fits', peakBytes: 2, reservedBytes: 3 } },
          { microBatch: 32, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: 2, reservedBytes: 3 } },
        ],
      },
      'Memory was measured on the A10, in 1 trial.',
      'Throughput was timed in those trials.',
    ],
  ])('says of %s figures what they stand on', async (_, overrides, memory, throughput) => {
    const config = await explained(overrides)
    const rendered = renderExplanations([config], LIMIT)
    expect(rendered).toContain(memory)
    expect(rendered).toContain(throughput)
    expect(rendered).toContain('Costs: A10 at $0.60 an hour')
  })

  test('of a config that cannot be read tells where and why', async () => {
    const broken = text.replace('16', 'sixteen')
    const config = { ...(await explained({}, broken)), config: undefined }
    expect(renderExplanations([config], LIMIT)).toContain('Line 3, column 30')
  })

  test('gives up the tables of the last configs first, and keeps within its room', async () => {
    const one = await explained()
    const full = renderExplanations([one], LIMIT)
    const both = renderExplanations([one, one], Math.floor(full.length * 1.6))
    expect(Buffer.byteLength(both)).toBeLessThanOrEqual(full.length * 1.6)
    expect(both.match(/^#### /gm)).toHaveLength(2)
    expect(both.match(/\| setting/g)).toHaveLength(1)
    expect(both.indexOf('| setting')).toBeLessThan(both.lastIndexOf('####'))
  })
})
