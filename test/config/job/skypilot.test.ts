/** What a SkyPilot task asks for, and the commands that it runs. */
import { describe, expect, it, test } from 'vitest'
import { skyPilotCommands, skyPilotRequest } from '../../../engine/config/job/skypilot.ts'

const run = 'run: |\n  accelerate launch sft.py --config sft.yaml\n'
const request = (resources: string, rest = run) =>
  skyPilotRequest({ path: 'sky.yaml', text: `name: sft\nresources:\n  ${resources}\n${rest}` })

describe('the card', () => {
  test.each([
    ['accelerators: L40S:4', 'l40s', 4],
    ['accelerators: L40S', 'l40s', 1],
    ['accelerators: "A100-80GB:8"', 'a100-80gb', 8],
    ['accelerators: {A10G: 4}', 'a10', 4],
    ['accelerators: [L4:2]', 'l4', 2],
    ['accelerators: RTX4090:1', 'rtx-4090', 1],
    ['accelerators: T4:0.5', 't4', undefined],
    ['any_of: [{ infra: aws, accelerators: L4:8 }, { infra: gcp, accelerators: L4:8 }]', 'l4', 8],
    ['any_of: [{ infra: aws, accelerators: L4:8 }, { infra: gcp, accelerators: L4:4 }]', 'l4', undefined],
  ])('of %s', (resources, id, count) => {
    const asked = request(resources)
    expect(asked?.card).toMatchObject({ kind: 'card', gpu: { id }, path: 'sky.yaml', line: 3 })
    expect(asked?.gpusPerNode?.count).toBe(count)
  })

  it.each([
    ['accelerators: A100:8', 'sky.yaml, line 3, asks for A100, which is the A100 with 40 GB'],
    ['accelerators: H100:8', 'the H100 SXM (gpu: h100), the H100 PCIe'],
    ['accelerators: tpu-v5p-8', 'asks for tpu-v5p-8, which is no card of the catalogue'],
    ['accelerators: {L4: 1, T4: 1}', 'asks for L4, T4, of which any may be given'],
    ['accelerators: [L4:1, T4:1]', 'asks for L4, T4, of which any may be given'],
    ['any_of: [{ accelerators: L4:8 }, { accelerators: A10:8 }]', 'asks for L4, A10, of which any may be given'],
  ])('of %s is not chosen, and people are asked for it', (resources, why) => {
    expect(request(resources)?.card).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) })
  })

  it('is not read of what is no single task', () => {
    const task = `resources:\n  accelerators: L4:1\n${run}`
    for (const text of [`${task}---\n${task}`, `resources: [\n${run}accelerators:`, `resources:\n  cpus: 4\n${run}`])
      expect(skyPilotRequest({ path: 'sky.yaml', text })?.card).toBeUndefined()
  })
})

it('has one machine unless it says otherwise', () => {
  expect(request('accelerators: L4:1')?.isOneMachine).toBe(true)
  expect(request('accelerators: L4:1', `num_nodes: 2\n${run}`)?.isOneMachine).toBe(false)
  expect(request('accelerators: L4:1', `num_nodes: $N\n${run}`)?.isOneMachine).toBe(false)
})

describe('the commands', () => {
  test.each([
    ['run: |\n  a\n  b\n\n  c\nsetup: |\n  d\n', '      \n  a\n  b\n\n  c\n        \n   \n'],
    ['setup: x\nrun: |-  # here\n  a\n', '        \n               \n  a\n'],
    ['run: |\r\n  a\r\n', '       \n  a\r\n'],
    ['run: torchrun a.py\nname: b\n', '     torchrun a.py\n       \n'],
    ['run: >\n  a\n  b\n', '      \n   \n   \n'],
    ['run: "a"\n', '        \n'],
    ['a:\n  run: |\n    b\n', '  \n        \n     \n'],
  ])('of %j stand where they stood', (text, commands) => {
    expect(skyPilotCommands(text)).toBe(commands)
  })
})

it('takes hostile files for what they are', () => {
  for (const text of [
    `run: |\nresources:\n  accelerators: ${'['.repeat(100_000)}python`,
    `resources: &a\n  accelerators: [${'*a, '.repeat(1_000)}]\nrun: python\n`,
    `run:${' '.repeat(300_000)}python\nresources:\n  accelerators: L4\n`,
    `${'a\n'.repeat(50_000)}run: python\nresources:\n  accelerators: L4\n`,
  ]) {
    expect(() => skyPilotRequest({ path: 'sky.yaml', text })).not.toThrow()
    expect(skyPilotCommands(text)).toHaveLength(text.length)
  }
})
