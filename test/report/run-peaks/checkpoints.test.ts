import { describe, expect, it } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { findGpu } from '../../../engine/gpus/catalogue.ts'
import { renderComment } from '../../../engine/render/comment.ts'
import { renderTerminal } from '../../../engine/render/terminal.ts'
import { analysed, reportOf } from './peaks.ts'

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
      'model: Qwen/Qwen2.5-1.5B\ndataset: acme/tickets\ntuner_type: lora\nmax_length: 512\nper_device_train_batch_size: 1\n',
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
