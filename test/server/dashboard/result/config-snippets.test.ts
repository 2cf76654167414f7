import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { analyze } from '../../../../engine/analyze.ts'
import { readConfig } from '../../../../engine/config/read.ts'
import { findGpu } from '../../../../engine/gpus/catalogue.ts'
import type { AnalysedConfig } from '../../../../engine/report/schema.ts'
import { configSnippets } from '../../../../server/dashboard/result/config-snippets.ts'

const now = new Date('2026-03-01T12:00:00Z')

async function analysed(text: string, gpuId = 'a10'): Promise<AnalysedConfig> {
  const gpu = findGpu(gpuId)
  const { configs } = await analyze([{ path: 'train.yaml', text }], { now, ...(gpu && { gpu }) })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

const lora = `memorymark:
  model: meta-llama/Llama-3.2-1B
  batch_size: 1
  gradient_accumulation: 16
  sequence_length: 128
  precision: bf16
  lora_rank: 16
  lora_targets: [q_proj, v_proj]
  gradient_checkpointing: true
`

describe('what to paste', () => {
  test.each([
    'memorymark:\n  model: bert\n  batch_size: 16\n  sequence_length: 128\n',
    'memorymark:\n  model: microsoft/resnet-50\n  batch_size: 8\n  labels: 10\n',
    lora,
  ])('for a new config says the recommendation and nothing else than the spec: %s', async text => {
    const config = await analysed(text)
    const pasted = await configSnippets(config, undefined)
    if (pasted.kind !== 'snippets') throw new Error(pasted.kind)
    const own = pasted.snippets.at(-1)
    const reading = readConfig({ path: 'new.yaml', text: own?.text ?? '' })
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    expect(reading.spec).toEqual({
      ...config.spec,
      microBatch: config.recommended?.microBatch,
      gradientAccumulation: config.recommended?.gradientAccumulation,
    })
    expect(parse(pasted.snippets[0]?.text ?? '')).toEqual({
      per_device_train_batch_size: config.recommended?.microBatch,
      gradient_accumulation_steps: config.recommended?.gradientAccumulation,
    })
  })

  test('into a pasted config is that config with its numbers replaced', async () => {
    const config = await analysed(lora)
    const { microBatch, gradientAccumulation } = config.recommended ?? config.current
    expect(microBatch).toBeGreaterThan(1)
    expect(await configSnippets(config, { path: 'train.yaml', text: lora })).toEqual({
      kind: 'snippets',
      snippets: [
        {
          title: 'Your config with the new sizes',
          text: lora
            .replace('batch_size: 1\n', `batch_size: ${microBatch}\n`)
            .replace('gradient_accumulation: 16\n', `gradient_accumulation: ${gradientAccumulation}\n`),
        },
      ],
    })
  })

  test('is nothing where a change would bring nothing', async () => {
    const text = 'memorymark:\n  model: bert\n  batch_size: 32\n  sequence_length: 512\n'
    expect(await configSnippets(await analysed(text), { path: 'train.yaml', text })).toEqual({
      kind: 'nothing-to-change',
    })
  })

  test('is told in words where the number stands behind an alias', async () => {
    const text = 'size: &size 2\nmemorymark:\n  model: bert\n  batch_size: *size\n'
    const pasted = await configSnippets(await analysed(text), { path: 'train.yaml', text })
    expect(pasted).toMatchObject({ kind: 'by-hand', plan: { gradientAccumulation: 1 } })
  })

  test('is nothing where no size fits', async () => {
    const text = 'memorymark:\n  model: meta-llama/Llama-3.1-70B\n  batch_size: 1\n  sequence_length: 2048\n'
    expect(await configSnippets(await analysed(text, 't4'), undefined)).toEqual({ kind: 'nothing-fits' })
  })
})
