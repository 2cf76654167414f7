/** What a script shows itself, or is shown, of the machine's GPUs: none is the CPU, several are all used by the Trainer. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../../files.ts'
import { finetuning, problems, read, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size=4'
const script = finetuning('', batch)

function startedBy(command: string, files: Files = {}) {
  const all = { 'train.py': script, 'run.sh': `#!/bin/bash\n${command}\n`, ...files }
  return readConfigAsync({ path: 'train.py', text: script }, sourcesOf(all))
}

const loop = (above: string) => `import os
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification
${above}
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in DataLoader(data, batch_size=8, shuffle=True):
    model(**batch).loss.backward()
    optimizer.step()
`

describe('without a GPU', () => {
  it.each(['"-1"', '""', '" -1 "'])('a script trains on the CPU: %s', async value => {
    const text = finetuning(`import os\nos.environ["CUDA_VISIBLE_DEVICES"] = ${value}`, batch)
    expect(await problems(text)).toMatchObject([{ code: 'not-on-gpu', line: 3, field: 'CUDA_VISIBLE_DEVICES' }])
  })

  it('a loop of the script trains on the CPU', async () => {
    const hidden = loop('os.environ["CUDA_VISIBLE_DEVICES"] = "-1"')
    expect(await problems(hidden)).toMatchObject([{ code: 'not-on-gpu', line: 5 }])
    expect((await trained(loop(''))).spec.microBatch).toBe(8)
  })

  it.each([
    'CUDA_VISIBLE_DEVICES= python train.py',
    'CUDA_VISIBLE_DEVICES="" torchrun --nproc_per_node 2 train.py',
    'export CUDA_VISIBLE_DEVICES=-1\npython train.py',
    'accelerate launch --cpu train.py',
    'accelerate launch --config_file cpu.yaml train.py',
  ])('a launcher starts it on the CPU: %s', async command => {
    const reading = await startedBy(command, { 'cpu.yaml': 'num_processes: 2\nuse_cpu: true\n' })
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-on-gpu' }] })
  })

  it('is not said where only a run tells', async () => {
    const text = finetuning('import os\nif os.path.exists("x"):\n    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"', batch)
    expect(await read(text)).toMatchObject({ kind: 'training-config' })
  })
})

describe('with several GPUs and one process', () => {
  const several = finetuning('import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0,1"', batch)

  it('the Trainer uses all of them, and nothing blocks', async () => {
    const reading = await trained(several)
    expect(reading).toMatchObject({ spec: { gpus: 2, microBatch: 4 }, assumesCode: true })
    const told = reading.assumptions.join(' ')
    expect(told).toContain('One process sees 2 GPUs (CUDA_VISIBLE_DEVICES, train.py, line 3)')
    expect(told).toContain('The number of GPUs is 2, as set in')
  })

  it.each(['CUDA_VISIBLE_DEVICES=2,3 python train.py', 'export CUDA_VISIBLE_DEVICES=2,3\npython train.py'])(
    'the same where the command says so: %s',
    async command => {
      const reading = await startedBy(command)
      expect(reading).toMatchObject({ kind: 'training-config', spec: { gpus: 2 }, assumesCode: true })
    },
  )

  it('a launcher decides how many train', async () => {
    const reading = await startedBy('CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nproc_per_node 3 train.py')
    expect(reading).toMatchObject({ kind: 'training-config', spec: { gpus: 3 } })
    expect(reading).not.toMatchObject({ assumesCode: true })
  })

  it('a model whose layers are divided is one', async () => {
    const divided = several.replace('"gpt2")', '"gpt2", device_map="auto")')
    expect(await trained(divided)).toMatchObject({ spec: { gpus: 1 }, assumesCode: true, countsTooMuch: true })
  })

  it('a loop of the script uses one, as it is written', async () => {
    const reading = await trained(loop('os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"'))
    expect(reading.spec.gpus).toBe(1)
    expect(reading).not.toMatchObject({ assumesCode: true })
  })
})
