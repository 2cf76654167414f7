/** Waits until everything is right after the disturbances. */
import { setTimeout as sleep } from 'node:timers/promises'
import { faultsOf, type Told } from './judgement.ts'
import type { Replica } from './replica.ts'

const LOOK_AGAIN_MILLIS = 2_000
const TELL_MILLIS = 60_000
const MAX_TOLD = 5

/** What is still wrong; empty once nothing is, else after the time limit. */
export async function settle(
  told: readonly Told[],
  replicas: readonly Replica[],
  settleSeconds: number,
): Promise<readonly string[]> {
  const deadline = performance.now() + settleSeconds * 1000
  let open = told
  let toldAt = performance.now()
  for (;;) {
    const faults = await Promise.all(open.map(async one => ({ one, faults: await faultsOf(one) })))
    const wrong = faults.filter(({ faults }) => faults.length > 0)
    open = wrong.map(({ one }) => one)
    const lines = wrong.map(
      ({ one, faults }) => `${one.repository.fullName}#${one.pullRequest.number}, ${one.story}: ${faults.join('; ')}`,
    )
    if (open.length === 0 || performance.now() > deadline) return lines
    if (performance.now() - toldAt > TELL_MILLIS) {
      process.stderr.write(`${lines.length} are not right yet:\n${lines.slice(0, MAX_TOLD).join('\n')}\n`)
      toldAt = performance.now()
    }
    for (const replica of replicas) await replica.restartIfDead()
    await sleep(LOOK_AGAIN_MILLIS)
  }
}
