import { describe, expect, test } from 'vitest'
import { Workspace } from './run-cli.ts'

const config = `base_model: meta-llama/Llama-3.2-1B
micro_batch_size: 2
val_set_size: 0
optimizer: adamw_8bit
`

describe('memorymark explain', () => {
  test('prints the tool, why, and each setting with its line or its default', async () => {
    await using workspace = await Workspace.with({ 'train.yaml': config })
    const { stdout, exitCode } = await workspace.run('explain', 'train.yaml')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^train\.yaml\n {2}Axolotl, recognised by base_model beside micro_batch_size, val_set_size\n/,
    )
    expect(stdout).toMatch(/micro-batch +2 +line 2, column 19 \(micro_batch_size\)/)
    expect(stdout).toMatch(/optimizer +adamw-8bit +line 4, column 12 \(optimizer\)/)
    expect(stdout).toMatch(/sequence length +512 +Axolotl's default/)
  })

  test("tells which file DeepSpeed's settings are from, and where in it", async () => {
    await using workspace = await Workspace.with({
      'configs/train.yaml': `${config}deepspeed: ds.json\n`,
      'configs/ds.json': '{\n  "zero_optimization": {"stage": 3}\n}\n',
    })
    const { stdout } = await workspace.run('explain', 'configs/train.yaml')
    expect(stdout).toMatch(/sharding +zero3 +configs\/ds\.json, line 2, column 34 \(zero_optimization\.stage\)/)
    expect(stdout).toContain('assumed: ZeRO stage 3: read from "configs/ds.json".')
  })

  test('prints what cannot be known beside what is', async () => {
    await using workspace = await Workspace.with({ 'train.yaml': config.replace('2\n', `\${MICRO}\n`) })
    const { stdout, exitCode } = await workspace.run('explain', 'train.yaml')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('line 2: micro_batch_size: The value cannot be determined from the file')
    expect(stdout).toMatch(/optimizer +adamw-8bit/)
  })

  test('says why a file is none of ours', async () => {
    await using workspace = await Workspace.with({ 'values.yaml': 'replicaCount: 2\n' })
    const { stdout } = await workspace.run('explain', 'values.yaml')
    expect(stdout).toContain('values.yaml\n  Not a training config. It sets no batch size in a known format')
  })
})
