/** What a config does not say and was assumed, or is counted too high or not at all: it never blocks, and is told. */
import { describe, expect, test } from 'vitest'
import { analyze } from '../engine/analyze.ts'
import { advice } from '../engine/render/advice.ts'
import { renderComment } from '../engine/render/comment.ts'
import type { AnalysedConfig, Report } from '../engine/report/schema.ts'
import { readSettings } from '../engine/settings/read.ts'

async function reportOn(text: string, overrides: string): Promise<Report> {
  const reading = readSettings({ path: '.github/memorymark.yml', text: `gpu: a100-80gb\n${overrides}` })
  if (reading.kind !== 'settings') throw new Error(reading.kind)
  return analyze([{ path: 'train.yaml', text }], { now: new Date('2026-03-01T12:00:00Z'), settings: reading.settings })
}

function only({ configs: [config] }: Report): AnalysedConfig {
  if (config?.status !== 'analysed') throw new Error(`not analysed: ${JSON.stringify(config)}`)
  return config
}

const analysed = async (text: string, overrides = '') => only(await reportOn(text, overrides))

describe('the number of GPUs that nobody has told', () => {
  const full = (more = '') =>
    `model_name_or_path: mistralai/Mistral-7B-v0.1\nper_device_train_batch_size: 1\nbf16: true\n${more}`
  test('does not block what runs out of memory on one and would fit divided among several', async () => {
    const config = await analysed(full('max_seq_length: 512\ntask: causal-lm\n'))
    const { verdict, assumed, current } = config
    expect(advice(config).join(' ')).toContain(
      'One GPU is assumed: divided among several by FSDP or ZeRO-3 it would fit.',
    )
    expect(current.fits).toBe(false)
    expect(assumed).toEqual(['gpus'])
    expect(verdict).toEqual({ state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'assumed' }] })
  })

  test('blocks it once the settings say that it is one', async () => {
    const one = 'overrides: [{ path: "*.yaml", gpus: 1 }]\n'
    expect((await analysed(full('max_seq_length: 512\n'), one)).verdict.state).toBe('blocked')
  })

  test('does not block what several machines would have to share', async () => {
    const { verdict, assumed } = await analysed(
      'model_name_or_path: mistralai/Mixtral-8x22B-v0.1\nper_device_train_batch_size: 1\nbf16: true\ntorch_dtype: bfloat16\nmax_seq_length: 512\n',
    )
    expect(assumed).toEqual(['gpus'])
    expect(verdict).toEqual({ state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'assumed' }] })
  })

  test('blocks what would not fit divided among several either', async () => {
    const large = full('max_seq_length: 512\n').replace('batch_size: 1', 'batch_size: 1024')
    const { verdict, assumed } = await analysed(large)
    expect(assumed).toBeUndefined()
    expect(verdict).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })
})

describe('an estimate that is known to be high', () => {
  const training = (optimizer: string, microBatch: number) =>
    `model_name_or_path: HuggingFaceTB/SmolLM3-3B\nmax_length: 2048\nper_device_train_batch_size: ${microBatch}\nbf16: true\noptim: ${optimizer}\n`
  const on = (text: string) => analysed(text, 'overrides: [{ path: "*.yaml", gpus: 1 }]\n')

  test('never blocks', async () => {
    expect((await on(training('adamw_torch_fused', 64))).verdict.state).toBe('blocked')
    const config = await on(training('muon', 64))
    expect(config.current.fits).toBe(false)
    expect(config.assumed).toEqual(['upper-bound'])
    expect(config.verdict).toEqual({ state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'assumed' }] })
    expect(advice(config)).toContain(
      'More memory is counted than the training takes: what the figures are based on says why.',
    )
  })

  test('is as good as another where the config fits by it', async () => {
    expect((await on(training('muon', 1))).assumed).toBeUndefined()
  })
})

describe('a model that sees, of whose images nothing is known', () => {
  const text =
    'model_name_or_path: HuggingFaceTB/SmolVLM-Instruct\nmax_length: 2048\nper_device_train_batch_size: 1\nbf16: true\nuse_peft: true\nlora_r: 8\nlora_target_modules: all-linear\n'
  const on = (overrides: string) => reportOn(text, overrides)

  test('says that only text is counted, where it is fine too', async () => {
    const report = await on('')
    expect(only(report).leftOut).toBe('images')
    expect(renderComment(report)).toContain('only text is counted, without images')
  })

  test('counts the frames of a video where the model reads videos, and says where it does not', async () => {
    const overrides = 'overrides: [{ path: "*.yaml", image_size: 448, video_frames: 16 }]\n'
    const qwen = await reportOn(
      text.replace('HuggingFaceTB/SmolVLM-Instruct', 'Qwen/Qwen2.5-VL-3B-Instruct'),
      overrides,
    )
    expect(only(qwen).assumptions).toContain(
      'One video of 16 frames per sample of 448×448 pixels: 2048 of the 2048 tokens of a sequence.',
    )
    const smolvlm = only(await on(overrides))
    expect(smolvlm.leftOut).toBe('images')
    expect(smolvlm.assumptions.join(' ')).toContain('Videos are not modelled')
  })

  test('counts them once their size is said', async () => {
    const report = await on('overrides: [{ path: "*.yaml", image_size: 512 }]\n')
    expect(only(report).leftOut).toBeUndefined()
    expect(renderComment(report)).not.toContain('only text is counted')
  })
})
