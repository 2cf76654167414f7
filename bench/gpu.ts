/**
 * On a machine with a CUDA device, in parts that each end within eight minutes:
 *   --part facts    the machine, with and without the limit; each precision once; out of memory and restart; attention kernels
 *   --part cells    estimates and traces against measured peaks
 *   --part sweeps   our search for the largest batch, and every size around its answer
 *   --part curves   throughput against batch size
 * Every item is a JSON line in `--out` (default memorymark-gpu.jsonl) as soon as it has run, and a part that is run again goes on
 * where it stopped. `--cap-gib 22.1` plays an A10 on a larger card. `--rehearse` runs the same over tiny models.
 * MEMORYMARK_PYTHON names the interpreter with a CUDA build of torch (default python3).
 * Exit codes: 0 all done and within the limits, 1 not within them or failed, 3 no CUDA device, 4 run it again to go on.
 */
import { parseArgs } from 'node:util'
import { GIB } from '../engine/base/units.ts'
import { describeMachine } from '../engine/probes/device.ts'
import { type PartName, partNames, parts } from './gpu/parts.ts'
import { type Plan, rehearsal, wholePlan } from './gpu/plan.ts'
import { Record } from './gpu/record.ts'
import { holds, summary } from './gpu/results.ts'
import { ITEM_MILLIS, Rig } from './gpu/rig.ts'

const DEFAULT_MINUTES = 8
const EXIT = { holds: 0, fallsShort: 1, noGpu: 3, unfinished: 4 }

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    out: { type: 'string', default: 'memorymark-gpu.jsonl' },
    'cap-gib': { type: 'string' },
    minutes: { type: 'string', default: `${DEFAULT_MINUTES}` },
    rehearse: { type: 'boolean', default: false },
  },
})

const python = process.env.MEMORYMARK_PYTHON ?? 'python3'
process.exitCode = await main()

async function main(): Promise<number> {
  const named = partNames.filter(name => values.part === undefined || values.part.includes(name))
  const unknown = values.part?.find(part => !partNames.some(name => name === part))
  if (unknown !== undefined) throw new Error(`--part ${unknown}: there are ${partNames.join(', ')}`)
  const machine = await describeMachine(python)
  if (machine.kind !== 'python' || machine.device.kind !== 'cuda') {
    console.log(`bench:gpu has not run: PyTorch sees no CUDA device here. ${JSON.stringify(machine)}`)
    return EXIT.noGpu
  }
  const budgetMillis = Number(values.minutes) * 60_000
  const plan = values.rehearse ? rehearsal() : wholePlan()
  const record = await Record.open(values.out)
  const signal = AbortSignal.timeout(budgetMillis - ITEM_MILLIS / 2)
  await using rig = new Rig({
    python,
    signal,
    limitMemoryBytes: values['cap-gib'] === undefined ? undefined : Math.floor(Number(values['cap-gib']) * GIB),
  })
  // An item takes two trials at most before it asks the signal.
  const lastStart = performance.now() + budgetMillis - 2 * ITEM_MILLIS
  let left = 0
  for (const part of named) left += await run(part, plan, rig, record, lastStart)
  for (const line of summary(record)) console.log(line)
  if (left > 0) {
    console.log(`${left} items are left: run it again to go on`)
    return EXIT.unfinished
  }
  console.log(`${machine.device.name}: ${named.join(', ')}: ${holds(record) ? 'holds' : 'falls short'}; ${values.out}`)
  return holds(record) ? EXIT.holds : EXIT.fallsShort
}

/** How many items there was no time for. An item that fails leaves its error, and the next one runs. */
async function run(part: PartName, plan: Plan, rig: Rig, record: Record, lastStart: number): Promise<number> {
  const items = (await parts[part](rig, plan)).filter(({ id }) => !record.isDone(part, id))
  for (const [index, item] of items.entries()) {
    if (performance.now() > lastStart) return items.length - index
    const started = performance.now()
    try {
      await record.add({ kind: 'done', part, item: item.id, result: await item.run() })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      await record.add({ kind: 'failed', part, item: item.id, why: why.slice(0, 2_000) })
    }
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    console.log(`${part}: ${item.id}: ${record.isDone(part, item.id) ? 'done' : 'failed'} in ${seconds} s`)
  }
  return 0
}
