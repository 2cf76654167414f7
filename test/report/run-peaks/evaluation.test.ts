/** The evaluations between training steps. */
import { describe, expect, it } from 'vitest'
import { renderComment } from '../../../engine/render/comment.ts'
import { renderTerminal } from '../../../engine/render/terminal.ts'
import { analysed, evaluated, reportOf, trainer } from './peaks.ts'

const phasesOf = async (text: string) => (await analysed(text)).peaks?.map(({ phase }) => phase)

describe('the evaluations between training steps', () => {
  it('are a row of their own beside the step, in batches of 8 where nothing else is written', async () => {
    const { peaks = [], current } = await analysed(evaluated)
    expect(peaks).toMatchObject([
      { phase: 'training-step', microBatch: 1, peakBytes: current.peakBytes, state: 'fits' },
      { phase: 'evaluation', microBatch: 8, state: 'does-not-fit', provenance: 'estimated' },
    ])
  })

  it('name the largest batch that would fit, and no larger one would', async () => {
    const { peaks = [] } = await analysed(evaluated)
    const fitting = peaks[1]?.fittingMicroBatch ?? 0
    const stateAt = async (size: number) =>
      (await analysed(`${evaluated}per_device_eval_batch_size: ${size}\n`)).peaks?.[1]?.state
    expect(fitting).toBeGreaterThan(1)
    expect(await stateAt(fitting)).toBe('fits')
    expect(await stateAt(fitting + 1)).not.toBe('fits')
  })

  it('warn where they certainly do not fit, and never block', async () => {
    const { verdict } = await analysed(evaluated)
    expect(verdict.state).toBe('warning')
    expect(verdict.reasons).toContainEqual({ kind: 'evaluation-does-not-fit' })
    const { verdict: smaller } = await analysed(`${evaluated}per_device_eval_batch_size: 1\n`)
    expect(smaller.reasons).not.toContainEqual({ kind: 'evaluation-does-not-fit' })
  })

  it('are told on the pull request and in the terminal, with what to write', async () => {
    const report = await reportOf(evaluated, 'a100-40gb')
    const fits = /per_device_eval_batch_size: \d would fit/
    expect(renderComment(report)).toMatch(fits)
    expect(renderTerminal(report, { color: false, columns: 400 })).toMatch(fits)
    expect(renderTerminal(report, { color: false, columns: 400 })).toContain('runs out of memory in evaluation')
    const fine = await reportOf(`${evaluated}per_device_eval_batch_size: 1\n`, 'a100-40gb')
    expect(renderComment(fine)).not.toContain('evaluation:')
    expect(renderComment(fine)).toMatch(/\| evaluation +\| +1 \| +[\d.]+ GiB \| fits +\|/)
  })

  it('say what to do where not even one sample fits: unsloth#1147', async () => {
    const long = `${trainer.replace('2048', '65536')}eval_strategy: steps\n`
    const sentence = async (text: string) =>
      renderTerminal(await reportOf(text, 'a100-40gb'), { color: false, columns: 400 })
    expect(await sentence(long)).toMatch(/not even one fits beside the optimizer's state: evaluate shorter samples, or/)
    expect(await sentence(`${long}per_device_eval_batch_size: 1\n`)).toMatch(
      /one sample at a time needs [\d.]+ of [\d.]+ GiB \(estimated\): evaluate shorter samples, or set eval_strategy: no/,
    )
  })

  it('are told beside a step that does not fit either', async () => {
    const report = await reportOf(evaluated.replace('checkpointing: true', 'checkpointing: false'), 'a10')
    expect(renderComment(report)).toMatch(/ Its evaluation does not fit either: 8 samples at a time need /)
  })

  it.each(['eval_strategy: no', 'eval_strategy: "no"', 'do_eval: false', 'eval_steps: 100'])(
    'are none with %s',
    async line => {
      expect(await phasesOf(`${trainer}${line}\n`)).toBeUndefined()
    },
  )

  it.each(['evaluation_strategy: epoch', 'do_eval: true', 'eval_on_start: true'])('are there with %s', async line => {
    expect(await phasesOf(`${trainer}${line}\n`)).toEqual(['training-step', 'evaluation'])
  })

  it('are not spoken of where the size of their batches is not a number', async () => {
    expect(await phasesOf(`${evaluated}per_device_eval_batch_size: auto\n`)).toBeUndefined()
  })

  it("are left out with Liger's loss in a plain Trainer: from which release on it is fused there too is not known", async () => {
    expect(await phasesOf(`${evaluated}use_liger_kernel: true\n`)).toBeUndefined()
  })

  it("take Liger's loss in TRL's SFT from 0.29 on, and all logits before", async () => {
    const sft = `${trainer.replace('block_size', 'max_length')}packing: true\nuse_liger_kernel: true\neval_strategy: steps\n`
    const { peaks: fused = [] } = await analysed(sft)
    const { peaks: whole = [] } = await analysed(sft, 'a100-40gb', 'trl==0.28.0\n')
    expect(fused[1]).toMatchObject({ phase: 'evaluation', state: 'fits' })
    expect(whole[1]).toMatchObject({ phase: 'evaluation', state: 'does-not-fit' })
  })

  it("take TRL's default loss in chunks, and metrics keep no logits of it", async () => {
    const { peaks = [] } = await analysed(
      `${trainer.replace('block_size', 'max_length')}packing: true\neval_strategy: steps\n`,
    )
    expect(peaks.map(({ phase, state }) => [phase, state])).toEqual([
      ['training-step', 'fits'],
      ['evaluation', 'fits'],
    ])
    expect(peaks[1]).not.toHaveProperty('logitBytesPerSample')
  })

  it.each(['fsdp: full_shard auto_wrap', 'deepspeed: ds_z3.json'])(
    'gather weights that are divided, a layer at a time: %s',
    async line => {
      const { peaks = [] } = await analysed(`${evaluated}per_device_eval_batch_size: 1\n${line}\n`, 'h100')
      const { peaks: whole = [] } = await analysed(`${evaluated}per_device_eval_batch_size: 1\n`, 'h100')
      const [divided, alone] = [peaks, whole].map(all => all.find(({ phase }) => phase === 'evaluation'))
      expect(divided?.state).toBe('fits')
      expect(divided?.peakBytes).toBeLessThan(alone?.peakBytes ?? 0)
      // The logits of 2,048 tokens are there beside all that is gathered.
      expect(divided?.peakBytes).toBeGreaterThan(2_048 * 151_936 * 4)
    },
  )

  it('of preferences run the policy and the reference for each batch, and keep nothing', async () => {
    const dpo = `${evaluated}rl_type: dpo\nbeta: 0.1\nmax_prompt_length: 512\nloss_type: sigmoid\nper_device_eval_batch_size: 1\n`
    const { peaks = [] } = await analysed(dpo, 'h100')
    expect(peaks.map(({ phase }) => phase)).toEqual(['training-step', 'evaluation'])
    expect(peaks[1]?.peakBytes).toBeLessThan(peaks[0]?.peakBytes ?? 0)
  })

  it('of GRPO generate for each batch, and name a limit instead of a size that num_generations may not divide', async () => {
    const grpo =
      `${trainer.replace('block_size: 2048', 'max_prompt_length: 1024\nmax_completion_length: 3072')}num_generations: 8
beta: 0.04
per_device_eval_batch_size: 64
eval_strategy: steps
`.replace('batch_size: 1\n', 'batch_size: 8\n')
    const report = await reportOf(grpo, 'h100')
    const [config] = report.configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    expect(config.peaks?.[1]).toMatchObject({ phase: 'evaluation', microBatch: 64, state: 'does-not-fit' })
    expect(renderTerminal(report, { color: false, columns: 400 })).toMatch(
      /a per_device_eval_batch_size up to \d+ would fit: times the GPUs, a multiple of num_generations/,
    )
  })

  it('of image classification are a row too', async () => {
    const vit =
      'model_name_or_path: google/vit-base-patch16-224\nper_device_train_batch_size: 32\nimage_column_name: image\neval_strategy: epoch\n'
    expect(await phasesOf(vit)).toEqual(['training-step', 'evaluation'])
  })

  it('of LLaMA-Factory are read the same way', async () => {
    const text =
      'stage: sft\nmodel_name_or_path: Qwen/Qwen2.5-0.5B\nfinetuning_type: lora\nlora_target: all\ncutoff_len: 2048\nbf16: true\nper_device_train_batch_size: 1\neval_strategy: steps\nval_size: 0.1\nper_device_eval_batch_size: 2\ntemplate: qwen\ndataset: x\n'
    const { peaks = [] } = await analysed(text)
    expect(peaks[1]).toMatchObject({ phase: 'evaluation', microBatch: 2 })
    // Its metrics keep the likeliest tokens of each batch, not the logits.
    expect(peaks[1]).not.toHaveProperty('logitBytesPerSample')
  })

  describe('of Axolotl', () => {
    const axolotl = `base_model: Qwen/Qwen2.5-1.5B
micro_batch_size: 2
gradient_accumulation_steps: 8
sequence_len: 8192
bf16: true
gradient_checkpointing: true
datasets: [{ path: x, type: alpaca }]
val_set_size: 0.05
evals_per_epoch: 4
`
    const evaluationOf = async (text: string) =>
      (await analysed(text, 'l40s')).peaks?.find(({ phase }) => phase === 'evaluation')

    it('are in batches of the training by default', async () => {
      expect(await evaluationOf(axolotl)).toMatchObject({ microBatch: 2 })
      expect(await evaluationOf(`${axolotl}eval_batch_size: 1\n`)).toMatchObject({ microBatch: 1 })
    })

    it.each(['val_set_size: 0.05', 'evals_per_epoch: 4'])('are none without %s', async line => {
      expect(await evaluationOf(axolotl.replace(`${line}\n`, ''))).toBeUndefined()
    })

    it('hold all logits beside Liger’s loss, and none beside cut cross-entropy', async () => {
      const liger = `${axolotl}plugins: [axolotl.integrations.liger.LigerPlugin]\nliger_fused_linear_cross_entropy: true\n`
      const cut = `${axolotl}plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]\n`
      const [ofLiger, ofCut] = [await evaluationOf(liger), await evaluationOf(cut)]
      expect((ofLiger?.peakBytes ?? 0) - (ofCut?.peakBytes ?? 0)).toBeGreaterThan(2 * 8_192 * 151_936 * 4)
    })

    it('name its own key where they do not fit', async () => {
      const text = `${axolotl}eval_batch_size: 16\n`
      const report = await reportOf(text, 'l40s')
      expect(renderTerminal(report, { color: false, columns: 400 })).toMatch(/; eval_batch_size: \d+ would fit/)
    })
  })
})

describe('reported runs that died in their first evaluation', () => {
  // unsloth#5168: LoRA of Gemma 4 E2B on an RTX 4090, one sample of 4,096 tokens at a time; the evaluation's batch was left at 8.
  // Its logits are whole, as everybody's were before TRL 1.7.
  const gemma = `model_name_or_path: google/gemma-4-E2B
per_device_train_batch_size: 1
gradient_accumulation_steps: 32
max_seq_length: 4096
bf16: true
torch_dtype: bfloat16
gradient_checkpointing: true
optim: adamw_8bit
use_peft: true
lora_r: 32
lora_target_modules: [q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj]
loss_type: nll
eval_strategy: steps
eval_steps: 2000
`

  it('unsloth#5168: with the default batch of 8 it cannot fit, with the training batch it does', async () => {
    const { peaks: byDefault = [] } = await analysed(gemma, 'rtx-4090')
    expect(byDefault[1]).toMatchObject({ microBatch: 8, state: 'does-not-fit', fittingMicroBatch: 1 })
    const { peaks: asTrained = [] } = await analysed(`${gemma}per_device_eval_batch_size: 1\n`, 'rtx-4090')
    expect(asTrained[1]).toMatchObject({ microBatch: 1, state: 'fits' })
  })
})
