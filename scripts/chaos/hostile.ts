/** Hostile pull requests. Each must get one check that ends, and must not affect the others. */

import { trainingConfig } from '../../test/bot/configs.ts'
import { namedCases } from '../attack/named-cases.ts'
import type { Story } from './stories.ts'

export const hostileStories: Readonly<Record<string, Story>> = Object.fromEntries(
  namedCases.map(input => [
    `hostile: ${input.name}`,
    async function* ({ repository, path }) {
      const files = input.filesIn?.(path.replace(/\.yaml$/, '')) ?? { [path]: trainingConfig(8) }
      const pullRequest = await repository.openPullRequest({ fork: true, files })
      yield
      return { pullRequest, isHostile: true }
    } satisfies Story,
  ]),
)

/** The files that a story needs on the default branch, by its name; it runs in its own repository. */
export const hostileSettings: ReadonlyMap<string, string> = new Map(
  namedCases.flatMap(input => (input.kind === 'settings' ? [[`hostile: ${input.name}`, input.text] as const] : [])),
)
