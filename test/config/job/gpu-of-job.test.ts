/** The GPU of a verdict, from the job file that starts the training. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { findGpu } from '../../../engine/gpus/catalogue.ts'
import { readSettings } from '../../../engine/settings/read.ts'
import { judged, sft } from './judged.ts'

const start = (path = 'sft.yaml') => `accelerate launch sft.py --config ${path}\n`
const slurm = (options: string, command = start()) => `#!/bin/bash\n#SBATCH -J sft\n#SBATCH ${options}\n${command}`

describe('a Slurm job that starts the config', () => {
  it('says on which GPU, and on how many, so that nothing of that is assumed', async () => {
    const config = await judged({ 'jobs/sft.slurm': slurm('--gres=gpu:l40s:4') })
    expect(config.gpu.id).toBe('l40s')
    expect(config.spec.gpus).toBe(4)
    expect(config.assumed).toBeUndefined()
    expect(config.assumptions).toContain('The GPU is the NVIDIA L40S, from jobs/sft.slurm, line 3.')
    expect(config.assumptions).toContain('The number of GPUs is 4, as set in jobs/sft.slurm, line 3.')
    expect(config.otherFiles?.map(({ path }) => path)).toEqual(['jobs/sft.slurm'])
  })

  it('makes a batch that does not fit block, which on an assumed GPU only warns', async () => {
    const large = sft.replace('size: 8', 'size: 512')
    const named = await judged({ 'sft.slurm': slurm('--gres=gpu:t4:1') }, {}, 'sft.yaml', large)
    const unnamed = await judged({ 'sft.slurm': slurm('--gres=gpu:1') }, {}, 'sft.yaml', large)
    expect([named.gpu.id, named.verdict.state]).toEqual(['t4', 'blocked'])
    expect([unnamed.gpu.id, unnamed.assumed, unnamed.verdict.state]).toEqual(['a10', ['gpu'], 'warning'])
  })

  it('leaves what the settings and the caller say', async () => {
    const job = { 'sft.slurm': slurm('--gres=gpu:l40s:4') }
    const read = readSettings({
      path: '.github/memorymark.yml',
      text: 'gpu: a40\n',
    })
    if (read.kind !== 'settings') throw new Error(JSON.stringify(read))
    const ofTeam = await judged(job, { settings: read.settings })
    const t4 = findGpu('t4')
    const ofCaller = await judged(job, { ...(t4 && { gpu: t4 }) })
    expect([ofTeam.gpu.id, ofCaller.gpu.id]).toEqual(['a40', 't4'])
    expect([...ofTeam.assumptions, ...ofCaller.assumptions].join(' ')).not.toContain('L40S')
  })

  it('is not taken where its card is two cards, which is said with what to write', async () => {
    const config = await judged({ 'sft.slurm': slurm('--gres=gpu:a100:1') })
    expect(config).toMatchObject({ gpu: { id: 'a10' }, assumed: ['gpu'] })
    expect(config.assumptions.join(' ')).toContain(
      'sft.slurm, line 3, asks for a100, which is the A100 with 40 GB (gpu: a100-40gb) or the one with 80 GB (gpu: a100-80gb): write which in .github/memorymark.yml.',
    )
  })

  it('is not chosen from two that differ', async () => {
    const config = await judged({ 'a.slurm': slurm('--gres=gpu:t4:1'), 'b.slurm': slurm('--gres=gpu:l4:1') })
    expect(config).toMatchObject({ gpu: { id: 'a10' }, assumed: ['gpu'] })
    expect(config.assumptions).toContain(
      'The jobs that start it ask for different GPUs (NVIDIA T4 in a.slurm, line 3; NVIDIA L4 in b.slurm, line 3): write which counts in .github/memorymark.yml.',
    )
  })

  it('is taken beside a script that starts it anywhere, and beside a job of another config', async () => {
    const other = slurm('--gres=gpu:t4:1', start('other.yaml').replace('\n', ' # not sft.yaml\n'))
    const config = await judged({ 'run.sh': start(), 'a.slurm': slurm('--gpus=l40s:1', start()), 'b.slurm': other })
    expect(config.gpu.id).toBe('l40s')
  })

  it('tells its commands how many GPUs and machines there are', async () => {
    const command =
      'srun torchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE sft.py --config sft.yaml\n'
    const config = await judged({ 'sft.slurm': slurm('--gres=gpu:l40s:4 --nodes=2', command) })
    expect(config.spec.gpus).toBe(8)
  })

  it('leaves open how many of its GPUs torchrun uses', async () => {
    const command = 'torchrun sft.py --config sft.yaml\n'
    const config = await judged({ 'sft.slurm': slurm('--gres=gpu:l40s:4', command) })
    expect(config.spec.gpus).toBe(1)
    expect(config.assumptions.join(' ')).toContain('One GPU: the config does not say how many processes run.')
  })

  it('shows all of its GPUs to the one process of python, which divides each batch among them', async () => {
    const command = 'python sft.py --config sft.yaml\n'
    const config = await judged({ 'sft.slurm': slurm('--gres=gpu:l40s:4', command) })
    expect(config.spec.gpus).toBe(4)
    expect(config.assumptions.join(' ')).toContain('One process sees 4 GPUs (--gres, sft.slurm, line 3)')
    expect(config.assumed).toContain('code')
  })

  it('whose command sets everything is judged on its own GPU', async () => {
    const command =
      'accelerate launch sft.py --model_name_or_path Qwen/Qwen2.5-0.5B --per_device_train_batch_size 8 --max_length 512 --bf16 true --learning_rate 1e-5\n'
    const config = await judged({}, {}, 'sft.slurm', slurm('--gres=gpu:l40s:4', command))
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4 } })
    expect(config.assumptions).toContain('The GPU is the NVIDIA L40S, from sft.slurm, line 3.')
  })
})

describe('a SkyPilot task that starts the config', () => {
  const task = (accelerators: string, command = start(), top = '') =>
    `name: sft\n${top}resources:\n  accelerators: ${accelerators}\nrun: |\n  cd repo\n  ${command}`

  it.each(['sky.yaml', 'jobs/sft.yml', 'skypilot-sft.yaml'])('says in %s on which GPU, and on how many', async path => {
    const config = await judged({ [path]: task('L40S:4') })
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4 } })
    expect(config.assumed).toBeUndefined()
    expect(config.assumptions).toContain(`The GPU is the NVIDIA L40S, from ${path}, line 3.`)
    expect(config.assumptions).toContain(`The number of GPUs is 4, as set in ${path}, line 3.`)
    expect(config.assumptions).toContain(`Started by accelerate launch in ${path}, line 6.`)
  })

  it('tells its commands how many GPUs and machines there are, and what its envs hold', async () => {
    const command =
      'torchrun --nnodes $SKYPILOT_NUM_NODES --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE sft.py --config sft.yaml --per_device_train_batch_size $BATCH\n'
    const config = await judged({ 'sky.yaml': task('L40S:4', command, 'num_nodes: 2\nenvs:\n  BATCH: 3\n') })
    expect(config.spec).toMatchObject({ gpus: 8, microBatch: 3 })
  })

  it('whose arguments are only known when it runs leaves the config as it is, and nothing blocks', async () => {
    const command = 'torchrun --nproc_per_node $N sft.py --config sft.yaml --per_device_train_batch_size $BATCH\n'
    const config = await judged({ 'sky.yaml': task('L40S:4', command, 'envs:\n  BATCH:\n') })
    expect(config.spec).toMatchObject({ gpus: 1, microBatch: 8 })
    expect(config.assumed).toContain('code')
    expect(config.assumptions.join(' ')).toContain('--per_device_train_batch_size are only known when it runs')
  })

  it('is not looked for in YAML that does not sound like a job, nor taken where it starts another config', async () => {
    const config = await judged({ 'b.yaml': task('L40S:4'), 'sky.yaml': task('T4:1', start('other.yaml # sft.yaml')) })
    expect(config).toMatchObject({ gpu: { id: 'a10' }, assumed: ['gpu', 'gpus'] })
  })

  it('differs from a Slurm job: none is chosen', async () => {
    const config = await judged({ 'sky.yaml': task('L40S:1'), 'a.slurm': slurm('--gres=gpu:t4:1') })
    expect(config).toMatchObject({ gpu: { id: 'a10' }, assumed: ['gpu'] })
    expect(config.assumptions.join(' ')).toContain('NVIDIA T4 in a.slurm, line 3; NVIDIA L40S in sky.yaml, line 3')
  })

  it('is one of those looked through, which are few and said', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`job-${String(index).padStart(2, '0')}.yaml`, task('L40S:1')]),
    )
    const config = await judged(others)
    expect(config.assumptions).toContain('Of 12 job files near it, 10 were looked through for those that start it.')
  })
})

describe('a job that starts a launcher of the config', () => {
  const run = 'torchrun --nproc_per_node 2 sft.py --config sft.yaml\n'

  it.each([
    ['job.slurm', slurm('--gres=gpu:l40s:2', 'srun bash scripts/run.sh\n')],
    ['job.slurm', slurm('--gres=gpu:l40s:2', './scripts/run.sh --fast\n')],
    ['jobs/job.slurm', slurm('--gres=gpu:l40s:2', 'RUN=scripts/run.sh\nsh "$RUN"\n')],
    ['sky.yaml', 'name: sft\nresources:\n  accelerators: L40S:2\nrun: bash scripts/run.sh\n'],
  ])('says in %s on which GPU', async (path, text) => {
    const config = await judged({ 'scripts/run.sh': run, [path]: text })
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 2 } })
    expect(config.assumptions).toContain(`The GPU is the NVIDIA L40S, from ${path}, line 3.`)
    expect(config.otherFiles?.map(each => each.path)).toEqual(['scripts/run.sh', path])
  })

  it('is not one that starts another, or only mentions it', async () => {
    for (const command of ['bash scripts/other-run.sh\n', 'echo scripts/run.sh\n', '# bash scripts/run.sh\n']) {
      const config = await judged({ 'scripts/run.sh': run, 'job.slurm': slurm('--gres=gpu:l40s:2', command) })
      expect(config).toMatchObject({ gpu: { id: 'a10' }, assumed: ['gpu'] })
    }
  })
})

describe('a job that starts a script', () => {
  const script = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
args = parser.parse_args()
block_size = 1024
model = AutoModelForCausalLM.from_pretrained("gpt2")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.batch_size, bf16=True)).train()
`
  const command = 'accelerate launch train.py --batch-size 24\n'
  const job = slurm('--gres=gpu:l40s:4', command)
  const task = (given: string, envs: string) =>
    `envs:\n${envs}resources:\n  accelerators: L40S:4\nrun: |\n  accelerate launch train.py --batch-size ${given}\n`

  it('gives it its GPU, how many, and its arguments', async () => {
    const config = await judged({ 'job.slurm': job }, {}, 'train.py', script)
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4, microBatch: 24 } })
    expect(config.assumed).toBeUndefined()
  })

  it('is judged on them itself, where it passes the batch size', async () => {
    const config = await judged({ 'train.py': script }, {}, 'job.slurm', job)
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4, microBatch: 24 } })
    expect(config.assumed).toBeUndefined()
  })

  it.each([
    ['job.slurm', {}],
    ['run.sh', { 'job.slurm': slurm('--gres=gpu:l40s:4', 'srun bash run.sh\n') }],
  ])('and changes together with it, is one verdict, in %s', async (path, jobs) => {
    const pair: Record<string, string> = { 'train.py': script, [path]: path === 'run.sh' ? command : job }
    const files: Record<string, string> = { ...pair, ...jobs }
    const changed = Object.entries(pair).map(([each, text]) => ({ path: each, text }))
    const sources = { readFile: async (name: string) => files[name], listFolder: async () => Object.keys(files) }
    const { configs } = await analyze(changed, { now: new Date('2026-03-01'), sources })
    expect(configs).toMatchObject([{ path, gpu: { id: 'l40s' } }])
  })

  it('may pass what the envs of a task hold', async () => {
    const config = await judged({ 'sky.yaml': task('$BATCH', '  BATCH: 24\n') }, {}, 'train.py', script)
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4, microBatch: 24 } })
    expect(config.assumed).toBeUndefined()
  })

  it('and passes what is only known when it runs, leaves the default, and nothing blocks', async () => {
    const config = await judged({ 'sky.yaml': task('$BATCH', '  BATCH:\n') }, {}, 'train.py', script)
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 4, microBatch: 8 } })
    expect(config.assumed).toContain('code')
    expect(config.assumptions.join(' ')).toContain('--batch-size are only known when it runs')
  })

  it('of Slurm does so too: its variables are given by the command that submits it', async () => {
    const job = slurm('--gres=gpu:l40s:1', 'python train.py --batch-size $BATCH\n')
    const config = await judged({ 'sft.slurm': job }, {}, 'train.py', script)
    expect(config).toMatchObject({ gpu: { id: 'l40s' }, spec: { gpus: 1, microBatch: 8 } })
    expect(config.assumptions.join(' ')).toContain('--batch-size are only known when it runs')
  })
})

describe('a function that Modal runs', () => {
  const trained = (gpu: string, before = 'import modal\napp = modal.App()\n') => `${before}
def train():
    from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    Trainer(model, TrainingArguments("out", per_device_train_batch_size=4)).train()

@app.function(gpu=${gpu}, timeout=3600)
def remote():
    train()
`
  const on = (gpu: string, before?: string) => judged({}, {}, 'train.py', trained(gpu, before))

  it('says on which GPU, with the line', async () => {
    const config = await on('"L40S:2"')
    expect(config.gpu.id).toBe('l40s')
    expect(config.assumptions).toContain('The GPU is the NVIDIA L40S, from train.py, line 9.')
  })

  it('may leave it open, which is said', async () => {
    expect((await on('"A100"')).askedGpu).toContain('train.py, line 9, asks for A100')
    expect((await on('["H200", "L4"]')).askedGpu).toContain('of which any may be given')
  })

  it('is no function of another library that has a gpu', async () => {
    expect((await on('"L40S"', 'import other\napp = other.App()\n')).assumed).toContain('gpu')
  })
})
