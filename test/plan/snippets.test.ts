/** What the snippets write, MemoryMark's own reader reads back as the row that they are of. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, type SpeedyGpu } from '../../engine/gpus/catalogue.ts'
import { UndividedSteps } from '../../engine/plan/bound.ts'
import { snippetFor } from '../../engine/plan/snippets/snippet.ts'
import { arrangedSpec, strategiesFor, type Tool, toolOf } from '../../engine/plan/strategy.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'

const h100 = findGpu('h100') as SpeedyGpu

const configs: Readonly<Record<string, string>> = {
  'Hugging Face Trainer':
    'model_name_or_path: Qwen/Qwen2.5-0.5B\ntask: causal-lm\nbf16: true\noptim: adamw_torch_fused\nblock_size: 1024\n',
  'Hugging Face Trainer with adapters':
    'model_name_or_path: Qwen/Qwen2.5-0.5B\ntask: causal-lm\nbf16: true\ntorch_dtype: bfloat16\nblock_size: 1024\nuse_peft: true\nlora_r: 8\nlora_target_modules: [q_proj, v_proj]\n',
  Axolotl:
    'base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 1024\nbf16: true\noptimizer: adamw_torch_fused\nsample_packing: true\nflash_attention: true\n',
  torchtune:
    'model:\n  _component_: torchtune.models.qwen2_5.qwen2_5_0_5b\ntokenizer:\n  max_seq_len: 1024\noptimizer:\n  _component_: torch.optim.AdamW\n  fused: true\nloss:\n  _component_: torchtune.modules.loss.LinearCrossEntropyLoss\ndtype: bf16\n',
}

async function read(files: ReadonlyMap<string, string>) {
  const readFile = async (path: string) => files.get(path)
  const listFolder = async (folder: string) => (folder === '.' ? [...files.keys()] : [])
  const reading = await readConfigAsync(
    { path: 'train.yaml', text: files.get('train.yaml') ?? '' },
    { readFile, listFolder },
  )
  if (reading.kind !== 'training-config') throw new Error(`${reading.kind}: ${JSON.stringify(reading)}`)
  return reading
}

/** The config without a batch of its own, which the snippet gives it. */
async function plain(text: string, tool: Tool) {
  const batch =
    tool === 'trainer'
      ? 'per_device_train_batch_size: 8\n'
      : tool === 'axolotl'
        ? 'micro_batch_size: 8\n'
        : 'batch_size: 8\n'
  return read(new Map([['train.yaml', text + batch]]))
}

const cases = Object.entries(configs).flatMap(([name, text]) => {
  const tool = toolOf(name.replace(' with adapters', ''))
  return [1, 2, 8].map(gpus => ({ name, text, tool, gpus }))
})

describe.each(cases)('$name on $gpus GPUs', ({ text, tool, gpus }) => {
  it('is read back as each row: its sharding, batch, precision and memory', async () => {
    const { spec, model } = await plain(text, tool)
    const footprints = new FootprintCache()
    const strategies = strategiesFor(spec, gpus, tool)
    expect(strategies.length).toBeGreaterThan(0)
    for (const strategy of strategies) {
      const plan = { microBatch: 2, gradientAccumulation: 4 }
      const planned = { ...arrangedSpec({ ...spec, gradientCheckpointing: true }, { strategy, gpus }, tool), ...plan }
      const snippet = snippetFor(
        { ...plan, strategy, gpus, gradientCheckpointing: true, spec: planned, config: 'train.yaml' },
        tool,
      )
      const files = new Map((snippet?.files ?? []).map(file => [file.path, `${file.text}\n`]))
      files.set('train.yaml', `${text}${files.get('train.yaml')}`)
      files.set('run.sh', `${snippet?.command}\n`)
      const again = await read(files)
      const { sharding, precision, microBatch, gradientAccumulation, gradientCheckpointing } = planned
      expect(again.spec).toMatchObject({ gpus, precision, microBatch, gradientAccumulation, gradientCheckpointing })
      expect(again.spec.sharding).toBe(sharding)
      const peak = (of: typeof spec) =>
        new EstimateProbe(footprints.of(of, model.config, h100), h100).peak(microBatch).bytes
      expect(peak(again.spec)).toBe(peak(planned))
    }
  })
})

describe('what a strategy needs at the least', () => {
  it.each(Object.keys(configs))('is no more than it is estimated to need: %s', async name => {
    const tool = toolOf(name.replace(' with adapters', ''))
    needsNoLess(await plain(configs[name] ?? '', tool), tool)
  })

  it('is no more than it is estimated to need: verl, which shards with FSDP on one GPU too', async () => {
    const text = `torchrun --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen2.5-0.5B\n`
    const reading = await readConfigAsync({ path: 'train.sh', text }, {})
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    expect(toolOf(reading.dialect)).toBe('verl')
    needsNoLess(reading, 'verl')
  })

  function needsNoLess({ spec, model }: Awaited<ReturnType<typeof read>>, tool: Tool): void {
    const undivided = new UndividedSteps(model.config)
    const footprints = new FootprintCache()
    for (const gpus of [1, 2, 16]) {
      for (const strategy of strategiesFor(spec, gpus, tool)) {
        for (const gradientAccumulation of [1, 4]) {
          const arranged = { ...arrangedSpec(spec, { strategy, gpus }, tool), gradientAccumulation }
          const bound = undivided.of(arranged, h100).bytes({ strategy, gpus }, 4)
          const probe = new EstimateProbe(footprints.of(arranged, model.config, h100), h100)
          expect(bound, `${strategy} on ${gpus}`).toBeLessThanOrEqual(probe.peak(4).bytes)
          const rate = undivided.of(arranged, h100).samplesPerSecond(h100, 4)
          expect(rate * 1.001, `${strategy} on ${gpus}`).toBeGreaterThanOrEqual(
            probe.samplesPerSecond(4, gradientAccumulation) ?? 0,
          )
        }
      }
    }
  }
})
