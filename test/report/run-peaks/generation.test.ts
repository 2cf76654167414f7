import { describe, expect, it } from 'vitest'
import { analysed, evaluated } from './peaks.ts'

describe('text that an evaluation generates', () => {
  const t5 = `model_name_or_path: google-t5/t5-large
task: seq2seq-lm
max_source_length: 2048
max_target_length: 128
per_device_train_batch_size: 1
gradient_checkpointing: true
eval_strategy: epoch
predict_with_generate: true
`
  const rows = async (text: string) => (await analysed(text, 'a10')).peaks ?? []

  it('is a row of its own, in place of logits that are kept', async () => {
    const [, evaluation, generation] = await rows(t5)
    expect(evaluation).not.toHaveProperty('logitBytesPerSample')
    expect(generation).toMatchObject({ phase: 'generation', microBatch: 8 })
  })

  it('is left out where FSDP1 gathers the whole model for it', async () => {
    const phases = async (version: number) =>
      (await rows(`${t5}fsdp: full_shard auto_wrap\nfsdp_config: {version: ${version}}\n`)).map(({ phase }) => phase)
    expect(await phases(1)).not.toContain('generation')
    expect(await phases(2)).toContain('generation')
  })

  it('takes beams as often, and says how many samples would fit', async () => {
    const [, , greedy] = await rows(t5)
    const [, , beams] = await rows(`${t5}generation_num_beams: 8\n`)
    expect(greedy?.state).toBe('fits')
    expect(beams?.state).toBe('does-not-fit')
    const size = beams?.fittingMicroBatch ?? 0
    const [, , smaller] = await rows(`${t5}generation_num_beams: 8\nper_device_eval_batch_size: ${size}\n`)
    expect(size).toBeGreaterThan(0)
    expect(smaller?.state).toBe('fits')
  })

  it('of a decoder alone is a row too, which is higher for longer text', async () => {
    const generating = (length: number) =>
      rows(`${evaluated}predict_with_generate: true\ngeneration_max_length: ${length}\n`)
    const [, evaluation, generation] = await generating(1_024)
    expect(evaluation).not.toHaveProperty('logitBytesPerSample')
    expect(generation).toMatchObject({ phase: 'generation', microBatch: 8 })
    const [, , longer] = await generating(65_536)
    expect(longer?.peakBytes).toBeGreaterThan(1.5 * (generation?.peakBytes ?? 0))
  })

  it('of Whisper has as many tokens as its decoder has positions, where no length is asked for', async () => {
    const whisper = `model_name_or_path: openai/whisper-small
task: seq2seq-lm
per_device_train_batch_size: 8
fp16: true
eval_strategy: steps
predict_with_generate: true
`
    const [, , byDefault] = await rows(whisper)
    const [, , asked] = await rows(`${whisper}generation_max_length: 448\n`)
    expect(byDefault).toMatchObject({ phase: 'generation', microBatch: 8 })
    expect(byDefault?.peakBytes).toBe(asked?.peakBytes)
  })
})
