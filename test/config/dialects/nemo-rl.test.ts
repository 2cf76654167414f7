// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are OmegaConf's
/** Configs of NeMo RL, and those that they inherit from. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { FileReading } from '../../../engine/config/reading.ts'
import { trainedBy } from '../readings.ts'

const policy = `policy:
  model_name: Qwen/Qwen2.5-0.5B
  train_global_batch_size: 64
  train_micro_batch_size: 2
  max_total_sequence_length: 1024
  precision: bfloat16
`
const worker = `  dtensor_cfg:
    enabled: true
    activation_checkpointing: false
    tensor_parallel_size: 1
    context_parallel_size: 1
`
const eight = 'cluster: { gpus_per_node: 8, num_nodes: 1 }\n'
const one = 'cluster: { gpus_per_node: 1, num_nodes: 1 }\n'
const sft = 'sft: { max_num_steps: 10 }\n'
const optimizer = '  optimizer: { name: torch.optim.AdamW, kwargs: { foreach: false, fused: false } }\n'
const generation = '  generation: { backend: vllm, max_new_tokens: 512, vllm_cfg: { gpu_memory_utilization: 0.5 } }\n'
const second = worker.replace('    enabled', '    _v2: true\n    enabled')

const inFiles = (files: Readonly<Record<string, string>>, path: string) =>
  readConfigAsync(
    { path, text: files[path] ?? '' },
    { readFile: async name => files[name], listFolder: async () => [] },
  )
const read = (text: string) => readConfigAsync({ path: 'sft.yaml', text }, {})
const trained = async (text: string) => trainedBy(await read(text))

function problemsIn(reading: FileReading): readonly string[] {
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ field, code }) => `${field} ${code}`)
}

describe('fine-tuning', () => {
  it('shards float32 weights with the first worker, even on one GPU', async () => {
    const { spec, dialect, batchSizeAt } = await trained(sft + policy + worker + optimizer + one)
    expect(dialect).toBe('NeMo RL')
    expect(batchSizeAt).toEqual({ line: 5, column: 27 })
    expect(spec).toMatchObject({
      microBatch: 2,
      gradientAccumulation: 32,
      sequenceLength: 1024,
      gpus: 1,
      precision: 'bf16-master',
      autocasts: true,
      sharding: 'fsdp',
      fsdpVersion: 2,
      syncsEveryMicroBatch: true,
      optimizer: 'adamw-loop',
      attention: 'sdpa',
      paddedBatches: false,
      loop: 'nemo-rl',
    })
  })

  it('leaves the model whole under autocast with the second worker on one GPU, and shards it on several', async () => {
    const alone = (await trained(sft + policy + second + one)).spec
    expect(alone).toMatchObject({ precision: 'amp-bf16', loop: 'nemo-rl-v2', optimizer: 'adamw' })
    expect(alone.sharding).toBeUndefined()
    expect((await trained(sft + policy + second + eight)).spec).toMatchObject({
      gpus: 8,
      gradientAccumulation: 4,
      precision: 'bf16-master',
      sharding: 'fsdp',
      optimizer: 'adamw-loop',
    })
  })

  it.each([
    ['the parts of blocks', worker, { checkpointsModules: true, reentrantCheckpoints: false }],
    ['blocks', second, { reentrantCheckpoints: true }],
  ])('checkpoints %s', async (_, lines, spec) => {
    const text = sft + policy + lines.replace('checkpointing: false', 'checkpointing: true') + eight
    const found = (await trained(text)).spec
    expect(found).toMatchObject({ gradientCheckpointing: true, ...spec })
    expect(found.checkpointsModules).toBe('checkpointsModules' in spec ? true : undefined)
  })

  it('divides tensors, sequences and replicas', async () => {
    const text = `${sft}${policy}${second
      .replace('tensor_parallel_size: 1', 'tensor_parallel_size: 2\n    sequence_parallel: true')
      .replace(
        'context_parallel_size: 1',
        'context_parallel_size: 2\n    dp_replicate_size: 2',
      )}cluster: { gpus_per_node: 8, num_nodes: 2 }\n`
    expect((await trained(text)).spec).toMatchObject({
      gpus: 16,
      gradientAccumulation: 8,
      sequenceLength: 512,
      shardedOver: 4,
      tensorParallel: { gpus: 2, dividesTokens: true, dividesLoss: true },
    })
  })

  it('takes rows of so many tokens, and those that grow with the micro-batch as its sequences', async () => {
    const packed = (tokens: string) =>
      `${sft}${policy}${worker}  sequence_packing: { enabled: true, train_mb_tokens: "${tokens}" }\n${eight}`
    const product = '${mul:${..max_total_sequence_length}, ${policy.train_micro_batch_size}}'
    expect((await trained(packed(product))).spec).toMatchObject({
      microBatch: 2,
      gradientAccumulation: 4,
      attention: 'flash',
    })
    const rows = await trained(packed('${mul:${policy.max_total_sequence_length}, 4}'))
    expect(rows.spec).toMatchObject({ microBatch: 1, gradientAccumulation: 2, sequenceLength: 4096 })
    expect(rows.batchSizeAt).toBeUndefined()
  })

  it('trains adapters with the second worker alone', async () => {
    const lines = '    lora_cfg: { enabled: true, match_all_linear: true, target_modules: [], dim: 16, dropout: 0.0 }\n'
    const { spec } = await trained(sft + policy + second + lines + eight)
    expect(spec.lora).toMatchObject({
      rank: 16,
      inWeightsType: true,
      targets: expect.arrayContaining(['q_proj', 'lm_head']),
    })
    expect(problemsIn(await read(sft + policy + worker + lines + eight))).toEqual([
      'policy.dtensor_cfg.lora_cfg.enabled unsupported-setting',
    ])
  })

  it.each([
    ['Megatron', '  megatron_cfg: { enabled: true }\n', 'policy.megatron_cfg.enabled unsupported-training'],
    [
      'another optimizer',
      '  optimizer: { name: apex.optimizers.FusedAdam }\n',
      'policy.optimizer.name unsupported-setting',
    ],
    [
      "a model's own settings",
      '  hf_config_overrides: { num_hidden_layers: 4 }\n',
      'policy.hf_config_overrides.num_hidden_layers unsupported-setting',
    ],
    [
      'kernels of other libraries',
      '    automodel_kwargs: { use_liger_kernel: true }\n',
      'policy.dtensor_cfg.automodel_kwargs.use_liger_kernel unsupported-setting',
    ],
  ])('is refused by name with %s', async (_, lines, problem) => {
    expect(problemsIn(await read(sft + policy + worker + lines + eight))).toContain(problem)
  })

  it('names what looks like a setting of memory and is not understood', async () => {
    const { unreadSettings } = await trained(`${sft}${policy}${worker}    activation_offload: true\n${eight}`)
    expect(unreadSettings?.map(({ name }) => name)).toEqual(['policy.dtensor_cfg.activation_offload'])
  })

  it('says that batches do not fill the GPUs', async () => {
    const text = sft + policy.replace('64', '60') + worker + eight
    expect(problemsIn(await read(text))).toEqual(['policy.train_global_batch_size batch-sizes-disagree'])
  })
})

describe('other algorithms', () => {
  it('scores pairs by a reference before each step of DPO', async () => {
    const { spec, assumptions } = await trained(`dpo: { max_num_steps: 10 }\n${policy}${worker}${eight}`)
    expect(assumptions.join()).toContain("the reference's weights wait on the host")
    expect(assumptions.join()).not.toContain('no reference model')
    expect(spec.method).toMatchObject({ kind: 'preference', reference: 'copy' })
    const packed = `dpo: { max_num_steps: 10 }\n${policy}${worker}  sequence_packing: { enabled: true }\n${eight}`
    expect(problemsIn(await read(packed))).toContain('policy.sequence_packing.enabled unsupported-setting')
  })

  it('trains a reward model of pairs', async () => {
    const lines = '  reward_model_cfg: { enabled: true, reward_model_type: bradley_terry }\n'
    const { spec } = await trained(`rm: { max_num_epochs: 1 }\n${policy}${worker}${lines}${eight}`)
    expect(spec).toMatchObject({
      method: { kind: 'reward', head: 'score' },
      task: 'sequence-classification',
      labels: 1,
    })
  })

  it('learns from completions that vLLM generates in its sleep, or on GPUs of its own', async () => {
    const text = `grpo: { num_prompts_per_step: 8 }\n${policy}  logprob_batch_size: 4\n${worker}${generation}${eight}`
    const { spec, assumesLength } = await trained(text)
    expect(assumesLength).toBe(true)
    expect(spec).toMatchObject({ gpus: 8, gradientAccumulation: 4 })
    expect(spec.method).toMatchObject({
      kind: 'online',
      reference: 'none',
      scored: 4,
      completions: 8,
      completionLength: 512,
      generation: { kind: 'vllm', share: 0.5, sleeps: true, movedOut: ['weights', 'optimizerState'] },
    })
    const resources = 'colocated: { enabled: false, resources: { gpus_per_node: 4 } }, vllm_cfg'
    const apart = (await trained(text.replace('vllm_cfg', resources))).spec
    expect(apart).toMatchObject({ gpus: 4, gradientAccumulation: 8, method: { generation: { kind: 'server' } } })
  })

  it('refuses further models, other engines and filtered sampling by name', async () => {
    const grpo = `grpo: { num_prompts_per_step: 8 }\n${policy}${worker}`
    const problems = async (text: string) => problemsIn(await read(text))
    expect(await problems(`${grpo}${generation.replace('vllm,', 'sglang,')}${eight}`)).toEqual([
      'policy.generation.backend unsupported-setting',
    ])
    expect(await problems(`${grpo}${generation.replace('{ ', '{ top_p: 0.9, ')}${eight}`)).toEqual([
      'policy.generation.top_p unsupported-setting',
    ])
    expect(await problems(`distillation: { seed: 1 }\n${policy}${worker}${eight}`)).toEqual([
      'distillation unsupported-training',
    ])
  })
})

describe('a config that inherits', () => {
  const base = `${sft}${policy}${worker}  logprob_batch_size: \${policy.train_micro_batch_size}\n${eight}`
  const child = 'defaults: ../base.yaml\npolicy:\n  train_micro_batch_size: 4\n'

  it('is laid over its parents, mapping by mapping', async () => {
    const files = { 'configs/base.yaml': base, 'configs/runs/long.yaml': child }
    const reading = trainedBy(await inFiles(files, 'configs/runs/long.yaml'))
    expect(reading.spec).toMatchObject({ model: 'Qwen/Qwen2.5-0.5B', microBatch: 4, gradientAccumulation: 2, gpus: 8 })
    expect(reading.batchSizeAt).toEqual({ line: 3, column: 27 })
    expect(reading.otherFiles?.map(({ path }) => path)).toEqual(['configs/base.yaml'])
    expect(reading.assumptions.join(' ')).toContain('"configs/base.yaml"')
  })

  it('is recognised by what its parents say, and does not say where they stand', async () => {
    const files = { 'base.yaml': base, 'small.yaml': 'defaults: base.yaml\ncluster: { gpus_per_node: 4 }\n' }
    const { spec, batchSizeAt } = trainedBy(await inFiles(files, 'small.yaml'))
    expect(spec).toMatchObject({ gpus: 4, gradientAccumulation: 8 })
    expect(batchSizeAt).toBeUndefined()
  })

  it('takes the last of several parents, theirs before its own, and an _override_ whole', async () => {
    const files = {
      'base.yaml': base,
      'more.yaml': 'defaults: base.yaml\npolicy: { train_micro_batch_size: 8 }\n',
      'run.yaml': 'defaults:\n  - more.yaml\n  - last.yaml\npolicy: { max_total_sequence_length: 256 }\n',
      'last.yaml': 'cluster:\n  _override_: true\n  gpus_per_node: 2\n',
    }
    const { spec } = trainedBy(await inFiles(files, 'run.yaml'))
    expect(spec).toMatchObject({ microBatch: 8, sequenceLength: 256, gpus: 2 })
  })

  it('refers to what is overridden, not to what the parent says', async () => {
    const grpo = `grpo: { num_prompts_per_step: 8 }\n${base.replace(sft, '')}`
    const files = { 'base.yaml': grpo, 'run.yaml': 'defaults: base.yaml\npolicy: { train_micro_batch_size: 8 }\n' }
    expect(trainedBy(await inFiles(files, 'run.yaml')).spec.method).toMatchObject({ scored: 8 })
  })

  it('names the file that is missing, unless it says all itself: then it only warns', async () => {
    const alone = await inFiles({ 'run.yaml': child }, 'run.yaml')
    expect(problemsIn(alone)).toEqual(['defaults parent-not-in-repository'])
    if (alone.kind === 'unreadable') expect(alone.problems[0]?.message).toContain('"../base.yaml"')
    const whole = trainedBy(await inFiles({ 'run.yaml': `defaults: ../base.yaml\n${base}` }, 'run.yaml'))
    expect(whole.assumesCode).toBe(true)
  })

  it('comes to an end where files inherit from each other', async () => {
    const files = {
      'a.yaml': `defaults: b.yaml\n${base}`,
      'b.yaml': 'defaults: a.yaml\npolicy: { precision: float32 }\n',
    }
    expect((await inFiles(files, 'a.yaml')).kind).toBe('training-config')
  })
})
