/** `npm run bench:gpu` rehearsed over a stand-in for CUDA: every part, its record, and going on where it stopped. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { rehearsal, wholePlan } from '../../bench/gpu/plan.ts'
import { Record } from '../../bench/gpu/record.ts'
import { CudaStandIn } from '../probes/cuda-stand-in.ts'
import { hasTorch, python } from '../probes/python.ts'

const script = path.join(import.meta.dirname, '../../bench/gpu.ts')
const entry = z.object({ kind: z.string(), part: z.string(), item: z.string() })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'memorymark-gpu-bench-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('the record', () => {
  test('goes on after a machine that was taken away in the middle of a line', async () => {
    const file = path.join(folder, 'cut.jsonl')
    const record = await Record.open(file)
    await record.add({ kind: 'done', part: 'cells', item: 'a', result: 1 })
    await appendFile(file, '{"kind":"done","part":"cells","item":"b","res')
    const again = await Record.open(file)
    expect([again.isDone('cells', 'a'), again.isDone('cells', 'b')]).toEqual([true, false])
    await again.add({ kind: 'done', part: 'cells', item: 'b', result: 2 })
    expect((await Record.open(file)).done('cells', z.number())).toEqual([1, 2])
  })

  test('keeps the error of an item, which is run again and then no failure any more', async () => {
    const record = await Record.open(path.join(folder, 'failed.jsonl'))
    await record.add({ kind: 'failed', part: 'cells', item: 'a', why: 'no reason' })
    expect([record.isDone('cells', 'a'), record.failed.length]).toEqual([false, 1])
    await record.add({ kind: 'done', part: 'cells', item: 'a', result: 1 })
    expect([record.isDone('cells', 'a'), record.failed.length]).toEqual([true, 0])
  })
})

test('the whole plan has 44 cells and ten curves, every item by a name of its own', () => {
  const { cells, curves, sweeps, precisions } = wholePlan()
  expect([cells.length, curves.length, sweeps.length, precisions.length]).toEqual([44, 10, 6, 5])
  for (const subjects of [cells, curves, sweeps, precisions]) {
    expect(new Set(subjects.map(({ name }) => name)).size).toBe(subjects.length)
  }
})

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  test('without a CUDA device it says so, and exits with 3', async () => {
    const { exitCode, log } = await run({}, ['--part', 'facts'])
    expect(exitCode).toBe(3)
    expect(log).toMatch(/PyTorch sees no CUDA device/)
  })

  test('every part runs over a card that plays a smaller one, within its limits, and a second run goes on where the first stopped', async () => {
    await using standIn = await CudaStandIn.install()
    const out = path.join(folder, 'rehearsed.jsonl')
    const options = ['--rehearse', '--cap-gib', '0.35', '--minutes', '30', '--out', out]
    const first = await run(standIn.env(), options)
    const lines = (await readFile(out, 'utf8')).trim().split('\n')
    const entries = lines.map(line => entry.parse(JSON.parse(line)))
    expect(entries.filter(({ kind }) => kind !== 'done')).toEqual([])
    expect(entries.filter(({ part }) => part === 'cells').map(({ item }) => item)).toEqual(
      rehearsal().cells.map(({ name }) => name),
    )
    expect(entries.filter(({ part }) => part === 'facts').map(({ item }) => item)).toEqual([
      'machine',
      'machine under the limit',
      'context before and after a trial',
      ...rehearsal().precisions.map(({ name }) => name),
      'out of memory, then a new process',
      'attention with TORCH_CUDNN_SDPA_DEPRIORITIZED=',
      'attention with TORCH_CUDNN_SDPA_DEPRIORITIZED=1',
    ])
    expect(first.log).toMatch(/1 of 1 sweeps agree.*\n.*points of throughput.*\n.*: holds;/)
    expect(first.exitCode).toBe(0)

    await writeFile(out, `${lines.slice(0, -1).join('\n')}\n{"kind":"done","part":"curves"`)
    const second = await run(standIn.env(), [...options, '--part', 'curves'])
    expect(second.log.match(/: done in/g)).toHaveLength(1)
    expect(second.exitCode).toBe(0)
  })

  test('a part whose time is over leaves the rest to the next run', async () => {
    await using standIn = await CudaStandIn.install()
    const { exitCode, log } = await run(standIn.env(), [
      ...['--rehearse', '--part', 'facts', '--minutes', '2', '--out', path.join(folder, 'short.jsonl')],
    ])
    expect(exitCode).toBe(4)
    expect(log).toMatch(/11 items are left/)
  })
})

async function run(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<{ exitCode: number | null; log: string }> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: { ...process.env, MEMORYMARK_PYTHON: python, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [log] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { exitCode: child.exitCode, log }
}
