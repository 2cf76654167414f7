/** Weights on their way into memory. */
import { describe, expect, it } from 'vitest'
import { renderComment } from '../../../engine/render/comment.ts'
import { renderTerminal } from '../../../engine/render/terminal.ts'
import { analysed, reportOf } from './peaks.ts'

describe('quantised weights that are divided among GPUs', () => {
  // LLaMA-Factory#3880: QLoRA of Llama 3 70B with ZeRO-3 over eight T4 runs out of memory with one sample of 2,048 tokens.
  const qlora = `model_name_or_path: meta-llama/Meta-Llama-3-70B
stage: sft
do_train: true
finetuning_type: lora
lora_target: q_proj,v_proj
template: llama3
quantization_bit: 4
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
fp16: true
`
  const zero3 = `${qlora}deepspeed: ds_z3_config.json\n`
  const loading = async (text: string, requirements = '') =>
    (await analysed(text, 't4', requirements)).peaks?.find(({ phase }) => phase === 'loading')

  it('LLaMA-Factory#3880: are whole on every GPU before ZeRO-3 divides them, which a T4 has no room for', async () => {
    const { peaks = [], current, verdict } = await analysed(zero3, 't4')
    expect(peaks[0]).toMatchObject({ phase: 'loading', state: 'does-not-fit', provenance: 'estimated' })
    expect(peaks[0]).not.toHaveProperty('microBatch')
    // 4 bits a weight, and more for the embeddings and the output layer, which stay in 16 bits.
    expect((peaks[0]?.peakBytes ?? 0) / 70.6e9).toBeGreaterThan(0.5)
    expect((peaks[0]?.peakBytes ?? 0) / 70.6e9).toBeLessThan(0.6)
    expect(peaks[1]).toMatchObject({ phase: 'training-step', peakBytes: current.peakBytes })
    expect(current.fits).toBe(true)
    expect(verdict.state).toBe('warning')
    expect(verdict.reasons).toContainEqual({ kind: 'loading-does-not-fit' })
  })

  it('are told on the pull request and in the terminal', async () => {
    // Short enough for the training step to fit for certain.
    const report = await reportOf(zero3.replace('cutoff_len: 2048', 'cutoff_len: 1024'), 't4')
    const told = /every GPU holds the whole quantised model until it is divided/
    expect(renderComment(report)).toMatch(told)
    expect(renderTerminal(report, { color: false, columns: 400 })).toMatch(told)
    expect(renderTerminal(report, { color: false, columns: 400 })).toContain('runs out of memory while it loads')
  })

  it('wait on the host for FSDP with transformers 4.39 to 4.57, and with ZeRO-3 never', async () => {
    const fsdp = `${qlora}fsdp: full_shard auto_wrap\n`
    const stateWith = async (text: string, version: string) =>
      (await loading(text, `transformers==${version}\n`))?.state
    expect(await stateWith(fsdp, '4.38.2')).toBe('does-not-fit')
    expect(await stateWith(fsdp, '4.39.0')).toBeUndefined()
    expect(await stateWith(fsdp, '4.57.6')).toBeUndefined()
    expect(await stateWith(fsdp, '5.18.0')).toBe('does-not-fit')
    expect(await stateWith(zero3, '4.57.6')).toBe('does-not-fit')
  })

  it('are no row of their own where nothing is quantised', async () => {
    expect(await loading(zero3.replace('quantization_bit: 4\n', ''))).toBeUndefined()
  })

  it('do not warn where a GPU has room for all of them', async () => {
    const { peaks = [], verdict } = await analysed(zero3, 'a100-80gb')
    expect(peaks[0]).toMatchObject({ phase: 'loading', state: 'fits' })
    expect(verdict.reasons).not.toContainEqual({ kind: 'loading-does-not-fit' })
  })
})

describe('weights that are quantised while one GPU loads them', () => {
  // transformers#43032: a model of 14 billion parameters on a card of 16 GB runs out of memory while it loads, of which 4.48 needs 9.
  const qlora = `model_name_or_path: microsoft/phi-4
load_in_4bit: true
use_peft: true
lora_r: 16
lora_target_modules: all-linear
per_device_train_batch_size: 1
bf16: true
max_length: 512
packing: true
gradient_checkpointing: true
`
  const loading = async (text: string, requirements = '') =>
    (await analysed(text, 'rtx-4080', requirements)).peaks?.find(({ phase }) => phase === 'loading')

  it('are quantised one after the other, beside which one is in 16 bits', async () => {
    const peak = await loading(qlora)
    expect(peak).toMatchObject({ state: 'fits', provenance: 'estimated' })
    expect(peak).not.toHaveProperty('waitsInFull')
    // 14.7 billion in 4 bits, and two tables of 100,352 × 5,120 in 32.
    expect((peak?.peakBytes ?? 0) / 1e9).toBeGreaterThan(11.5)
    expect((peak?.peakBytes ?? 0) / 1e9).toBeLessThan(13.5)
  })

  it('transformers#43032: may all be there in 16 bits with transformers 5.0 to 5.3', async () => {
    const peak = await loading(qlora, 'transformers==5.2.0\n')
    expect(peak).toMatchObject({ state: 'may-not-fit', waitsInFull: true })
    expect((peak?.peakBytes ?? 0) / 14.66e9).toBeCloseTo(2, 1)
    for (const version of ['4.57.6', '5.4.0'])
      expect(await loading(qlora, `transformers==${version}\n`)).toMatchObject({ state: 'fits' })
  })

  it('are told with the way out', async () => {
    const told = /HF_DEACTIVATE_ASYNC_LOAD=1/
    const old = await reportOf(qlora, 'rtx-4080', 'transformers==5.2.0\n')
    expect(renderTerminal(old, { color: false, columns: 400 })).toMatch(told)
    expect(renderComment(old)).toMatch(told)
    expect(renderComment(await reportOf(qlora, 'rtx-4080'))).not.toMatch(told)
  })

  it('are no row where the checkpoint is in 4 bits already, or Unsloth loads one that is', async () => {
    expect(await loading(qlora.replace('microsoft/phi-4', 'unsloth/phi-4-bnb-4bit'))).toBeUndefined()
  })

  it.each([
    [
      'base_model: microsoft/phi-4\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nlora_target_linear: true\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\ngradient_checkpointing: true\n',
    ],
    [
      'stage: sft\nmodel_name_or_path: microsoft/phi-4\nfinetuning_type: lora\nlora_target: all\ncutoff_len: 512\nbf16: true\nper_device_train_batch_size: 1\nquantization_bit: 4\ntemplate: phi4\n',
    ],
  ])('are a row for Axolotl and LLaMA-Factory: %j', async text => {
    expect(await loading(text)).toMatchObject({ state: 'fits' })
  })
})
