/** Runs many pull requests at once, each with its story. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SETTINGS_PATH } from '../../engine/index.ts'
import { trainingConfig } from '../../test/bot/configs.ts'
import { type EmulatedGitHub, otherOwner, type Repository } from '../../test/github/index.ts'
import type { SeededRandom } from '../../test/github/random.ts'
import { hostileSettings, hostileStories } from './hostile.ts'
import { type Told, trainedOn } from './judgement.ts'
import type { ChaosOptions } from './options.ts'
import { stories } from './stories.ts'

const REPOSITORIES = 4
/** Stories that run at the same time. */
const AT_ONCE = 6
const MAX_MOMENT_MILLIS = 3_000

export interface Place {
  readonly repository: Repository
  readonly existing: string
}

export interface Places {
  readonly all: readonly [Place, ...Place[]]
  /** The repository for stories about hostile settings. */
  readonly hostile: ReadonlyMap<string, Place>
}

/** The last one belongs to another account with its own installation. */
export async function createRepositories(github: EmulatedGitHub): Promise<Places> {
  const existing = 'configs/existing.yaml'
  const create = async (
    index: number,
    settings: Readonly<Record<string, string>> = { [SETTINGS_PATH]: `gpu: ${trainedOn.id}\n` },
  ): Promise<Place> => {
    const options = index === REPOSITORIES - 1 ? { owner: otherOwner } : {}
    const files = { [existing]: trainingConfig(64), ...settings }
    const repository = await github.createRepository(`models-${index}`, files, options)
    await repository.fork()
    return { repository, existing }
  }
  const others: Place[] = []
  for (let index = 1; index < REPOSITORIES; index += 1) others.push(await create(index))
  const hostile = new Map<string, Place>()
  for (const [story, text] of hostileSettings) {
    hostile.set(story, await create(REPOSITORIES + hostile.size, { [SETTINGS_PATH]: text }))
  }
  return { all: [await create(0), ...others], hostile }
}

export async function tellAll(
  { pulls, hostile }: Pick<ChaosOptions, 'pulls' | 'hostile'>,
  places: Places,
  random: SeededRandom,
): Promise<readonly Told[]> {
  const [first = '', ...rest] = Object.keys(stories)
  const attacks = Object.keys(hostileStories)
  const planned = Array.from({ length: pulls + hostile }, (_, index) => {
    const place = random.pick(places.all)
    // Every story runs once, further ones at random; attacks in turn.
    const story =
      index < pulls
        ? ([first, ...rest][index] ?? random.pick([first, ...rest]))
        : (attacks[(index - pulls) % attacks.length] ?? first)
    return { index, place: places.hostile.get(story) ?? place, story }
  })
  const told: Told[] = []
  const waiting = random.shuffled(planned)
  const teller = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      told.push(await tell(next, random))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, teller))
  return told
}

async function tell(
  { index, place, story }: { readonly index: number; readonly place: Place; readonly story: string },
  random: SeededRandom,
): Promise<Told> {
  const moments = (stories[story] ?? hostileStories[story])?.({ ...place, path: `configs/change-${index}.yaml` })
  if (moments === undefined) throw new Error(`There is no story "${story}"`)
  for (;;) {
    const { done, value } = await moments.next()
    if (done) return { ...value, story, repository: place.repository }
    await sleep(random.integer(MAX_MOMENT_MILLIS))
  }
}
