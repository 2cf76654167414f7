/** What the `#SBATCH` lines of a batch script ask for. */
import { describe, expect, it, test } from 'vitest'
import { slurmRequest } from '../../../engine/config/job/slurm.ts'

const request = (...lines: string[]) => slurmRequest('job.slurm', `#!/bin/bash\n${lines.join('\n')}\n`)

describe('the card', () => {
  test.each([
    ['--gres=gpu:a40:4', 'a40'],
    ['--gres gpu:a40:4', 'a40'],
    ['--gres="gpu:a40:4"', 'a40'],
    ['--gres=nvme:1,gpu:a40', 'a40'],
    ['--gres=gpu:a40:4(S:0-1)', 'a40'],
    ['--nodes=1 --gres=gpu:a40:4 # four of them', 'a40'],
    ['--gres=gpu:h200:2                    # Number of GPUs (if needed)', 'h200'],
    ['--gpus=l40s:2', 'l40s'],
    ['-G l40s:2', 'l40s'],
    ['-Gl40s', 'l40s'],
    ['--gpus-per-node=a10:1', 'a10'],
    ['--gpus-per-task=t4:1', 't4'],
    ['--gres=gpu:nvidia_a100-sxm4-80gb:8', 'a100-80gb'],
    ['--gres=gpu:nvidia_a100_80gb_pcie:8', 'a100-80gb'],
    ['--gres=gpu:a100-40gb:1', 'a100-40gb'],
    ['--gres=gpu:tesla_v100-sxm2-32gb:1', 'v100-32gb'],
    ['--gres=gpu:nvidia_h100_80gb_hbm3:8', 'h100'],
    ['--gres=gpu:geforce_rtx_3090:1', 'rtx-3090'],
    ['--gres=gpu:rtx_a6000:1', 'a6000'],
    ['--constraint=l40s', 'l40s'],
    ['-C "a40&ib"', 'a40'],
    ['--constraint="a100&80gb" --gres=gpu:4', 'a100-80gb'],
    ['--gres=gpu:a100:4 -C gpu80g', 'a100-80gb'],
    ['--gres=gpu:v100:4 --constraint=v100-32g', undefined],
  ])('of %s', (line, id) => {
    const card = request(`#SBATCH -J job`, `#SBATCH ${line}`)?.card
    if (id === undefined) expect(card).toMatchObject({ kind: 'unclear' })
    else expect(card).toMatchObject({ kind: 'card', gpu: { id }, path: 'job.slurm', line: 3 })
  })

  it.each([
    ['--gres=gpu:a100:4', 'job.slurm, line 2, asks for a100, which is the A100 with 40 GB (gpu: a100-40gb) or'],
    ['--gres=gpu:h100:4', 'the H100 SXM (gpu: h100), the H100 PCIe (gpu: h100-pcie) or the H100 NVL'],
    ['--gres=gpu:h100_80gb:4', 'or the H100 NVL'],
    ['--constraint=v100', 'job.slurm, line 2, asks for v100, which is the V100 with 16 GB'],
    ['--gres=gpu:a100_3g.20gb:1', 'asks for a100_3g.20gb, which is no card of the catalogue'],
    ['--gpus=rtx_5000_ada:1', 'asks for rtx_5000_ada, which is no card of the catalogue'],
    ['--gres=gpu:rtx_2080_ti:1', 'asks for rtx_2080_ti, which is no card of the catalogue'],
    ['--gres=gpu:a40:1,gpu:l40s:1', 'asks for a40, l40s, of which any may be given'],
    ['--constraint=a40&l40s', 'asks for a40&l40s, of which any may be given'],
  ])('of %s is not chosen, and people are asked for it', (line, why) => {
    expect(request(`#SBATCH ${line}`)?.card).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) })
  })

  it.each([
    '--gres=gpu:4',
    '--gpus=4',
    '--constraint=a40|l40s',
    '--constraint=[a40*2&l40s]',
    '--constraint=intel&ib',
    '--constraint=ntasks-per-node=6',
    '--constraint=[ivb|hsw]',
    '--partition=a40',
    '--gres=$GRES',
    '-J a40',
  ])('is not said by %s', line => {
    expect(request(`#SBATCH ${line}`)?.card).toBeUndefined()
  })

  it('is the one of the last of two options', () => {
    expect(request('#SBATCH --gres=gpu:t4:1', '#SBATCH --gres=gpu:a40:1')?.card).toMatchObject({
      gpu: { id: 'a40' },
      line: 3,
    })
  })

  it('is not read where the option is no comment of Slurm, comes after a command, or is of a part of a job', () => {
    expect(request('##SBATCH --gres=gpu:a40:1')).toBeUndefined()
    expect(request('# SBATCH --gres=gpu:a40:1')).toBeUndefined()
    expect(request('set -e', '#SBATCH --gres=gpu:a40:1')).toBeUndefined()
    expect(request('#SBATCH --gres=gpu:a40:1', '#SBATCH hetjob', '#SBATCH --gres=gpu:t4:1')).toBeUndefined()
  })
})

describe('the number of GPUs of a machine', () => {
  test.each([
    ['--gres=gpu:4', 4],
    ['--gres=gpu:a40:4', 4],
    ['--gres=gpu:a40', 1],
    ['--gres=gpu', 1],
    ['--gpus-per-node=a40:8 --nodes=2', 8],
    ['--gres=gpu:2,VramPerGpu:24GB', 2],
    ['--gpus-per-node=4   # 1 for single gpu', 4],
    ['--gpus 1', 1],
    ['--gpus=4', 4],
    ['--gpus=4 -N 1', 4],
    ['--gpus=8 -N 2', undefined],
    ['--gpus=8 -N 1-2', undefined],
    ['--gpus-per-task=1', undefined],
    ['--gres=gpu:$N', undefined],
    ['--gres=gpu:0', undefined],
    ['--constraint=a40', undefined],
  ])('of %s', (line, count) => {
    expect(request(`#SBATCH ${line}`)?.gpusPerNode?.count).toBe(count)
  })
})

it('takes linear time for hostile files', () => {
  for (const text of [
    `#SBATCH ${'--gres='.repeat(100_000)}`,
    `#SBATCH ${'"'.repeat(300_001)}`,
    '#SBATCH --gres=gpu:a40:1\n'.repeat(20_000),
    `#SBATCH -C ${'a40&'.repeat(100_000)}a40`,
    `#SBATCH --gres=${'gpu:'.repeat(100_000)}`,
  ])
    expect(() => slurmRequest('job.slurm', text)).not.toThrow()
})
