/** `trl sft` and its kin, which start scripts of TRL's own. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { trainedBy } from '../readings.ts'

const said = '--model_name_or_path Qwen/Qwen2.5-0.5B-Instruct --dataset_name acme/chat --per_device_train_batch_size 4'
const read = (text: string, files: Readonly<Record<string, string>> = {}) =>
  readConfigAsync({ path: 'train.sh', text: `${text}\n` }, { readFile: async path => files[path] })
const trained = async (text: string, files = {}) => trainedBy(await read(text, files))

describe("a command of TRL's", () => {
  it('trains with the defaults of its own classes', async () => {
    const { spec, assumptions, batchSizeAt } = await trained(`trl sft ${said} --use_peft --load_in_4bit`)
    expect(spec).toMatchObject({
      model: 'Qwen/Qwen2.5-0.5B-Instruct',
      microBatch: 4,
      sequenceLength: 1024,
      precision: 'amp-bf16',
      lora: { rank: 16, dropout: 0.05 },
      quantization: 'nf4',
      gradientCheckpointing: true,
      checkpointedLoss: true,
    })
    expect(batchSizeAt).toEqual({ line: 1, column: 112 })
    expect(assumptions.join('\n')).toContain('trl sft on line 1 is read as TRL 1.13 runs it')
    expect(assumptions.join('\n')).toContain("Weights in float32, the default of TRL's ModelConfig.")
  })

  it.each([
    ['dpo', { kind: 'preference' }],
    ['kto', { kind: 'kto' }],
    ['reward', { kind: 'reward' }],
    ['grpo', { kind: 'online' }],
    ['rloo', { kind: 'online' }],
  ])('trl %s trains by its method', async (verb, method) => {
    const { spec } = await trained(`trl ${verb} ${said} --dtype bfloat16 --max_length 512 --num_generations 4`)
    expect(spec).toMatchObject({ method, precision: 'bf16' })
  })

  it.each([
    ['--num_processes 4', { gpus: 4 }],
    ['--num_processes=4', { gpus: 4 }],
    ['--accelerate_config multi_gpu', { gpus: 8 }],
    ['--accelerate_config single_gpu', { gpus: 1 }],
    ['--accelerate_config zero3 --num_processes 2', { gpus: 2, sharding: 'zero3' }],
    ['--accelerate_config zero2', { gpus: 8, sharding: 'zero2' }],
    ['--accelerate_config fsdp2', { gpus: 8, sharding: 'fsdp', fsdpVersion: 2 }],
    ['--accelerate_config own.yaml', { gpus: 3 }],
  ])('hands %s to Accelerate', async (option, settings) => {
    const own = 'distributed_type: MULTI_GPU\nnum_machines: 1\nnum_processes: 3\n'
    expect((await trained(`trl sft ${option} ${said}`, { 'own.yaml': own })).spec).toMatchObject(settings)
  })

  it('leaves a file that it names to that file', async () => {
    const reading = await read('trl sft --config sft.yaml')
    expect(reading).toMatchObject({ kind: 'not-a-training-config', why: expect.stringContaining('sft.yaml') })
  })

  it.each(['trl env', 'trl vllm-serve --model gpt2', 'trl'])('%s is no training', async text => {
    expect((await read(text)).kind).toBe('not-a-training-config')
  })
})

describe('a script in a folder trl/scripts', () => {
  const launch = `accelerate launch trl/scripts/sft.py ${said}`

  it("is TRL's own where the repository has none", async () => {
    expect((await trained(launch)).assumptions.join('\n')).toContain('the repository has no trl/scripts/sft.py')
  })

  it('is what the repository holds otherwise', async () => {
    const script = `from trl import SFTConfig, SFTTrainer, TrlParser
args = TrlParser((SFTConfig,)).parse_args_and_config()[0]
SFTTrainer(model="gpt2", args=args, train_dataset=data).train()
`
    const { assumptions } = await trained(launch, { 'trl/scripts/sft.py': script })
    expect(assumptions.join('\n')).toContain('The training of trl/scripts/sft.py, line 3, is read with the arguments')
  })
})
