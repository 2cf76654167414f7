/** Snapshots of PyTorch with bytes changed, and those that are meant to do harm: each is read or refused, and none takes long. */
import { MemoryMarkError } from '../../engine/base/errors.ts'
import { pickle } from '../../engine/render/pickle.ts'
import { summarize } from '../../engine/snapshot/summary.ts'
import { hostilePickles } from '../../test/snapshot/hostile-pickles.ts'

export interface PickleReport {
  readonly tried: number
  readonly slowestMillis: number
  readonly faults: readonly string[]
}

export function tryPickles(count: number, seed: number): PickleReport {
  const random = randomFrom(seed)
  const mutated = Array.from({ length: count }, (_, index) => ({
    name: `mutated snapshot ${index} of seed ${seed}`,
    bytes: () => mutate(random),
  }))
  const hostile = hostilePickles.map(({ name, bytes }) => ({ name, bytes: () => bytes }))
  const faults: string[] = []
  let slowestMillis = 0
  for (const { name, bytes } of [...hostile, ...mutated]) {
    const made = bytes()
    const begun = process.threadCpuUsage()
    try {
      summarize(made, 'run.pickle')
    } catch (error) {
      if (!(error instanceof MemoryMarkError))
        faults.push(`${name}: ${String(error)}\n${Buffer.from(made).toString('hex')}`)
    }
    const { user, system } = process.threadCpuUsage(begun)
    slowestMillis = Math.max(slowestMillis, (user + system) / 1_000)
  }
  return { tried: hostile.length + mutated.length, slowestMillis, faults }
}

const stack = [{ filename: '/home/me/train.py', line: 1, name: 'main' }]
const event = (action: string, addr: number) => ({ action, addr, size: 1_024, stream: 0, frames: stack })
const sound = pickle({
  segments: [
    { device: 0, address: 0, total_size: 4_096, blocks: [{ size: 4_096, state: 'active_allocated', frames: stack }] },
  ],
  device_traces: [
    [event('segment_alloc', 0), event('alloc', 512), event('free_requested', 512), event('free_completed', 512)],
  ],
})

/** One to four bytes changed, left out or put in. */
function mutate(random: (below: number) => number): Uint8Array {
  const bytes = [...sound]
  for (let change = random(4); change >= 0; change--) {
    const at = random(bytes.length)
    const kept = random(3) === 0 ? 0 : 1
    bytes.splice(at, kept, ...(random(4) === 0 ? [] : [random(256)]))
  }
  return Uint8Array.from(bytes)
}

/** Mulberry32, by which a seed gives the same snapshots again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
