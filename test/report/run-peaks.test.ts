/** Where a run could die besides in a training step, and what is said of it. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { peakRows } from '../../engine/render/run-peaks.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import type { AnalysedConfig, Report } from '../../engine/report/schema.ts'
import { report as reportSchema } from '../../engine/report/schema.ts'
import { readSettings } from '../../engine/settings/read.ts'

/** `requirements`: a file beside the config. */
async function reportOf(text: string, gpu: string, requirements = ''): Promise<Report> {
  const named = findGpu(gpu)
  if (named === undefined) throw new Error(gpu)
  const sources = {
    readFile: async (path: string) => (path === 'requirements.txt' ? requirements : undefined),
    listFolder: async (folder: string) => (folder === '.' ? ['requirements.txt', 'train.yaml'] : []),
  }
  const options = { now: new Date(0), gpu: named, ...(requirements !== '' && { sources }) }
  return reportSchema.parse(await analyze([{ path: 'train.yaml', text }], options))
}

async function analysed(text: string, gpu = 'a100-40gb', requirements = ''): Promise<AnalysedConfig> {
  const [config] = (await reportOf(text, gpu, requirements)).configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

/** One sample at a time with checkpointing; evaluated in the Trainer's default batches of 8. */
const trainer = `model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
gradient_accumulation_steps: 16
bf16: true
block_size: 2048
gradient_checkpointing: true
`
const evaluated = `${trainer}eval_strategy: steps\n`

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

describe('what metrics keep of an evaluation', () => {
  const vocabulary = 151_936
  const logitBytes = 2_048 * vocabulary * 4

  it('is told per sample where it stays until the end, since the config does not say how many there are', async () => {
    const { peaks = [] } = await analysed(evaluated)
    expect(peaks[1]?.logitBytesPerSample).toBe(logitBytes)
    expect(peaks).toHaveLength(2)
  })

  it('fits up to a number of samples, of which one batch more does not', async () => {
    const { peaks: unknown = [] } = await analysed(evaluated, 'h100')
    const { fittingSamples = 0 } = unknown[1] ?? {}
    const stateOf = async (samples: number) =>
      (await analysed(`${evaluated}max_eval_samples: ${samples}\n`, 'h100')).peaks?.[2]?.state
    expect(fittingSamples).toBeGreaterThan(0)
    expect(await stateOf(fittingSamples)).toBe('fits')
    expect(await stateOf(fittingSamples + 1)).not.toBe('fits')
    expect(renderTerminal(await reportOf(evaluated, 'h100'), { color: false, columns: 400 })).toContain(
      `fits up to ${fittingSamples} samples; else set eval_accumulation_steps`,
    )
  })

  it('names the most steps after which it may go to the host', async () => {
    const text = `${evaluated}per_device_eval_batch_size: 1\nmax_eval_samples: 10000\n`
    const { peaks = [] } = await analysed(text)
    const { fittingAccumulation = 0 } = peaks[2] ?? {}
    const stateAt = async (steps: number) =>
      (await analysed(`${text}eval_accumulation_steps: ${steps}\n`)).peaks?.[2]?.state
    expect(peaks[2]).toMatchObject({ phase: 'evaluation-with-metrics', state: 'does-not-fit' })
    expect(await stateAt(fittingAccumulation)).toBe('fits')
    expect(await stateAt(fittingAccumulation + 1)).not.toBe('fits')
    expect(renderTerminal(await reportOf(text, 'a100-40gb'), { color: false, columns: 400 })).toContain(
      `(eval_accumulation_steps: ${fittingAccumulation} would)`,
    )
  })

  // Seen in transformers 5.18 on the CPU: predictions of T5 are its logits and its encoder's last hidden states.
  it('is of T5 what the encoder hands on too', async () => {
    const text =
      'model_name_or_path: google-t5/t5-small\ntask: seq2seq-lm\nmax_source_length: 384\nmax_target_length: 30\nper_device_train_batch_size: 8\neval_strategy: epoch\n'
    const { peaks = [] } = await analysed(text)
    expect(peaks[1]?.logitBytesPerSample).toBe((30 * 32_128 + 384 * 512) * 4)
  })

  it('is twice what the batches between two moves to the host hold, where they are many', async () => {
    const text = `${evaluated}per_device_eval_batch_size: 1\neval_accumulation_steps: 20\n`
    const { peaks = [] } = await analysed(text)
    const { peaks: fewer = [] } = await analysed(text.replace('steps: 20', 'steps: 19'))
    expect(peaks.map(({ phase }) => phase)).toEqual(['training-step', 'evaluation', 'evaluation-with-metrics'])
    expect((peaks[2]?.peakBytes ?? 0) - (fewer[2]?.peakBytes ?? 0)).toBe(2 * logitBytes)
    expect(peaks[2]?.peakBytes).toBeGreaterThan(peaks[1]?.peakBytes ?? 0)
  })

  it('is one batch with batch_eval_metrics, however many samples there are', async () => {
    const one = `${evaluated}per_device_eval_batch_size: 1\nmax_eval_samples: 10000\nbatch_eval_metrics: true\n`
    const { peaks = [] } = await analysed(one)
    expect(peaks[2]).toMatchObject({ phase: 'evaluation-with-metrics', state: 'fits' })
  })

  it('is nothing with prediction_loss_only', async () => {
    const { peaks = [] } = await analysed(`${evaluated}eval_accumulation_steps: 20\nprediction_loss_only: true\n`)
    expect(peaks).toHaveLength(2)
    expect(peaks[1]).not.toHaveProperty('logitBytesPerSample')
  })

  // transformers#12878: 512 tokens of a vocabulary of 30,522 in float32, so that a thousand samples hold 58 GiB.
  it('transformers#12878: of BERT as a masked language model is 1,000 × 512 × 30,522 × 4 bytes for a thousand samples', async () => {
    const text =
      'model_name_or_path: google-bert/bert-base-uncased\nmlm_probability: 0.15\nmax_seq_length: 512\nper_device_train_batch_size: 8\neval_strategy: steps\n'
    const { peaks = [] } = await analysed(text)
    expect(1_000 * (peaks[1]?.logitBytesPerSample ?? 0)).toBe(1_000 * 512 * 30_522 * 4)
  })

  it('is told in the terminal of a config that is fine, too, where it does not fit: transformers#17089', async () => {
    const text =
      'model_name_or_path: google-t5/t5-small\ntask: seq2seq-lm\nmax_source_length: 384\nmax_target_length: 30\nper_device_train_batch_size: 12\nmax_eval_samples: 11873\ndo_eval: true\n'
    const report = await reportOf(text, 'v100-16gb')
    const terminal = renderTerminal(report, { color: false, columns: 400 })
    expect(terminal).toContain('fits and is within policy')
    expect(terminal).toMatch(
      /compute_metrics, for which all logits are kept \(8\): [\d.]+ GiB, does not fit \(eval_accum/,
    )
    const small = await reportOf(text.replace('11873', '100'), 'v100-16gb')
    expect(renderTerminal(small, { color: false, columns: 400 })).not.toContain('compute_metrics')
  })

  it('never warns by itself: whether there are metrics is in the code', async () => {
    const { peaks = [], verdict } = await analysed(
      `${evaluated}per_device_eval_batch_size: 1\neval_accumulation_steps: 200\n`,
    )
    expect(peaks[2]?.state).toBe('does-not-fit')
    expect(verdict.reasons).not.toContainEqual({ kind: 'evaluation-does-not-fit' })
  })
})

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

describe('samples of the mean length', () => {
  const long = trainer.replace('2048', '32768').replace('batch_size: 1', 'batch_size: 2')

  async function peaksWith(override: string, text = long) {
    const file = { path: '.github/memorymark.yml', text: `overrides:\n  - { path: train.yaml, ${override} }\n` }
    const reading = readSettings(file)
    if (reading.kind !== 'settings') throw new Error(JSON.stringify(reading))
    const gpu = findGpu('a100-40gb')
    const options = { now: new Date(0), settings: reading.settings, ...(gpu && { gpu }) }
    const [config] = (await analyze([{ path: 'train.yaml', text }], options)).configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    return { config, peaks: config.peaks ?? [] }
  }

  it('are a row beside the longest: these run out of memory where those fit', async () => {
    const { config, peaks } = await peaksWith('mean_length: 400')
    expect(peaks.map(({ phase, state }) => [phase, state])).toEqual([
      ['mean-step', 'fits'],
      ['training-step', 'does-not-fit'],
    ])
    expect(peakRows(config).map(([moment]) => moment)).toEqual([
      'training step on samples of the mean length',
      'training step on the longest samples',
    ])
  })

  it('take what a config of that length takes', async () => {
    const short = await analysed(long.replace('32768', '400'))
    const { peaks } = await peaksWith('mean_length: 400')
    expect(peaks[0]?.peakBytes).toBe(short.current.peakBytes)
  })

  it.each(['mean_length: 32768', 'mean_length: 40000', 'sequence_length: 300, mean_length: 400'])(
    'are no row where none is longer: %s',
    async override => {
      expect((await peaksWith(override)).peaks).toEqual([])
    },
  )
})

describe('the first step', () => {
  const gpt = (batch: number) =>
    `model_name_or_path: openai-community/gpt2-large\nblock_size: 1024\nper_device_train_batch_size: ${batch}\ngradient_checkpointing: true\n`
  const phases = async (text: string) => (await analysed(text, 'a10')).peaks?.map(({ phase, state }) => [phase, state])

  it('is told where it fits and the second one runs out of memory', async () => {
    expect(await phases(gpt(20))).toEqual([
      ['first-step', 'fits'],
      ['training-step', 'does-not-fit'],
    ])
  })

  it.each([4, 64])('is not told where all steps fit, or none does: a batch of %i', async batch => {
    expect(await phases(gpt(batch))).toBeUndefined()
  })
})

describe('checkpoints', () => {
  const gpt = 'model_name_or_path: openai-community/gpt2\nblock_size: 512\nper_device_train_batch_size: 1\n'
  const peak = async (text: string, requirements: string) =>
    (await analysed(text, 'a10', requirements)).peaks?.find(({ phase }) => phase === 'resuming')?.peakBytes

  it('hold the optimizer’s state once while it is loaded, and twice where old libraries copied it on the GPU', async () => {
    const resumed = `${gpt}resume_from_checkpoint: out/checkpoint-500\n`
    const once = (await peak(resumed, '')) ?? 0
    const twice = await peak(resumed, 'transformers==4.26.1\ntorch==2.0.1\n')
    // Two moments of 124,439,808 parameters in float32.
    expect((twice ?? 0) - once).toBe(124_439_808 * 8)
    expect(await peak(resumed, 'transformers==4.26.1\ntorch==2.1.0\n')).toBe(once)
    expect(await peak(resumed, 'transformers==4.28.0\ntorch==2.0.1\n')).toBe(once)
  })

  it('that do not fit as a run goes on from one are a warning, on the pull request too', async () => {
    // transformers#22123
    const text =
      'model_name_or_path: EleutherAI/gpt-neo-1.3B\ntask: causal-lm\nblock_size: 64\nper_device_train_batch_size: 1\n'
    const requirements = 'transformers==4.26.1\ntorch==1.13.1\n'
    const verdictOf = async (line: string) => {
      const report = await reportOf(`${text}${line}`, 'rtx-3090', requirements)
      const [config] = report.configs
      if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
      return { verdict: config.verdict, comment: renderComment(report) }
    }
    const { verdict, comment } = await verdictOf('resume_from_checkpoint: out/checkpoint-500\n')
    expect(verdict.state).toBe('warning')
    expect(verdict.reasons).toContainEqual({ kind: 'resuming-does-not-fit' })
    expect(comment).toContain('runs out of memory as it resumes')
    expect((await verdictOf('')).verdict.reasons.map(({ kind }) => kind)).not.toContain('resuming-does-not-fit')
  })

  it('of Lightning takes the state from the host, and of torchtitan makes it by a step over gradients of zeros', async () => {
    const lightning =
      'model: { init_args: { model_name_or_path: bert-base-uncased } }\ndata: { init_args: { batch_size: 8 } }\ntrainer: { max_epochs: 1 }\n'
    const resting = async (text: string) =>
      (await analysed(text, 'a10')).peaks?.find(({ phase }) => phase === 'resuming')
    expect(await resting(lightning)).toBeUndefined()
    // Weights and two moments in float32.
    const row = await resting(`${lightning}ckpt_path: last.ckpt\n`)
    expect((row?.peakBytes ?? 0) / (3 * 4 * 109.5e6)).toBeCloseTo(1, 1)
    const toml = (checkpoint: string) =>
      `[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = 8\n[checkpoint]\n${checkpoint}\n`
    const titan = async (checkpoint: string) => {
      const gpu = findGpu('h100')
      if (gpu === undefined) throw new Error('no h100')
      const { configs } = await analyze([{ path: 'llama3_8b.toml', text: toml(checkpoint) }], { now: new Date(0), gpu })
      const [config] = configs
      if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
      return config.peaks?.find(({ phase }) => phase === 'resuming')
    }
    expect(await titan('enable = false')).toBeUndefined()
    // An eighth of weights, gradients and two moments in float32.
    expect(((await titan('enable = true'))?.peakBytes ?? 0) / ((4 * 4 * 8.03e9) / 8)).toBeCloseTo(1, 1)
  })

  const resuming = async (text: string) =>
    (await analysed(text, 'h100')).peaks?.find(({ phase }) => phase === 'resuming')

  it('hold the optimizer’s state twice under FSDP2, which is told whether the config resumes or not', async () => {
    const fsdp =
      'model_name_or_path: Qwen/Qwen2.5-1.5B\nblock_size: 512\nper_device_train_batch_size: 1\nfsdp: full_shard auto_wrap\n'
    const [row, asked] = [await resuming(fsdp), await resuming(`${fsdp}resume_from_checkpoint: out/checkpoint-500\n`)]
    expect(row).toMatchObject({ provenance: 'estimated' })
    expect(asked).toEqual(row)
    expect(await resuming(`${fsdp}fsdp_config: { version: 1 }\nresume_from_checkpoint: true\n`)).toBeUndefined()
    expect(await resuming(fsdp.replace('fsdp: full_shard auto_wrap', 'deepspeed: ds_z3.json'))).toBeUndefined()
  })

  it.each([
    [
      'Axolotl',
      'base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 512\nmicro_batch_size: 1\ndatasets: [{ path: x, type: alpaca }]\n',
      'auto_resume_from_checkpoints: true',
    ],
    [
      'ms-swift',
      'model: Qwen/Qwen2.5-1.5B\ntuner_type: lora\nmax_length: 512\nper_device_train_batch_size: 1\n',
      'resume_from_checkpoint: output/checkpoint-500',
    ],
    [
      'torchtune',
      'model: { _component_: torchtune.models.llama3_2.llama3_2_1b }\ntokenizer: { max_seq_len: 512 }\nbatch_size: 1\ndtype: bf16\noptimizer: { _component_: torch.optim.AdamW, fused: true }\nloss: { _component_: torchtune.modules.loss.LinearCrossEntropyLoss }\n',
      'resume_from_checkpoint: True',
    ],
  ])('are a row of %s where it is asked to go on from one', async (_, text, line) => {
    expect(await resuming(text)).toBeUndefined()
    expect(await resuming(`${text}${line}\n`)).toMatchObject({ state: 'fits', provenance: 'estimated' })
  })

  it.each(['', 'resume_from_checkpoint: false\n', 'resume_from_checkpoint: null\n'])(
    'are not spoken of where none is loaded: %j',
    async line => {
      expect(await peak(`${gpt}${line}`, '')).toBeUndefined()
    },
  )

  it('that gather the whole model are told on the pull request and in the terminal', async () => {
    const text =
      'model_name_or_path: huggyllama/llama-7b\ntask: causal-lm\nmax_seq_length: 512\nper_device_train_batch_size: 1\nfp16: true\nfsdp: full_shard auto_wrap\n'
    const report = await reportOf(text, 'v100-32gb', 'transformers==4.29.2\ntorch==2.0.1\n')
    const told = /every GPU gathers the whole model for a checkpoint/
    expect(renderComment(report)).toMatch(told)
    expect(renderTerminal(report, { color: false, columns: 400 })).toMatch(told)
    const [config] = report.configs
    expect(config?.status === 'analysed' && config.verdict.reasons).toContainEqual({ kind: 'saving-does-not-fit' })
  })

  it('of Lightning gather the whole model where no policy wraps layers, which is told with the way out', async () => {
    const text = (precision: string) =>
      `model: { init_args: { model_name_or_path: huggyllama/llama-7b } }\ndata: { init_args: { batch_size: 1, max_length: 512 } }\ntrainer: { strategy: fsdp, devices: 2, precision: ${precision} }\n`
    const { peaks = [], current } = await analysed(text('bf16-mixed'), 'h200')
    const saving = peaks.find(({ phase }) => phase === 'saving')
    expect(saving).toMatchObject({ gathersWhole: true, provenance: 'estimated' })
    // The step gathers weights in 16 bits, and the checkpoint moments in 32.
    expect(saving?.peakBytes).toBeGreaterThan(current.peakBytes)
    expect(renderComment(await reportOf(text('bf16-mixed'), 'a100-40gb'))).toMatch(
      /every GPU gathers the whole model for a checkpoint.*with an auto_wrap_policy it goes to the host a layer at a time/,
    )
    const deepspeed = text('bf16-mixed').replace('fsdp', 'deepspeed_stage_3')
    expect((await analysed(deepspeed, 'h200')).peaks).toBeUndefined()
  })

  it('that gather a part are not spoken of where the step does not fit either', async () => {
    const text =
      'model_name_or_path: huggyllama/llama-30b\ntask: causal-lm\nmax_seq_length: 512\nper_device_train_batch_size: 1\nfsdp: full_shard auto_wrap\n'
    const report = await reportOf(text, 'a10', 'transformers==4.46.1\n')
    const [config] = report.configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    expect(config.peaks?.find(({ phase }) => phase === 'saving')?.state).toBe('does-not-fit')
    expect(config.verdict.reasons.map(({ kind }) => kind)).not.toContain('saving-does-not-fit')
    expect(renderTerminal(report, { color: false, columns: 400 })).not.toMatch(/gathers/)
  })
})

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
