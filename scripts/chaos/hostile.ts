/** Pull requests that are meant to stop the bot. Each must come to one check that ends, and leave the honest ones alone. */
import { namedCases } from '../attack/named-cases.ts'
import { type Story, trainingConfig } from './stories.ts'

export const hostileStories: Readonly<Record<string, Story>> = Object.fromEntries(
  namedCases.map(input => [
    `hostile: ${input.name}`,
    async function* ({ repository, path }) {
      const files = input.kind === 'files' ? input.filesIn(path.replace(/\.yaml$/, '')) : { [path]: trainingConfig(8) }
      const pullRequest = await repository.openPullRequest({ fork: true, files })
      yield
      return { pullRequest, isHostile: true }
    } satisfies Story,
  ]),
)

/** What a story needs on the default branch, by its name; it is told in a repository of its own. */
export const hostileSettings: ReadonlyMap<string, string> = new Map(
  namedCases.flatMap(input => (input.kind === 'settings' ? [[`hostile: ${input.name}`, input.text] as const] : [])),
)
