/** Scripts whose launcher divides the training by Accelerate's own settings. */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'

const script = `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=4, bf16=True)
Trainer(model=model, args=args, train_dataset=data).train()
`
const launch = 'accelerate launch --config_file configs/acc.yaml train.py\n'
const zero3 = 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 4\n'
const fsdp = 'distributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\nnum_processes: 2\n'

async function read(accelerate: string, changed = script, more: Readonly<Record<string, string>> = {}) {
  const files: Record<string, string> = {
    'run.sh': launch,
    'configs/acc.yaml': accelerate,
    'train.py': changed,
    ...more,
  }
  const reading = await readConfigAsync(
    { path: 'train.py', text: changed },
    {
      readFile: async name => files[name],
      listFolder: async folder => (folder === '.' ? ['run.sh', 'train.py'] : folder === 'configs' ? ['acc.yaml'] : []),
    },
  )
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

describe('a script that is launched with settings of Accelerate', () => {
  it('is divided by its ZeRO', async () => {
    const { spec, assumesCode, assumptions } = await read(zero3)
    expect(spec).toMatchObject({ sharding: 'zero3', gpus: 4, precision: 'bf16-master' })
    expect(assumesCode).toBe(true)
    expect(assumptions).toContain(
      'configs/acc.yaml divides the training, whatever else the script makes of it, so that nothing blocks.',
    )
  })

  it('is divided by its FSDP', async () => {
    expect((await read(fsdp)).spec).toMatchObject({ sharding: 'fsdp', gpus: 2 })
  })

  it('is divided as its own arguments say where they do', async () => {
    const own = script.replace('bf16=True', 'bf16=True, fsdp="shard_grad_op auto_wrap"')
    expect((await read(zero3, own)).spec.sharding).toBe('fsdp-grad-op')
  })

  const named = zero3.replace('zero_stage: 3', 'deepspeed_config_file: ds/two.json')

  it('is divided by the file of DeepSpeed that the settings name', async () => {
    const zero2 = '{ "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } } }'
    const { spec, otherFiles } = await read(named, script, { 'ds/two.json': zero2 })
    expect(spec).toMatchObject({ sharding: 'zero2', gpus: 4, offload: 'optimizer' })
    expect(otherFiles?.map(({ path }) => path)).toEqual(['run.sh', 'configs/acc.yaml', 'ds/two.json'])
  })

  it('is not divided by a file of DeepSpeed that is not there, which is told', async () => {
    const { spec, assumptions } = await read(named)
    expect(spec.sharding).toBeUndefined()
    expect(assumptions.join(' ')).toContain('What configs/acc.yaml says of sharding is not read beside the script')
  })

  it('is whole on each of several GPUs otherwise', async () => {
    const { spec, assumesCode } = await read('distributed_type: MULTI_GPU\nnum_processes: 2\n')
    expect(spec).toMatchObject({ gpus: 2, precision: 'amp-bf16' })
    expect(spec.sharding).toBeUndefined()
    expect(assumesCode).toBeUndefined()
  })

  it('computes in its precision where its own arguments set none', async () => {
    const bare = script.replace(', bf16=True', '')
    expect(bare).not.toBe(script)
    const mixed = 'distributed_type: MULTI_GPU\nnum_processes: 2\nmixed_precision: '
    expect((await read(`${mixed}fp16\n`, bare)).spec.precision).toBe('amp-fp16')
    expect((await read(`${mixed}bf16\n`, bare)).spec.precision).toBe('amp-bf16')
    expect((await read(`${mixed}'no'\n`, bare)).spec.precision).toBe('fp32')
    expect((await read(`${mixed}fp16\n`)).spec.precision).toBe('amp-bf16')
    const { assumptions, assumesCode } = await read(`${mixed}fp8\n`, bare)
    expect(assumptions).toContain(
      "Accelerate's mixed_precision (configs/acc.yaml, line 3) is not read, so that nothing blocks.",
    )
    expect(assumesCode).toBe(true)
  })

  it('says that what Accelerate compiles is not counted', async () => {
    const compiling = (backend: string) =>
      `distributed_type: MULTI_GPU\nnum_processes: 2\ndynamo_config:\n  dynamo_backend: ${backend}\n`
    const { assumptions, assumesCode } = await read(compiling('INDUCTOR'))
    expect(assumptions).toContain(
      "Accelerate's dynamo_config.dynamo_backend (configs/acc.yaml, line 4) is not read, so that nothing blocks.",
    )
    expect(assumesCode).toBe(true)
    expect((await read(compiling("'NO'"))).assumesCode).toBeUndefined()
  })
})

describe('parallelism_config of Accelerate', () => {
  const divided = (size: number) =>
    `distributed_type: FSDP\nnum_processes: 4\nparallelism_config:\n  parallelism_config_tp_size: ${size}\n`

  it('is said not to be counted where it divides layers or tokens', async () => {
    const { assumptions, assumesCode } = await read(divided(2))
    expect(assumptions.join(' ')).toContain('parallelism_config_tp_size (configs/acc.yaml, line 4) is not read')
    expect(assumesCode).toBe(true)
    expect((await read(divided(1))).assumptions.join(' ')).not.toContain('parallelism_config')
  })
})

describe('a launcher whose script is read with its arguments', () => {
  const parsed = `from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
parser = HfArgumentParser(TrainingArguments)
(args,) = parser.parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="float32")
Trainer(model=model, args=args, train_dataset=data).train()
`
  const started = async (options: string, accelerate = zero3, text = parsed) => {
    const files: Record<string, string> = {
      'run.sh': `accelerate launch ${options} train.py --per_device_train_batch_size 4 --output_dir out\n`,
      'configs/acc.yaml': accelerate,
      'train.py': text,
    }
    const reading = await readConfigAsync(
      { path: 'run.sh', text: files['run.sh'] ?? '' },
      {
        readFile: async name => files[name],
        listFolder: async folder => (folder === '.' ? ['run.sh', 'train.py'] : []),
      },
    )
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    return reading
  }

  it('is divided by the settings that it names, and told the precision', async () => {
    const { spec, otherFiles } = await started('--config_file configs/acc.yaml')
    expect(spec).toMatchObject({ microBatch: 4, gpus: 4, sharding: 'zero3' })
    expect(otherFiles?.map(({ path }) => path)).toContain('configs/acc.yaml')
    const mixed = await started('--config_file configs/acc.yaml', 'distributed_type: NO\nmixed_precision: fp16\n')
    expect(mixed.spec.precision).toBe('amp-fp16')
    expect(mixed.assumesCode).toBeUndefined()
  })

  test.each([
    ['--num_processes 2 --mixed_precision bf16', { gpus: 2, precision: 'amp-bf16' }],
    ['--num_processes 4 --use_deepspeed --zero_stage 2', { gpus: 4, sharding: 'zero2' }],
    ['--num_processes 4 --use_fsdp --fsdp_sharding_strategy SHARD_GRAD_OP', { gpus: 4, sharding: 'fsdp-grad-op' }],
    ['--config_file configs/acc.yaml --zero_stage 1', { gpus: 4, sharding: 'zero1' }],
    ['--mixed_precision=fp16', { gpus: 1, precision: 'amp-fp16' }],
  ])('takes the options of accelerate launch %s', async (options, settings) => {
    expect((await started(options)).spec).toMatchObject(settings)
  })

  it('takes the precision for a loop of its own, unless that names one', async () => {
    const loop = (precision = '') => `import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
accelerator = Accelerator(${precision})
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="float32").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loader = DataLoader(data, batch_size=2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
`
    const read = async (text: string) => {
      const files: Record<string, string> = {
        'run.sh': 'accelerate launch --mixed_precision bf16 train.py\n',
        'train.py': text,
      }
      return readConfigAsync(
        { path: 'train.py', text },
        {
          readFile: async name => files[name],
          listFolder: async folder => (folder === '.' ? ['run.sh', 'train.py'] : []),
        },
      )
    }
    expect(await read(loop())).toMatchObject({ spec: { precision: 'amp-bf16' } })
    expect(await read(loop('mixed_precision="no"'))).toMatchObject({ spec: { precision: 'fp32' } })
  })
})
