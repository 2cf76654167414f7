// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Shell scripts, Makefiles and Dockerfiles that start a training with its settings as arguments. Nothing is executed. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { namedLine, type TrainingChoice } from '../../../engine/config/training-place.ts'
import { bert, read, trained } from './trained.ts'

describe('the number of GPUs', () => {
  it.each([
    ['torchrun --nproc_per_node 4', 4],
    ['torchrun --nproc-per-node=4 --nnodes 2', 8],
    ['python -m torch.distributed.run --nproc_per_node=3', 3],
    ['accelerate launch --num_processes 6', 6],
    ['deepspeed --num_gpus 2', 2],
    ['deepspeed --include localhost:1,3,5', 3],
    ['CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node gpu', 2],
    ['CUDA_VISIBLE_DEVICES=3 python', 1],
    ['srun --ntasks=1 torchrun --nproc_per_node 8', 8],
    ['uv run accelerate launch --num_processes 2', 2],
    ['env NCCL_DEBUG=INFO torchrun --nproc_per_node 2', 2],
  ])('of %s is %d, as its line says', async (launcher, gpus) => {
    const { spec, assumesGpus, assumptions } = await trained(
      `${launcher} train.py ${bert} --per_device_train_batch_size 8\n`,
    )
    expect(spec).toMatchObject({ gpus, microBatch: 8 })
    expect(assumesGpus).toBeUndefined()
    expect(assumptions).toContain(`The number of GPUs is ${gpus}, as set in train.sh, line 1.`)
  })

  it.each(['--nproc_per_node=2 -m', '-m --nproc_per_node=2', '-m --nnodes 1 --standalone --nproc_per_node 2'])(
    'is read on either side of torchrun %s',
    async options => {
      const settings = 'model.partial_pretrain=gpt2 data.micro_batch_size_per_gpu=8 data.train_batch_size=32'
      const { spec } = await trained(`torchrun ${options} verl.trainer.fsdp_sft_trainer ${settings}\n`)
      expect(spec).toMatchObject({ gpus: 2, microBatch: 8, gradientAccumulation: 2 })
    },
  )

  it.each([
    ['python submit.py --gpus 8 -- accelerate launch --num_processes 2', 2],
    ['python submit.py --nproc_per_node 8 -- torchrun --nproc_per_node 4', 4],
  ])('is what a script hands over, not its own: %s', async (launcher, gpus) => {
    const { spec } = await trained(`${launcher} train.py ${bert} --per_device_train_batch_size 8\n`)
    expect(spec).toMatchObject({ gpus, microBatch: 8 })
  })

  it.each(['python', 'accelerate launch --config_file a.yaml'])('of %s is assumed', async launcher => {
    expect((await trained(`${launcher} train.py ${bert} --per_device_train_batch_size 8\n`)).assumesGpus).toBe(true)
  })

  it.each(['$(nvidia-smi -L | wc -l)', '$(python -c "import torch; print(torch.cuda.device_count())")'])(
    'of %s is assumed: the machine has as many as it has',
    async count => {
      const line = `torchrun --nproc_per_node ${count} train.py ${bert} --per_device_train_batch_size 8\n`
      expect((await trained(line)).assumesGpus).toBe(true)
    },
  )

  it.each([
    ['NNODES=2 NODE_RANK=0 NPROC_PER_NODE=8 swift sft --model Qwen/Qwen2.5-0.5B --tuner_type lora --dataset d', 16],
    [
      'FORCE_TORCHRUN=1 NNODES=4 NPROC_PER_NODE=2 llamafactory-cli train --model_name_or_path gpt2 --stage sft --do_train --template qwen',
      8,
    ],
    ['NNODES=2 NODE_RANK=0 swift sft --model Qwen/Qwen2.5-0.5B --tuner_type lora --dataset d', 2],
    [
      'FORCE_TORCHRUN=1 CUDA_VISIBLE_DEVICES=0,1,2 NNODES=2 llamafactory-cli train --model_name_or_path gpt2 --stage sft --do_train --template qwen',
      6,
    ],
  ])('counts the servers that a tool is told of by a variable: %s', async (launcher, gpus) => {
    expect((await trained(`${launcher} --per_device_train_batch_size 1\n`)).spec.gpus).toBe(gpus)
  })

  it.each([
    'torchrun --nproc_per_node $1',
    'torchrun --nproc_per_node="${GPUS_PER_NODE}"',
    'torchrun --nproc_per_node 8 --nnodes=$MACHINES',
    'COUNT=$2\ntorchrun --nproc_per_node=$COUNT',
    'accelerate launch --num_processes "$NUM_PROCESSES"',
    'deepspeed --num_gpus=$GPUS',
  ])('of %s is assumed: whoever starts it says', async launcher => {
    expect((await trained(`${launcher} train.py ${bert} --per_device_train_batch_size 8\n`)).assumesGpus).toBe(true)
  })

  it.each([
    ['$(cat hosts | wc -l)', '', 'is computed when it runs (line 1)'],
    ['$GPUS', 'if [ -n "$BIG" ]; then GPUS=8; fi\n', 'it is set under a condition'],
  ])('that the script decides as it runs is asked for by name: %s', async (count, before, why) => {
    const reading = await read(
      `${before}torchrun --nproc_per_node ${count} train.py ${bert} --per_device_train_batch_size 8\n`,
    )
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'not-in-file', message: expect.stringContaining(why) }],
    })
  })
})

describe('lora_enable of a script of the team', () => {
  const line = (model: string) =>
    `deepspeed src/train.py --lora_enable True --lora_rank 64 --model_id ${model} --bf16 True --per_device_train_batch_size 1\n`

  it('adapts every linear layer, which the script looks for itself, where peft knows no default', async () => {
    const { spec, assumptions, countsTooMuch } = await trained(line('mistral-community/pixtral-12b'))
    expect(spec.lora?.targets).toEqual(expect.arrayContaining(['q_proj', 'o_proj', 'gate_proj', 'down_proj']))
    expect(spec.lora).toMatchObject({ rank: 64 })
    expect(assumptions).toContain(
      'Adapters on every linear layer but the output’s, as scripts find them that take lora_enable; those of the tower are counted too, which most of them leave out.',
    )
    expect(countsTooMuch).toBe(true)
  })

  it('counts no tower where there is none', async () => {
    const { countsTooMuch } = await trained(line('Qwen/Qwen2.5-0.5B'))
    expect(countsTooMuch).toBeUndefined()
  })

  it('leaves targets that are named', async () => {
    const named = line('mistral-community/pixtral-12b').replace('--bf16', '--lora_target_modules q_proj,v_proj --bf16')
    expect((await trained(named)).spec.lora?.targets).toEqual(['q_proj', 'v_proj'])
  })
})

describe("Accelerate's file", () => {
  const line = `accelerate launch --config_file acc.yaml train.py ${bert} --per_device_train_batch_size 8`
  const zero3 = 'distributed_type: DEEPSPEED\nmixed_precision: bf16\ndeepspeed_config: { zero_stage: 3 }\n'

  async function launched(text: string, accelerate?: string) {
    const sources = { readFile: async (path: string) => (path === 'acc.yaml' ? accelerate : undefined) }
    const reading = await readConfigAsync({ path: 'train.sh', text }, sources)
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    return reading
  }

  it('counts where the arguments say no other', async () => {
    const { spec, assumptions } = await launched(`${line}\n`, `${zero3}num_processes: 8\n`)
    expect(spec).toMatchObject({ sharding: 'zero3', gpus: 8, precision: 'bf16-master' })
    expect(assumptions).toContain('The number of GPUs is 8, as set in acc.yaml, line 4.')
    const several = 'distributed_type: MULTI_GPU\nmixed_precision: bf16\n'
    expect((await launched(`${line}\n`, several)).spec.precision).toBe('amp-bf16')
    expect((await launched(`${line} --fp16\n`, several)).spec.precision).toBe('amp-fp16')
  })

  it('that the repository does not hold is named, and nothing blocks', async () => {
    const { assumesCode, assumptions } = await launched(`${line}\n`)
    expect(assumesCode).toBe(true)
    expect(assumptions.join(' ')).toContain('What acc.yaml says of processes and sharding is not known')
  })
})

it.each(['"configs/$NAME.yaml"', '--config configs/$NAME.yaml'])(
  'a config whose name only a run can tell is asked for, whatever the arguments say: %s',
  async config => {
    expect(await read(`python train.py ${config} ${bert} --per_device_train_batch_size 8\n`)).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'not-in-file', line: 1, message: expect.stringContaining('$NAME is not set in the file') }],
    })
  },
)

describe('an option that an array is given under a condition', () => {
  const launch = (before: string) =>
    `FLAGS=()\n${before}\npython train.py ${bert} --per_device_train_batch_size 8 "\${FLAGS[@]}"\n`

  it.each([
    ['if [[ "${BF16:-1}" == "1" ]]; then FLAGS+=(--bf16); fi', 'amp-bf16'],
    ['if [ "${BF16:-0}" = 1 ]; then FLAGS+=(--bf16); else FLAGS+=(--fp16); fi', 'amp-fp16'],
    ['N=4\nif [[ $N -gt 8 ]]; then FLAGS+=(--bf16); elif test -n "$N"; then FLAGS+=(--fp16); fi', 'amp-fp16'],
    ['A=1\nif [[ ! $A != 1 && ( -z $A || $A == 1 ) ]]; then FLAGS+=(--bf16); fi', 'amp-bf16'],
    ['A=no\nif [[ $A == yes ]]; then FLAGS+=(--bf16); fi', 'fp32'],
  ])('that the file decides counts: %j', async (before, precision) => {
    expect((await trained(launch(before))).spec.precision).toBe(precision)
  })

  it('says that the environment may decide otherwise', async () => {
    const { assumptions } = await trained(launch('if [[ "${BF16:-1}" == "1" ]]; then FLAGS+=(--bf16); fi'))
    expect(assumptions.join('\n')).toContain('1 is the default of ${BF16:-1} (train.sh, line 2)')
  })

  it.each([
    'if [[ $1 == fast ]]; then FLAGS+=(--bf16); fi',
    'if nvidia-smi; then FLAGS+=(--bf16); fi',
    'A=bfloat\nif [[ $A == b* ]]; then FLAGS+=(--bf16); fi',
  ])('that a run decides is asked for: %j', async before => {
    expect(await read(launch(before))).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'not-in-file', message: expect.stringContaining('it is set under a condition') }],
    })
  })
})

it.each(['--seed 1 $EXTRA', '$EXTRA', '--seed 1 "${EXTRA[@]}"'])(
  'never blocks where %s may hold further arguments',
  async extra => {
    const reading = await trained(`python train.py ${bert} --per_device_train_batch_size 8 ${extra}\n`)
    expect(reading.assumesCode).toBe(true)
    expect(reading.assumptions.join('\n')).toContain('Further arguments may be in what only a run can tell')
  },
)

it.each([
  ['--bf16 1', 'amp-bf16'],
  ['--bf16 yes', 'amp-bf16'],
  ['--bf16', 'amp-bf16'],
  ['--bf16 0', 'fp32'],
  ['--no_bf16', 'fp32'],
])('%s is a flag as the command line’s parser takes it', async (written, precision) => {
  expect((await trained(`python t.py ${bert} --per_device_train_batch_size 8 ${written}\n`)).spec.precision).toBe(
    precision,
  )
})

describe('a launcher of several trainings', () => {
  const line = (size: number) => `python train.py ${bert} --per_device_train_batch_size ${size}\n`
  const text = line(8) + line(16)
  const places = [
    { name: 'train.py', line: 1 },
    { name: 'train.py (2)', line: 2 },
  ]
  const readAs = (training: TrainingChoice) => readConfigAsync({ path: 'train.sh', text, training }, {})

  it('is a config for each, by the line that starts it', async () => {
    expect(await read(text)).toEqual({ kind: 'several-trainings', trainings: places })
    expect(await readAs({ line: 1 })).toMatchObject({ spec: { microBatch: 8 }, batchSizeAt: { line: 1 } })
    expect(await readAs({ name: 'train.py (2)' })).toMatchObject({
      spec: { microBatch: 16 },
      batchSizeAt: { line: 2 },
      training: { ...places[1], isOnly: false },
    })
  })

  it('says what it starts where another line is asked for', async () => {
    expect(await readAs({ line: 3 })).toEqual({
      kind: 'not-a-training-config',
      why: 'No training starts there: it starts train.py on line 1 or train.py (2) on line 2.',
    })
  })

  it('is one config where all have the same settings, and none where they are too many', async () => {
    const same = await trained(line(8) + line(8))
    expect([same.spec.microBatch, same.training]).toEqual([8, undefined])
    const many = await read(Array.from({ length: 11 }, (_, index) => line(index + 1)).join(''))
    expect(many).toMatchObject({ problems: [{ code: 'several-trainings', line: 1 }] })
  })

  it('is named by its lines on the command line', () => {
    for (const path of ['scripts/train.sh', 'Makefile', 'job.slurm'])
      expect(namedLine(`${path}:12`)).toEqual({ path, line: 12 })
    expect(namedLine('train.yaml:12')).toBeUndefined()
  })
})

it('a backslash at the end of the file is no argument', async () => {
  const line = `python train.py ${bert} --per_device_train_batch_size 8 --optim adafactor \\`
  expect((await trained(line)).spec.optimizer).toBe('adafactor')
})

it('arguments without a batch size are a training only for scripts that take the arguments of the Trainer', async () => {
  const line = `${bert} --learning_rate 1e-4 --num_train_epochs 2 --train_micro_batch_size_per_gpu 1`
  expect((await read(`python train.py ${line}\n`)).kind).toBe('not-a-training-config')
  expect((await trained(`python examples/run_glue.py --do_train ${line}\n`)).spec.microBatch).toBe(8)
})

it.each([
  ['verl', 'torchrun -m verl.trainer.sft_trainer model.path=a/b data.train_batch_size=64'],
  ['OpenRLHF', 'deepspeed --module openrlhf.cli.train_kto --pretrain a/b --micro_train_batch_size 2'],
  ['diffusers', 'accelerate launch examples/train_dreambooth_lora_sdxl.py --train_batch_size=1'],
])('a training of a tool that is not modelled is refused by name: %s', async (name, line) => {
  expect(await read(`${line}\n`)).toMatchObject({
    kind: 'unreadable',
    problems: [{ code: 'unsupported-training', message: expect.stringContaining(name), line: 1 }],
  })
})

it.each([
  'python -m openrlhf.cli.serve_rm --reward_pretrain a/b --port 5000 --batch_size 16',
  'torchrun -m openrlhf.cli.batch_inference --pretrain a/b --micro_batch_size 16',
  'python3 -m verl.trainer.main_generation model.path=a/b data.batch_size=64',
  'python3 -m verl.trainer.main_eval data.path=a/b data.batch_size=64',
])('what serves, generates or evaluates is no training: %s', async line => {
  expect(await read(`${line}\n`)).toMatchObject({ kind: 'not-a-training-config' })
})

it.each([
  'swift rlhf',
  'python -m swift.cli.main rlhf',
  'python -m swift rlhf',
  'torchrun --nproc_per_node 1 -m swift.cli.rlhf',
])('%s is ms-swift, and DPO where it names no method', async launcher => {
  const { dialect, spec } = await trained(`${launcher} --model Qwen/Qwen3-4B --per_device_train_batch_size 2\n`)
  expect(dialect).toBe('ms-swift')
  expect(spec.method).toMatchObject({ kind: 'preference' })
})

it('a tool that is not read is named, and so is a config that is started', async () => {
  expect(await read('NPROC_PER_NODE=2 openrlhf train_sft --pretrain meta-llama/Llama-3.2-1B\n')).toMatchObject({
    kind: 'not-a-training-config',
    why: 'It starts OpenRLHF (openrlhf train_sft, line 1), whose settings are not read yet.',
  })
  expect(await read('axolotl train configs/lora.yml --micro-batch-size 4\n')).toMatchObject({
    kind: 'not-a-training-config',
    why: 'It starts a training with configs/lora.yml (line 1), which is checked with its arguments.',
  })
})

const pieces = fc.constantFrom(
  ...[
    'torchrun',
    'python',
    ' train.py',
    ' --per_device_train_batch_size',
    ' 8',
    '$X',
    '${X:-8}',
    '"',
    "'",
    '$(',
    ')',
    '${',
    '}',
  ],
  ...[
    '\n',
    '\\\n',
    ' && ',
    ' | ',
    ';',
    'if ',
    'then ',
    'fi',
    'for x in ',
    'do ',
    'done',
    '<<EOF\n',
    'EOF\n',
    '((',
    '))',
    '[[',
    '`',
  ],
  ...[
    ' --model_name_or_path google-bert/bert-base-uncased',
    'A=(',
    'A+=',
    '"${A[@]}"',
    '#',
    '\t',
    'CMD ["',
    '"]',
    '\uFEFF',
    '\u0000',
    '🙂',
  ],
)

test.each(['a.sh', 'Makefile', 'Dockerfile', 'justfile'])('nothing that %s holds makes reading throw', async path => {
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async parts => {
      const text = parts.join('')
      const reading = await read(`${text}\npython `, path)
      if (reading.kind === 'unreadable') for (const { line = 1 } of reading.problems) expect(line).toBeGreaterThan(0)
    }),
    { numRuns: 300 },
  )
})

describe('what a command says that it is for', () => {
  const own = (further: string) =>
    read(
      `python run.py --pretrained_model bert-base-uncased --batch_size 4 --learning_rate 5e-5 --max_length 512 ${further}\n`,
    )

  it.each(['--task_type test', '--mode eval', '--mode=predict', '--eval_only', '--test_only True'])(
    '%s is no training',
    async further => {
      expect(await own(further)).toMatchObject({ kind: 'not-a-training-config' })
    },
  )

  it.each(['', '--task_type train', '--mode train', '--eval_only False', '--test_file test.csv'])(
    '%s is one',
    async further => {
      expect(await own(further)).toMatchObject({ kind: 'training-config', spec: { microBatch: 4 } })
    },
  )
})

it('a value that Hydra sweeps is none', async () => {
  const swept = (multirun: string, model: string, batch = '8') =>
    read(
      `python run.py ${multirun} model.name=${model} data.batch_size=${batch} trainer.max_epochs=6 trainer.learning_rate=1e-5\n`,
    )
  expect(await swept('', 'roberta-base')).toMatchObject({ kind: 'training-config' })
  expect(await swept('-m', 'roberta-base')).toMatchObject({ kind: 'training-config', spec: { microBatch: 8 } })
  expect(await swept('-m', 'roberta-base,roberta-large')).toMatchObject({ kind: 'not-a-training-config' })
  expect(await swept('--multirun', 'roberta-base', '8,16')).toMatchObject({ kind: 'not-a-training-config' })
})
