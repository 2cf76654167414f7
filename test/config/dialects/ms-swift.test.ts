// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Commands of ms-swift, and files that its command line takes. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { codesOf, trainedBy } from '../readings.ts'

async function read(text: string, path = 'train.sh', files: Readonly<Record<string, string>> = {}) {
  return readConfigAsync(
    { path, text },
    { readFile: async name => files[name], listFolder: async () => Object.keys(files) },
  )
}

const trained = async (text: string, path?: string) => trainedBy(await read(text, path))
const problemIn = async (text: string, files?: Readonly<Record<string, string>>) =>
  codesOf(await read(text, 'train.sh', files))

const sft = 'swift sft --model Qwen/Qwen2.5-0.5B-Instruct --dataset data.jsonl'

describe('a command of ms-swift', () => {
  it('trains adapters of rank 8 in bf16 on sixteen samples a step, checkpointed, unless told otherwise', async () => {
    const reading = await trained(sft)
    expect(reading).toMatchObject({
      dialect: 'ms-swift',
      assumesLength: true,
      spec: {
        microBatch: 1,
        gradientAccumulation: 16,
        precision: 'bf16',
        gradientCheckpointing: true,
        lora: { rank: 8, dropout: 0.05 },
      },
    })
    expect(reading.spec.lora?.targets).toHaveLength(7)
  })

  it('says where its batch size stands, and takes what it is told', async () => {
    const reading = await trained(
      `CUDA_VISIBLE_DEVICES=0 \\\n${sft} \\\n  --train_type full \\\n  --per_device_train_batch_size 2 \\\n  --gradient_accumulation_steps 4 --max_length 1024 --attn_impl flash_attn --packing true\n`,
    )
    expect(reading.batchSizeAt).toEqual({ line: 4, column: 33 })
    expect(reading.assumesLength).toBeUndefined()
    expect(reading.spec).toMatchObject({
      microBatch: 2,
      gradientAccumulation: 4,
      sequenceLength: 1024,
      paddedBatches: false,
      gpus: 1,
      precision: 'bf16',
    })
    expect(reading.spec.lora).toBeUndefined()
  })

  it.each([
    ['--train_type full --torch_dtype float32', 'amp-fp16'],
    ['--train_type full --torch_dtype float32 --bf16 true --fp16 false', 'amp-bf16'],
    ['--tuner_type full --torch_dtype bfloat16 --deepspeed zero3', 'bf16-master'],
    ['--torch_dtype float16', 'bf16', true, true],
    ['--torch_dtype float16 --fp16 false', 'bf16', undefined, true],
    ['--torch_dtype float16 --bf16 true --fp16 false', 'bf16', true],
    ['--train_type full --torch_dtype float16 --deepspeed zero2', 'bf16-master', undefined, true],
    ['--torch_dtype bfloat16', 'bf16', true],
    ['--torch_dtype bfloat16 --bf16 false', 'bf16'],
    ['--deepspeed zero2', 'bf16-master'],
  ] as const)(
    'with %s has precision %s, under autocast: %s, in float16: %s',
    async (text, precision, autocasts?: true, inFloat16?: true) => {
      const { spec } = await trained(`${sft} ${text}\n`)
      expect([spec.precision, spec.autocasts, spec.inFloat16]).toEqual([precision, autocasts, inFloat16])
    },
  )

  it.each([
    ['--quant_method bnb --quant_bits 4', 'nf4-double'],
    ['--quant_method bnb --quant_bits 4 --bnb_4bit_use_double_quant false', 'nf4'],
    ['--quant_method bnb --quant_bits 8', 'int8'],
    // Without a method nothing is quantised: QuantizeArguments.get_quantization_config.
    ['--quant_bits 4', undefined],
  ])('with %s has weights in %s', async (text, quantization) => {
    expect((await trained(`${sft} ${text}\n`)).spec.quantization).toBe(quantization)
  })

  it.each([
    ['zero1', 'zero1', undefined],
    ['zero2_offload', 'zero2', 'optimizer'],
    ['zero3', 'zero3', undefined],
    ['zero3_offload', 'zero3', 'optimizer-and-weights'],
  ])('with --deepspeed %s is sharded as its own file of that name says', async (name, sharding, offload) => {
    const { spec } = await trained(`NPROC_PER_NODE=4 ${sft} --deepspeed ${name}\n`)
    expect(spec).toMatchObject({ sharding, gpus: 4, gradientAccumulation: 4 })
    expect(spec.offload).toBe(offload)
  })

  it('prefers, of rlhf, keeps a copy as reference where all weights train', async () => {
    const dpo = sft.replace('swift sft', 'swift rlhf --rlhf_type dpo')
    const reference = async (text: string) => (await trained(text)).spec.method
    expect(await reference(`${dpo}\n`)).toMatchObject({ kind: 'preference', reference: 'adapters-off' })
    expect(await reference(`${dpo} --train_type full\n`)).toMatchObject({ reference: 'copy' })
    // Its default.
    expect(await reference(sft.replace('swift sft', 'swift rlhf'))).toMatchObject({ kind: 'preference' })
  })

  it.each([
    ['kto', { kind: 'kto', reference: 'adapters-off', logProbabilities: 'trl' }],
    ['kto --train_type full', { kind: 'kto', reference: 'copy' }],
    ['orpo', { kind: 'preference', reference: 'none', withCrossEntropy: true }],
    ['cpo', { kind: 'preference', reference: 'none', withCrossEntropy: true }],
    ['simpo', { kind: 'preference', reference: 'none', withCrossEntropy: true }],
    ['simpo --cpo_alpha 0', { kind: 'preference', reference: 'none', withCrossEntropy: false }],
    ['rm', { kind: 'reward', head: 'score' }],
  ])('trains by rlhf_type %s as its trainer does', async (text, method) => {
    const { spec } = await trained(`${sft.replace('swift sft', 'swift rlhf')} --rlhf_type ${text}\n`)
    expect(spec.method).toMatchObject(method)
    expect(spec.dropout).toBe(false)
  })

  it.each(['--task_type seq_cls --num_labels 5', '--num_labels 5'])('classifies texts with %s', async text => {
    const { spec } = await trained(`${sft} ${text}\n`)
    expect(spec).toMatchObject({ task: 'sequence-classification', labels: 5 })
    // peft trains the head of a classifier whole.
    expect(spec.lora?.modulesToSave).toEqual(['score'])
    // The Trainer's loss is on a few numbers a sample, which no kernel of Liger's replaces.
    expect((await trained(`${sft} ${text} --use_liger_kernel true\n`)).spec.fusedLoss).toBeUndefined()
  })

  it('takes a number of labels for nothing where the task needs none', async () => {
    const { spec } = await trained(`${sft} --task_type causal_lm --num_labels 5\n`)
    expect(spec).toMatchObject({ task: 'causal-lm', labels: 2 })
    const rm = sft.replace('swift sft', 'swift rlhf --rlhf_type rm')
    expect((await trained(`${rm} --task_type seq_cls --num_labels 1\n`)).spec.method).toMatchObject({ kind: 'reward' })
  })

  it.each([
    ['--task_type embedding', 'unsupported-setting'],
    ['--task_type reranker --num_labels 1', 'unsupported-setting'],
    ['--task_type seq_cls', 'not-in-file'],
    ['--task_type seq_cls --num_labels 2 --padding_free true', 'unsupported-setting'],
    ['--num_labels 2 --packing true', 'unsupported-setting'],
    ['--num_labels 2 --loss_type cross_entropy', 'unsupported-setting'],
    ['--num_labels 2 --model Qwen/Qwen2.5-VL-3B-Instruct', 'unsupported-setting'],
    ['--num_labels 2 --model google-bert/bert-base-uncased', 'unsupported-setting'],
  ])('refuses %s', async (text, code) => {
    expect(await problemIn(`swift sft --dataset data.jsonl --model Qwen/Qwen2.5-0.5B-Instruct ${text}\n`)).toContain(
      code,
    )
  })

  it('adapts the language model alone by all-linear where a tower stands beside it, and the tower too by the names of layers', async () => {
    const ofImages = 'swift sft --dataset data.jsonl --model Qwen/Qwen2.5-VL-3B-Instruct'
    const { spec } = await trained(`${ofImages} --target_modules all-linear\n`)
    expect(spec.trainable).toEqual({ names: [String.raw`model\.language_model\.`, 'lm_head'], inputGradients: true })
    expect((await trained(`${ofImages}\n`)).spec.trainable).toEqual(spec.trainable)
    expect((await trained(`${ofImages} --gradient_checkpointing false\n`)).spec.trainable?.inputGradients).toBe(false)
    expect((await trained(`${ofImages} --target_modules q_proj v_proj\n`)).spec.trainable).toBeUndefined()
    expect((await trained(`${sft} --target_modules all-linear\n`)).spec.trainable).toBeUndefined()
  })

  it.each([
    ['', true],
    ['--deepspeed zero2', true],
    ['--gradient_checkpointing_kwargs \'{"use_reentrant": false}\'', false],
    [`--gradient_checkpointing_kwargs '{"use_reentrant":true}'`, true, 'NPROC_PER_NODE=2 '],
    ['', false, 'NPROC_PER_NODE=2 '],
    ['', false, 'NPROC_PER_NODE=1 '],
    ['--deepspeed zero2', true, 'NPROC_PER_NODE=1 '],
    ['', true, 'CUDA_VISIBLE_DEVICES=0 '],
    ['--deepspeed zero3', true, 'NPROC_PER_NODE=2 '],
    ['--fsdp fsdp2', undefined, 'NPROC_PER_NODE=2 '],
  ])('with %j checkpoints reentrantly: %s, %s', async (text, isReentrant, variable = '') => {
    expect((await trained(`${variable}${sft} ${text}\n`)).spec.reentrantCheckpoints).toBe(isReentrant)
  })

  it('learns from completions of 512 tokens against the model without its adapters, and generates them itself', async () => {
    const grpo = sft.replace('swift sft', 'swift rlhf --rlhf_type grpo')
    const reading = await trained(`NPROC_PER_NODE=2 ${grpo} --max_length 1024\n`)
    expect(reading.spec).toMatchObject({
      sequenceLength: 1_536,
      method: {
        kind: 'online',
        reference: 'adapters-off',
        completionLength: 512,
        completions: 8,
        generation: { kind: 'transformers' },
      },
    })
    expect(reading.assumesLength).toBeUndefined()
    const open = await trained(`${grpo} --max_completion_length 1024 --train_type full --beta 0\n`)
    expect(open).toMatchObject({ assumesLength: true, spec: { sequenceLength: 1_536, method: { reference: 'none' } } })
    expect((await trained(`${grpo} --train_type full\n`)).spec.method).toMatchObject({ reference: 'copy' })
    const each = await trained(
      `${grpo} --per_device_train_batch_size 8 --steps_per_generation 1 --use_liger_kernel true\n`,
    )
    expect(each.spec).toMatchObject({ method: { completions: 8, ofEachBatch: true }, fusedLoss: true })
  })

  it.each([
    ['--vllm_mode server --vllm_server_host 127.0.0.1', { kind: 'server' }],
    ['--vllm_server_host 127.0.0.1', { kind: 'server' }],
    ['--vllm_mode colocate', { kind: 'vllm', share: 0.9, sleeps: false }],
    [
      '--vllm_mode colocate --vllm_gpu_memory_utilization 0.4 --sleep_level 1 --offload_model true --offload_optimizer true',
      { kind: 'vllm', share: 0.4, sleeps: true, movedOut: ['weights', 'optimizerState'] },
    ],
  ])('has vLLM generate with %s', async (text, generation) => {
    const grpo = sft.replace('swift sft', 'swift rlhf --rlhf_type grpo')
    const { spec } = await trained(`${grpo} --use_vllm true ${text}\n`)
    expect(spec.method).toMatchObject({ generation })
  })

  it.each([
    ['', true],
    ['--loss_scale last_round+ignore_empty_think', true],
    ['--loss_scale hermes --is_binary_loss_scale true', true],
    ['--loss_scale last_round+hermes', undefined],
    ['--enable_dft_loss true', undefined],
    ['--enable_channel_loss true', undefined],
    ['--loss_type channel_loss', undefined],
    ['--label_smoothing_factor 0.1', undefined],
    ['--rlhf_type dpo', undefined],
  ])("beside %j has Liger's loss: %s", async (text, fused) => {
    const { spec, assumptions } = await trained(`${sft} --use_liger_kernel true ${text}\n`)
    expect(spec.fusedLoss).toBe(fused)
    expect(assumptions.join(' ').includes('The logits are held in full')).toBe(fused === undefined)
  })

  it('goes on with the adapters of an earlier run, as this one has them', async () => {
    const { spec, assumptions } = await trained(`${sft} --adapters runs/one/checkpoint-20\n`)
    expect(spec.lora).toMatchObject({ rank: 8 })
    expect(assumptions.join(' ')).toContain('The adapters of "runs/one/checkpoint-20" go on training')
  })

  it('adapts what is named', async () => {
    const { spec } = await trained(`${sft} --target_modules q_proj v_proj --lora_rank 32 --lora_dtype bfloat16\n`)
    expect(spec.lora).toMatchObject({ rank: 32, targets: ['q_proj', 'v_proj'], inWeightsType: true })
  })

  it.each([
    ['--train_type adalora', 'unsupported-training'],
    ['--quant_method hqq --quant_bits 4', 'unsupported-quantization'],
    ['--train_type full --quant_method bnb --quant_bits 4', 'quantised-without-adapter'],
    ['--train_type full --torch_dtype float16', 'unsupported-precision'],
    ['--sequence_parallel_size 2', 'unsupported-setting'],
    ['--train_type full --freeze_parameters_ratio 0.9', 'unsupported-setting'],
    ['--tuner_backend unsloth', 'unsupported-setting'],
    ['--rlhf_type ppo', 'unsupported-training'],
    ['--rlhf_type grpo --reward_model internlm/internlm2-7b-reward', 'unsupported-training'],
    ['--rlhf_type grpo --padding_free true', 'unsupported-training'],
    ['--rlhf_type grpo --steps_per_generation 4', 'unsupported-setting'],
    ['--rlhf_type grpo --generation_batch_size 12 --num_generations 8', 'unsupported-setting'],
    ['--rlhf_type nobody', 'unsupported-training'],
    ['--loss_type my_own_loss', 'unsupported-training'],
    ['--fsdp my-fsdp.json', 'unsupported-setting'],
  ])('with %s is refused by name', async (text, code) => {
    expect(await problemIn(`${sft} ${text}\n`)).toBe(code)
  })

  it('of version 2 is refused by its arguments', async () => {
    expect(await problemIn('swift sft --model_type qwen1half-7b-chat --sft_type lora --dataset d\n')).toContain(
      'unsupported-setting',
    )
  })

  it('without NPROC_PER_NODE divides the layers among the GPUs that it sees, which is not counted', async () => {
    const reading = await read(`CUDA_VISIBLE_DEVICES=0,1 ${sft}\n`)
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: [{ message: expect.stringContaining('without NPROC_PER_NODE ms-swift divides the layers') }],
    })
  })

  it.each([
    ['CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2', 'its processes see 4 GPUs and are 2'],
    ['CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=1', 'its processes see 2 GPUs and are 1'],
  ])('with %s divides them among the share of each process', async (variables, why) => {
    const reading = await read(`${variables} ${sft}\n`)
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ message: expect.stringContaining(why) }] })
  })

  it('with a process for each GPU that it sees divides nothing', async () => {
    const { spec } = await trained(`CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 ${sft}\n`)
    expect(spec.gpus).toBe(2)
  })

  it('gives experts no adapters, but before transformers 5, where they were linear layers', async () => {
    const moe = sft.replace('Qwen/Qwen2.5-0.5B-Instruct', 'Qwen/Qwen3-30B-A3B')
    const { spec, assumptions } = await trained(`${moe}\n`)
    expect(spec.lora?.targets).toEqual(['q_proj', 'k_proj', 'v_proj', 'o_proj'])
    expect(assumptions).toContainEqual(expect.stringContaining('No adapters on the experts'))
    expect(await problemIn(`${moe}\n`, { 'requirements.txt': 'transformers==4.57.1\n' })).toBe('unsupported-setting')
    expect((await trained(`${moe} --target_modules q_proj v_proj\n`)).spec.lora?.targets).toEqual(['q_proj', 'v_proj'])
  })

  it('of Swift, the language, is none', async () => {
    expect(await read('swift build -c release\nswift test\n')).toMatchObject({ kind: 'not-a-training-config' })
  })
})

it('a file of its arguments is one, and no file with a model and a data set', async () => {
  const own = 'model: Qwen/Qwen2.5-0.5B\ntrain_type: lora\ndataset: [data.jsonl]\nper_device_train_batch_size: 2\n'
  expect(await trained(own, 'sft.yaml')).toMatchObject({ dialect: 'ms-swift', batchSizeAt: { line: 4 } })
  expect(await read('model: Qwen/Qwen2.5-0.5B\ndataset: data.jsonl\n', 'data.yaml')).toMatchObject({
    kind: 'not-a-training-config',
  })
})
