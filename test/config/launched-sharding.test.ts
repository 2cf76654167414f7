/** Scripts whose launcher divides the training by Accelerate's own settings. */
import { describe, expect, it } from 'vitest'
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
})
