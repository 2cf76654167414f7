/** `memorymark timeline` as people and scripts call it. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { stepPhases } from '../../engine/estimate/step/step.ts'
import { byteKinds } from '../../engine/estimate/tape/storage.ts'
import { hostilePickles } from '../snapshot/hostile-pickles.ts'
import { printedOfAnyEstimate } from './printed.ts'
import { run, Workspace } from './run-cli.ts'

/** What `--json` prints: these keys and no others. */
const summary = z.strictObject({
  ...printedOfAnyEstimate,
  provenance: z.literal('estimated'),
  points: z.array(
    z.strictObject({
      phase: z.enum(stepPhases),
      moment: z.string(),
      bytes: z.number(),
      breakdown: z.record(z.enum(byteKinds), z.number()),
    }),
  ),
})

const trainer = 'model_name_or_path: gpt2\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 4\nbf16: true\n'

describe.concurrent('timeline', () => {
  test('--json has the points of a step whose highest is what estimate says', async () => {
    const flags = ['bert', '--gpu', 'l4', '--batch-size', '32', '--json']
    const [timeline, estimate] = await Promise.all([run('timeline', ...flags), run('estimate', ...flags)])
    expect(timeline.stderr).toBe('')
    const { points, peakBytes, batchSize, gpu, peakMoment } = summary.parse(JSON.parse(timeline.stdout))
    expect(Math.max(...points.map(({ bytes }) => bytes))).toBe(peakBytes)
    expect({ peakBytes, peakMoment }).toEqual(
      z.object({ peakBytes: z.number(), peakMoment: z.string() }).parse(JSON.parse(estimate.stdout)),
    )
    expect([gpu.id, batchSize]).toEqual(['l4', 32])
  })

  test('draws a config’s step in 60 columns, its phases below, and says that it is estimated', async () => {
    await using workspace = await Workspace.with({ 'train.yaml': trainer })
    const { stdout, stderr, exitCode } = await workspace.run('timeline', 'train.yaml')
    expect([stderr, exitCode]).toEqual(['', 0])
    const rows = stdout.split('\n').filter(line => line.includes('│'))
    expect(rows.length).toBe(14)
    expect(rows.at(-1)).toMatch(/^ +0 │W{60}$/)
    expect(stdout).toMatch(/^ +\|forward +\|backward +\|forward +\|backward +\|optimizer$/m)
    expect(stdout).toMatch(/^train\.yaml on NVIDIA A10: one step at micro-batch 4; memory estimated, /)
    expect(stdout).toContain('The second forward and backward stand for all that run beside gradients of earlier ones.')
  })

  test('--out writes a pickle of protocol 2, which says that it is estimated', async () => {
    await using workspace = await Workspace.with({})
    const { stdout } = await workspace.run('timeline', 'resnet', '--out', 'step.pickle')
    expect(stdout).toContain('Wrote step.pickle')
    const file = await readFile(path.join(workspace.folder, 'step.pickle'))
    expect([...file.subarray(0, 2), file.at(-1)]).toEqual([0x80, 2, 0x2e])
    expect(file.includes('device_traces')).toBe(true)
    expect(file.includes('estimated by MemoryMark')).toBe(true)
  })

  test('says which file cannot be written', async () => {
    const { stderr, exitCode } = await run('timeline', 'resnet', '--out', 'missing/step.pickle')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('missing/step.pickle cannot be written (ENOENT)')
  })
})

describe.concurrent('timeline --snapshot', () => {
  test('sets the estimate beside a snapshot: of one that MemoryMark wrote, both are the same', async () => {
    await using workspace = await Workspace.with({})
    await workspace.run('timeline', 'resnet', '--out', 'step.pickle')
    const page = await workspace.run('timeline', 'resnet', '--snapshot', 'step.pickle')
    expect([page.stderr, page.exitCode]).toEqual(['', 0])
    expect(page.stdout).toMatch(/^step\.pickle: [\d,]+ events on cuda:0; memory estimated$/m)
    expect(page.stdout).toContain('MemoryMark wrote this snapshot: it is an estimate, and nothing in it was measured.')
    expect(page.stdout).toContain('The estimate explains every part of it, to a hundredth of the peak.')
    const json = await workspace.run('timeline', 'resnet', '--snapshot', 'step.pickle', '--json')
    const read = z
      .object({
        peakBytes: z.number(),
        snapshot: z.object({ peakBytes: z.number(), provenance: z.string(), unexplained: z.array(z.unknown()) }),
      })
      .parse(JSON.parse(json.stdout))
    expect(read.snapshot).toEqual({ peakBytes: read.peakBytes, provenance: 'estimated', unexplained: [] })
  })

  test('runs nothing of a pickle that would run code, and says so', async () => {
    await using workspace = await Workspace.with({ 'run.pickle': '' })
    const harm = hostilePickles.find(({ name }) => name === 'os.system by STACK_GLOBAL')
    await writeFile(path.join(workspace.folder, 'run.pickle'), harm?.bytes ?? '')
    const { stdout, stderr, exitCode } = await workspace.run('timeline', 'resnet', '--snapshot', 'run.pickle')
    expect([stdout, exitCode]).toEqual(['', 2])
    expect(stderr).toBe(
      'run.pickle: this is not a memory snapshot that can be read: at byte 14 it has the opcode STACK_GLOBAL, by which a pickle runs code when Python loads it; nothing of it was run. Name a file that torch.cuda.memory._dump_snapshot("snapshot.pickle") wrote.\n',
    )
  })

  test.each([
    ['missing.pickle', 'there is no such file'],
    ['.', 'it is not a file'],
  ])('says what is wrong with %s', async (name, why) => {
    const { stderr, exitCode } = await run('timeline', 'resnet', '--snapshot', name)
    expect([stderr, exitCode]).toEqual([
      `${name}: ${why}. Check the path; it is relative to the working directory.\n`,
      2,
    ])
  })
})
