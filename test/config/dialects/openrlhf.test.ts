/** Commands of OpenRLHF: supervised fine-tuning, DPO and reward models, and those that are refused by name. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { codesOf, trainedBy } from '../readings.ts'

const read = (text: string) => readConfigAsync({ path: 'train.sh', text }, {})

const trained = async (text: string) => trainedBy(await read(text))
const problemIn = async (text: string) => codesOf(await read(text))

const command = (name: string, options: string, gpus = 4) =>
  `deepspeed --num_gpus ${gpus} --module openrlhf.cli.${name} --pretrain Qwen/Qwen2.5-0.5B ${options}\n`
const sft = (options: string, gpus?: number) => command('train_sft', `--bf16 --flash_attn ${options}`, gpus)

describe('train_sft', () => {
  it('trains in bf16 beside float32 copies under ZeRO-2, without checkpoints, unless told otherwise', async () => {
    const { spec, dialect } = await trained(command('train_sft', ''))
    expect(dialect).toBe('OpenRLHF')
    expect(spec).toMatchObject({
      microBatch: 8,
      gradientAccumulation: 4,
      sequenceLength: 2048,
      gpus: 4,
      loop: 'openrlhf',
      precision: 'bf16-master',
      optimizer: 'adamw-fused',
      attention: 'flash',
      sharding: 'zero2',
      gradientCheckpointing: false,
      reentrantCheckpoints: false,
      paddedBatches: false,
      zero: { reduceBucket: 5e8, overlapsCommunication: false },
    })
    expect(spec.lora).toBeUndefined()
    expect(spec.method).toBeUndefined()
  })

  it('takes what it is told, and says where its batch size stands', async () => {
    const reading = await trained(
      sft(
        '--max_len 4096 --train_batch_size 64 --micro_train_batch_size 2 --zero_stage 3 --adam_offload --gradient_checkpointing --gradient_checkpointing_use_reentrant --packing_samples',
      ),
    )
    expect(reading.batchSizeAt).toMatchObject({ line: 1 })
    expect(reading.spec).toMatchObject({
      microBatch: 2,
      gradientAccumulation: 8,
      sequenceLength: 4096,
      sharding: 'zero3',
      offload: 'optimizer',
      gradientCheckpointing: true,
      reentrantCheckpoints: true,
      zero: { overlapsCommunication: true },
    })
    expect(reading.assumptions.join(' ')).toContain('joined without padding')
  })

  it('says the same by the names since 0.10.2', async () => {
    const [before, since] = await Promise.all([
      trained(sft('--max_len 1024 --train_batch_size 32 --micro_train_batch_size 4 --zero_stage 3 --lora_rank 8')),
      trained(
        'deepspeed --num_gpus 4 --module openrlhf.cli.train_sft --model.model_name_or_path Qwen/Qwen2.5-0.5B --data.max_len 1024 --train.batch_size 32 --train.micro_batch_size 4 --ds.zero_stage 3 --ds.lora.rank 8\n',
      ),
    ])
    expect(since.spec).toEqual(before.spec)
    expect(since.spec).toMatchObject({ microBatch: 4, gradientAccumulation: 2, lora: { rank: 8, dropout: 0 } })
    expect(since.spec.lora?.targets).toHaveLength(7)
  })

  it('says which loss it counts where the release may have another', async () => {
    const older = await trained(sft(''))
    const newer = await trained(command('train_sft', '--attn_implementation flash_attention_2'))
    expect(older.assumptions.join(' ')).toContain('since 0.7.0')
    expect(newer.assumptions.join(' ')).not.toContain('0.7.0')
    const preferred = await trained(command('train_dpo', '--bf16 --flash_attn'))
    expect(preferred.assumptions.join(' ')).not.toContain('0.7.0')
  })

  it('divides sequences among the GPUs of a ring, which make a micro-batch together', async () => {
    const { spec } = await trained(
      sft('--max_len 4096 --train_batch_size 16 --micro_train_batch_size 1 --ring_attn_size 2 --packing_samples'),
    )
    expect(spec).toMatchObject({ sequenceLength: 2048, gradientAccumulation: 8 })
  })

  it.each([
    ['--train_batch_size 20 --micro_train_batch_size 8', 'batch-sizes-disagree'],
    ['--ring_attn_size 3 --packing_samples --train_batch_size 32', 'batch-sizes-disagree'],
    ['--zero_stage 0', 'unsupported-setting'],
    ['--zpg 8', 'unsupported-setting'],
    ['--deepcompile', 'unsupported-setting'],
    ['--ds_tensor_parallel_size 2', 'unsupported-setting'],
    ['--grad_accum_dtype fp32', 'unsupported-setting'],
    ['--load_in_4bit', 'quantised-without-adapter'],
    ['--load_in_4bit --lora_rank 8 --zero_stage 3', 'unsupported-setting'],
    ['--ds.param_dtype fp16', 'unsupported-precision'],
    ['--optim muon', 'unsupported-setting'],
  ])('with %s is refused: %s', async (options, code) => {
    expect(await problemIn(sft(options))).toBe(code)
  })

  it('does not tell its attention where it hangs on the release', async () => {
    expect(await problemIn(command('train_sft', '--bf16'))).toBe('not-in-file')
    expect((await trained(command('train_sft', '--bf16 --attn_implementation sdpa'))).spec).toMatchObject({
      attention: 'sdpa',
      paddedBatches: true,
    })
  })

  it('asks for the number of GPUs where the one assumed cannot be', async () => {
    const text =
      'deepspeed --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-0.5B --train_batch_size 12 --micro_train_batch_size 2'
    expect(await problemIn(text)).toBe('not-in-file')
    expect((await trained(text.replace('12', '16'))).spec).toMatchObject({ gpus: 8, gradientAccumulation: 1 })
  })

  it('quantises the base of adapters, and names what it counts too high', async () => {
    const reading = await trained(sft('--load_in_4bit --lora_rank 8 --target_modules q_proj v_proj --use_liger_kernel'))
    expect(reading.spec).toMatchObject({ quantization: 'nf4-double', lora: { targets: ['q_proj', 'v_proj'] } })
    expect(reading.spec.fusedLoss).toBeUndefined()
    expect(reading.countsTooMuch).toBe(true)
  })
})

describe('other commands', () => {
  it('train_dpo holds a reference beside the model, with adapters too', async () => {
    const { spec } = await trained(command('train_dpo', '--flash_attn --bf16 --lora_rank 8'))
    expect(spec).toMatchObject({
      sequenceLength: 512,
      method: { kind: 'preference', reference: 'copy', logProbabilities: 'openrlhf', withCrossEntropy: false },
    })
    expect(spec.dropout).toBeUndefined()
  })

  it('train_rm scores pairs, one at a time', async () => {
    const { spec } = await trained(command('train_rm', '--flash_attn --bf16'))
    expect(spec).toMatchObject({
      microBatch: 1,
      gradientAccumulation: 32,
      sequenceLength: 512,
      task: 'sequence-classification',
      method: { kind: 'reward', head: 'score' },
    })
  })

  it.each(['train_ppo_ray', 'train_ppo', 'train_kto', 'train_kd', 'train_prm', 'train_weighted_sft'])(
    '%s is refused by name',
    async name => {
      expect(await problemIn(command(name, '--train_batch_size 64'))).toBe('unsupported-training')
    },
  )

  it.each(['batch_inference', 'serve_rm', 'interactive_chat'])('%s is no training', async name => {
    expect((await read(command(name, '--batch_size 16'))).kind).toBe('not-a-training-config')
  })

  it("a copy's own script is read by the options that only OpenRLHF has", async () => {
    const options = '--pretrain Qwen/Qwen2.5-0.5B --micro_train_batch_size 2 --train_batch_size 32 --bf16 --flash_attn'
    for (const script of ['./train_sft.py', 'openrlhf/cli/train_sft.py', '../openrlhf/cli/train_sft.py'])
      expect((await trained(`deepspeed --include localhost:0,1 ${script} ${options}\n`)).spec).toMatchObject({
        gpus: 2,
        microBatch: 2,
        gradientAccumulation: 8,
        loop: 'openrlhf',
      })
    expect((await read(`python train_sft.py --pretrain a/b --bf16\n`)).kind).toBe('not-a-training-config')
  })
})
