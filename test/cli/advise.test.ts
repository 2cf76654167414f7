import { describe, expect, test } from 'vitest'
import { advisedLever } from '../../engine/report/advised-levers.ts'
import { Workspace } from './run-cli.ts'

const config = `model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 8
gradient_checkpointing: false
packing: false
loss_type: nll
`

describe('memorymark advise', () => {
  test('prints a row for each lever, and the lines of the best in full', async () => {
    await using workspace = await Workspace.with({ 'sft.yaml': config })
    const { stdout, exitCode } = await workspace.run('advise', 'sft.yaml', '--gpu', 'l4')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^sft\.yaml \(Hugging Face Trainer\) needs [\d.]+ of 21\.\d GiB of the NVIDIA L4 .*does not fit\./,
    )
    expect(stdout).toMatch(/\n\d +Micro-batch 8 → 2 +[\d.]+ \([\d.]+–[\d.]+\) GiB +fits +[\d.]+–[\d.]+× +unchanged\n/)
    expect(stdout).toContain('Fused loss (Liger): the loss is computed piece by piece')
    expect(stdout).toMatch(/\n {5}- per_device_train_batch_size: 8\n {5}\+ per_device_train_batch_size: 2\n/)
    expect(stdout).toMatch(/…and \d+ more: add --all\./)
  })

  test('says so where nothing is enough, and what to ask instead', async () => {
    const large = 'model_name_or_path: Qwen/Qwen2.5-72B\nper_device_train_batch_size: 4\nbf16: true\noutput_dir: out\n'
    await using workspace = await Workspace.with({ 'sft.yaml': large })
    const { stdout, exitCode } = await workspace.run('advise', 'sft.yaml', '--gpu', 'l4')
    expect(exitCode).toBe(0)
    expect(stdout).not.toMatch(/GiB +(?:may fit|fits) /)
    expect(stdout).toContain('nor was a combination of up to 4 found that does. memorymark plan sft.yaml finds')
  })

  test.each([
    ['beside another card', 512],
    ['alone', 8_192],
  ])('says which batch fits where no line of a loop helps, %s', async (_, size) => {
    const loop = `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForImageClassification

model = AutoModelForImageClassification.from_pretrained("microsoft/resnet-50").cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(dataset, batch_size=${size}):
    loss = model(images.cuda(), labels=labels.cuda()).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`
    await using workspace = await Workspace.with({ 'train.py': loop })
    const { stdout, exitCode } = await workspace.run('advise', 'train.py', '--gpu', 'l4')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/\n\nThe largest micro-batch that fits is \d+; no line that can be changed here/)
    expect(stdout).toContain('memorymark plan train.py finds')
  })

  test('prints one object for scripts, whose levers are as the report has them', async () => {
    await using workspace = await Workspace.with({ 'sft.yaml': config })
    const { stdout } = await workspace.run('advise', 'sft.yaml', '--gpu', 'l4', '--json')
    const [only] = JSON.parse(stdout).configs
    expect(only).toMatchObject({
      path: 'sft.yaml',
      model: 'Qwen/Qwen2.5-0.5B',
      current: { microBatch: 8, fits: false },
    })
    expect(only.levers.length).toBeGreaterThan(5)
    for (const lever of only.levers) expect(() => advisedLever.parse(lever)).not.toThrow()
  })

  test('a script that starts several trainings is advised for each', async () => {
    const one = (name: string, size: number) =>
      `${name} = SFTConfig(output_dir="${name}", per_device_train_batch_size=${size}, max_length=1024)\nSFTTrainer(model="Qwen/Qwen2.5-0.5B", args=${name}, train_dataset=data).train()\n`
    const text = `from trl import SFTConfig, SFTTrainer\n${one('first', 64)}${one('second', 32)}`
    await using workspace = await Workspace.with({ 'train.py': text })
    const { stdout } = await workspace.run('advise', 'train.py', '--gpu', 'l4', '--json')
    const { configs } = JSON.parse(stdout)
    expect(configs).toHaveLength(2)
    for (const { levers } of configs) expect(levers[0].lines.length).toBeGreaterThan(0)
  })

  test('asks for one config, and says what is wrong with it', async () => {
    await using workspace = await Workspace.with({ 'values.yaml': 'replicaCount: 2\n' })
    const none = await workspace.run('advise')
    expect(none).toMatchObject({ exitCode: 2 })
    expect(none.stderr).toContain('advise takes one config file')
    const other = await workspace.run('advise', 'values.yaml')
    expect(other).toMatchObject({ exitCode: 2 })
    expect(other.stderr).toContain('this is not a training config')
  })
})
