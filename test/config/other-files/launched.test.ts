/** Launchers that name a config: its arguments and number of processes count for the config, and both places are told. */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { FileReading } from '../../../engine/config/reading.ts'

const sft =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 8\nmax_length: 512\nlearning_rate: 1.0e-5\nbf16: true\n'
const axolotl = 'base_model: Qwen/Qwen2.5-0.5B\nmicro_batch_size: 2\nsequence_len: 1024\ndatasets: [{ path: a/b }]\n'
const llama =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\ndo_train: true\nfinetuning_type: full\ntemplate: qwen\ndataset: x\nper_device_train_batch_size: 2\ncutoff_len: 512\nbf16: true\n'

async function reading(files: Record<string, string>, path: string): Promise<FileReading> {
  const readFile = async (name: string) => files[name]
  const listFolder = async (folder: string) =>
    Object.keys(files).flatMap(name => {
      const at = name.lastIndexOf('/')
      return (at < 0 ? '.' : name.slice(0, at)) === folder ? [name.slice(at + 1)] : []
    })
  return readConfigAsync({ path, text: files[path] ?? '' }, { readFile, listFolder })
}

async function trained(files: Record<string, string>, path: string) {
  const read = await reading(files, path)
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

describe('what starts no training', () => {
  it.each(['inference', 'merge_lora', 'preprocess'])(
    "axolotl.cli.%s says nothing of the config's training",
    async module => {
      const run = `accelerate launch --num_processes 4 -m axolotl.cli.${module} a.yaml --lora_model_dir=out\n`
      const { spec, assumptions } = await trained({ 'a.yaml': axolotl, 'run.sh': run }, 'a.yaml')
      expect(spec.gpus).toBe(1)
      expect(assumptions.join()).not.toContain('run.sh')
    },
  )

  it('axolotl.cli.train says its number of GPUs', async () => {
    const run = 'accelerate launch --num_processes 4 -m axolotl.cli.train a.yaml\n'
    expect((await trained({ 'a.yaml': axolotl, 'run.sh': run }, 'a.yaml')).spec.gpus).toBe(4)
  })
})

describe('the number of GPUs', () => {
  it.each([
    ['run.sh', 'accelerate launch --num_processes 4 sft.py --config recipes/sft.yaml\n'],
    ['scripts/train.sh', 'torchrun --nproc_per_node=4 sft.py --config recipes/sft.yaml\n'],
    ['recipes/run.sh', 'deepspeed --num_gpus 4 ../sft.py --config sft.yaml\n'],
    ['Makefile', 'N := 4\ntrain:\n\taccelerate launch --num_processes $(N) sft.py recipes/sft.yaml\n'],
    ['slurm/job.slurm', 'CFG=recipes/sft.yaml\nsrun torchrun --nproc_per_node 4 sft.py --config $CFG\n'],
  ])('is what %s says', async (launcher, text) => {
    const { spec, assumesGpus, assumptions, otherFiles } = await trained(
      { 'recipes/sft.yaml': sft, [launcher]: text },
      'recipes/sft.yaml',
    )
    expect(spec).toMatchObject({ gpus: 4, microBatch: 8 })
    expect(assumesGpus).toBeUndefined()
    expect(assumptions.join(' ')).toMatch(/Started by .* line \d+\. .*The number of GPUs is 4, as set in /)
    expect(otherFiles?.map(({ path }) => path)).toEqual([launcher])
  })

  it.each(['run.sh', 'recipes/run.sh', 'recipes/scripts/run.sh', 'recipes/qwen/bin/run.sh'])(
    'of a config two folders deep is what %s says',
    async launcher => {
      const run = 'accelerate launch --num_processes 4 sft.py --config recipes/qwen/sft.yaml\n'
      const { spec } = await trained({ 'recipes/qwen/sft.yaml': sft, [launcher]: run }, 'recipes/qwen/sft.yaml')
      expect(spec.gpus).toBe(4)
    },
  )

  it.each(['yaml_config', 'train-config', 'config-yaml', 'cfg_path', 'training_args_file', 'hparams'])(
    'is what a launcher says that names it by --%s',
    async option => {
      const run = `accelerate launch --num_processes 4 sft.py --${option} /home/me/work/recipes/sft.yaml\n`
      const { spec } = await trained({ 'recipes/sft.yaml': sft, 'recipes/train.sh': run }, 'recipes/sft.yaml')
      expect(spec.gpus).toBe(4)
    },
  )

  it.each(['deepspeed_config', 'data_config', 'eval_config', 'model_config_path', 'lora_config', 'config_name'])(
    'is left open by one that names it by --%s',
    async option => {
      const run = `accelerate launch --num_processes 4 sft.py --${option} recipes/sft.yaml --max_steps 5\n`
      expect((await trained({ 'recipes/sft.yaml': sft, 'run.sh': run }, 'recipes/sft.yaml')).spec.gpus).toBe(1)
    },
  )

  it('is left open by a launcher of another config, and by one that is elsewhere', async () => {
    const run = 'accelerate launch --num_processes 4 sft.py --config recipes/other.yaml # not recipes/sft.yaml\n'
    const files = { 'recipes/sft.yaml': sft, 'run.sh': run, 'tools/deep/run.sh': run.replace('other', 'sft') }
    expect(await trained(files, 'recipes/sft.yaml')).toMatchObject({ assumesGpus: true, spec: { gpus: 1 } })
  })
})

describe('arguments', () => {
  test.each([
    [
      'sft.yaml',
      sft,
      'torchrun --nproc_per_node 2 sft.py --config sft.yaml --per_device_train_batch_size 3 --max_length 256',
    ],
    ['a.yml', axolotl, 'axolotl train a.yml --micro-batch-size 3 --sequence-len 256'],
    ['l.yaml', llama, 'llamafactory-cli train l.yaml per_device_train_batch_size=3 cutoff_len=256'],
  ])('of %s win over what it says', async (path, text, command) => {
    const { spec, batchSizeAt } = await trained({ [path]: text, 'run.sh': `${command}\n` }, path)
    expect(spec).toMatchObject({ microBatch: 3, sequenceLength: 256 })
    // The literal stands in the launcher, where a suggestion on the config would change nothing.
    expect(batchSizeAt).toBeUndefined()
  })

  it('of several launchers that differ are not chosen between, and nothing blocks', async () => {
    const run = (size: number) =>
      `accelerate launch --num_processes 2 sft.py --config sft.yaml --per_device_train_batch_size ${size}\n`
    const { spec, assumesCode, assumptions } = await trained({ 'sft.yaml': sft, 'run.sh': run(2) + run(4) }, 'sft.yaml')
    expect(spec).toMatchObject({ microBatch: 8, gpus: 2 })
    expect(assumesCode).toBe(true)
    expect(assumptions[0]).toContain('accelerate launch in run.sh, line 1; accelerate launch in run.sh, line 2')
  })

  it('that depend on run time are asked for by name', async () => {
    const run = 'accelerate launch --num_processes $(wc -l < hosts) sft.py --config sft.yaml\n'
    expect(await reading({ 'sft.yaml': sft, 'run.sh': run }, 'sft.yaml')).toMatchObject({
      kind: 'unreadable',
      problems: [{ file: 'run.sh', line: 1, message: expect.stringContaining('is computed when it runs (line 1)') }],
    })
  })

  it('that whoever starts it gives leave the number of GPUs to be assumed', async () => {
    const run = 'accelerate launch --num_processes $N sft.py --config sft.yaml\n'
    expect((await trained({ 'sft.yaml': sft, 'run.sh': run }, 'sft.yaml')).assumesGpus).toBe(true)
  })
})

describe('settings of Accelerate', () => {
  const run = 'accelerate launch --config_file acc.yaml sft.py --config sft.yaml\n'
  const read = (acc: string) => trained({ 'sft.yaml': sft, 'run.sh': run, 'acc.yaml': acc }, 'sft.yaml')

  it.each([
    ['distributed_type: MULTI_GPU\n', {}],
    ['distributed_type: FSDP\nfsdp_config: { fsdp_sharding_strategy: FULL_SHARD }\n', { sharding: 'fsdp' }],
    ['distributed_type: DEEPSPEED\ndeepspeed_config: { zero_stage: 2 }\n', { sharding: 'zero2' }],
    [
      'distributed_type: DEEPSPEED\ndeepspeed_config: { zero_stage: 3, offload_optimizer_device: cpu }\n',
      { sharding: 'zero3', offload: 'optimizer' },
    ],
  ])('%j count', async (acc, expected) => {
    expect((await read(`${acc}num_processes: 8\n`)).spec).toMatchObject({ ...expected, gpus: 8 })
  })

  it('that are not read keep the verdict from blocking', async () => {
    expect(await read('distributed_type: MEGATRON_LM\nnum_processes: 8\n')).toMatchObject({
      assumesCode: true,
      spec: { gpus: 8 },
    })
  })

  it('that the repository does not hold keep it from blocking too', async () => {
    const { assumesCode, assumptions } = await trained({ 'sft.yaml': sft, 'run.sh': run }, 'sft.yaml')
    expect(assumesCode).toBe(true)
    expect(assumptions.join(' ')).toContain('What acc.yaml says of processes and sharding is not known')
  })
})

describe('several launchers', () => {
  const open_ = sft.replace('model_name_or_path: Qwen/Qwen2.5-0.5B\n', '')
  const launcher = (batch: number, model = 'gpt2') =>
    `accelerate launch sft.py --config recipes/sft.yaml --model_name_or_path ${model} --per_device_train_batch_size ${batch}\n`

  it('fill in what all of them pass, and nothing blocks', async () => {
    const files = { 'a.sh': launcher(2), 'b.slurm': launcher(4), 'recipes/sft.yaml': open_ }
    const read = await trained(files, 'recipes/sft.yaml')
    expect(read.spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 8 })
    expect(read.assumesCode).toBe(true)
    expect(read.assumptions.join(' ')).toContain(
      'and is read as the file says, with --model_name_or_path as all of them pass it, so that nothing blocks.',
    )
  })

  it('leave open what they differ in', async () => {
    const files = { 'a.sh': launcher(2), 'b.sh': launcher(2, 'bert-base-cased'), 'recipes/sft.yaml': open_ }
    expect((await reading(files, 'recipes/sft.yaml')).kind).toBe('unreadable')
  })
})
