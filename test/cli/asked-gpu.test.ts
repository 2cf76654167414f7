/** The commands that take one config use the GPU that its job asks for, as `check` does. */
import { describe, expect, test } from 'vitest'
import { Workspace } from './run-cli.ts'

const sft =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 2\nmax_length: 128\nlearning_rate: 1.0e-5\nbf16: true\n'
const job = (card: string) =>
  `#!/bin/bash\n#SBATCH -J sft\n#SBATCH --gres=gpu:${card}:1\naccelerate launch sft.py --config sft.yaml\n`
const inSettings = { '.github/memorymark.yml': 'gpu: a40\n' }
const ofJob = 'The GPU is the NVIDIA L40S, from job.slurm, line 3.'
const unclear = 'job.slurm, line 3, asks for a100, which is the A100 with 40 GB'

describe('a config that a job starts', () => {
  test('is estimated on the GPU of the job, unless a flag or the settings name one', async () => {
    const gpuIn = async (files: Readonly<Record<string, string>>, ...flags: string[]) => {
      await using workspace = await Workspace.with({ 'sft.yaml': sft, ...files })
      const { stdout } = await workspace.run('estimate', 'sft.yaml', '--json', ...flags)
      const { gpu, assumptions } = JSON.parse(stdout)
      return { id: gpu.id, said: assumptions.filter((sentence: string) => sentence.includes('job.slurm, line 3')) }
    }
    expect(await gpuIn({ 'job.slurm': job('l40s') })).toMatchObject({
      id: 'l40s',
      said: expect.arrayContaining([ofJob]),
    })
    expect((await gpuIn({ 'job.slurm': job('l40s') }, '--gpu', 't4')).id).toBe('t4')
    expect((await gpuIn({ 'job.slurm': job('l40s'), ...inSettings })).id).toBe('a40')
    const either = await gpuIn({ 'job.slurm': job('a100') })
    expect([either.id, either.said.join(' ')]).toEqual(['a10', expect.stringContaining(unclear)])
  })

  test('is explained with the line that names its GPU, unless the settings name one', async () => {
    const told = async (files: Readonly<Record<string, string>>) => {
      await using workspace = await Workspace.with({ 'sft.yaml': sft, ...files })
      return (await workspace.run('explain', 'sft.yaml')).stdout
    }
    expect(await told({ 'job.slurm': job('l40s') })).toContain(`  ${ofJob}\n`)
    expect(await told({ 'job.slurm': job('a100') })).toContain(unclear)
    expect(await told({ 'job.slurm': job('l40s'), ...inSettings })).not.toContain('The GPU is')
  })

  test('is swept by estimates on it', async () => {
    await using workspace = await Workspace.with({ 'sft.yaml': sft, 'job.slurm': job('l40s') })
    const { stdout } = await workspace.run('sweep', 'sft.yaml', '--engine', 'estimate', '--json')
    const [config] = JSON.parse(stdout).configs
    expect(config.gpu.id).toBe('l40s')
    expect(config.assumptions).toContain(ofJob)
  })
})
