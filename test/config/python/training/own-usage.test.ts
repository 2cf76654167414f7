/** A command in the script's own text that starts it on several GPUs: one GPU is not a fact then. */
import { describe, expect, test } from 'vitest'
import { finetuning, read } from '../scripts.ts'

const documented = (usage: string) =>
  `"""Trains.\n\nUsage:\n    ${usage}\n"""\n${finetuning('', 'per_device_train_batch_size=4')}`

async function trained(text: string, path = 'legacy/train.py') {
  const reading = await read(text, path)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

describe('a script whose text starts it', () => {
  test.each([
    'accelerate launch --config_file zero2.yaml \\\n        scripts/train.py',
    'torchrun --nproc_per_node=8 train.py --epochs 3',
    'deepspeed train.py',
    'python -m torch.distributed.launch --nproc_per_node 2 train.py',
    'accelerate launch --multi_gpu train.py',
  ])('on several GPUs is not taken for one on one: %s', async usage => {
    const { assumptions, assumesCode } = await trained(documented(usage))
    expect(assumesCode).toBe(true)
    expect(assumptions.join('\n')).toContain('Its own text starts it by')
    expect(assumptions.join('\n')).toContain('(line 4)')
  })

  test.each([
    'python train.py',
    'torchrun --nproc_per_node=1 train.py',
    'accelerate launch train.py',
    'accelerate launch --config_file zero2.yaml other_train.py',
  ])('otherwise is: %s', async usage => {
    const { assumptions, assumesCode } = await trained(documented(usage))
    expect(assumesCode).toBeUndefined()
    expect(assumptions.join('\n')).not.toContain('Its own text')
  })
})
