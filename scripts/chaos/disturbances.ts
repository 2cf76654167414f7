/** Kills at random moments, and crashes of the database among them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../test/github/random.ts'
import type { PostgresCluster } from './cluster.ts'
import type { Replica } from './replica.ts'

/** A process takes about a second to start; kills come before, while and after it works. */
const MAX_PAUSE_MILLIS = 3_000

export interface Disturbed {
  readonly replicas: readonly [Replica, ...Replica[]]
  readonly cluster: PostgresCluster
  readonly random: SeededRandom
}

export interface Disturbances {
  readonly kills: number
  readonly crashes: number
}

/** Resolves when the last replica that was killed answers again. */
export async function disturb({ replicas, cluster, random }: Disturbed, planned: Disturbances): Promise<void> {
  const crashesAfter = spread(planned.crashes, planned.kills)
  for (let kill = 0; kill < planned.kills; kill += 1) {
    if (crashesAfter.includes(kill)) await cluster.crash()
    await sleep(random.integer(MAX_PAUSE_MILLIS))
    await random.pick(replicas).killAndRestart()
    for (const replica of replicas) await replica.restartIfDead()
  }
  if (planned.kills === 0) for (let crash = 0; crash < planned.crashes; crash += 1) await cluster.crash()
}

/** After which of so many kills each crash comes: evenly between the first and the last. */
function spread(crashes: number, kills: number): readonly number[] {
  return Array.from({ length: crashes }, (_, index) => Math.floor(((index + 1) * kills) / (crashes + 1)))
}
