/** Losses that compare the samples of a micro-batch: another micro-batch is another training, at the same effective batch too. */
import { expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { advice } from '../../engine/render/advice.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'

async function analysed(loss: string): Promise<AnalysedConfig> {
  const settings = `model: bert\n  task: sentence-similarity\n  sentence_columns: 2\n  sentence_loss: ${loss}\n`
  const text = `memorymark:\n  ${settings}  batch_size: 4\n  gradient_accumulation: 16\n  sequence_length: 32\n`
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now: new Date('2026-01-01T00:00:00Z') })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

const comparing = 'of which the loss compares each sample with more others (this changes the training)'

test.each([
  ['multiple-negatives-ranking', true],
  ['cosent', true],
  ['cosine-similarity', false],
])('%s is told and judged as another training: %s', async (loss, isAnother) => {
  const config = await analysed(loss)
  const [first = ''] = advice(config)
  expect(first).toMatch(/^Micro-batch 4 → \d+, accumulation 16 → \d+: same effective batch/)
  expect(first.includes(comparing)).toBe(isAnother)
  const ofSameBatch = config.verdict.reasons.filter(
    reason =>
      reason.kind === 'condition' && 'sameEffectiveBatch' in reason.condition && reason.condition.sameEffectiveBatch,
  )
  expect(ofSameBatch.length > 0).toBe(!isAnother)
})
