/** A pull request with one wasteful config, beside the bot, and what the bot says there. */

import { type CommentJson, memoryMarkApp, owner, type PullRequest } from '../../github/index.ts'
import type { BotBesideGitHub } from '../bot-beside-github.ts'
import { trainingConfig } from '../configs.ts'

export const configPath = 'configs/bert.yaml'

let repositories = 0

/** In a repository of its own. The bot calls a config below a micro-batch of 64 wasteful. */
export async function wastefulPull(beside: BotBesideGitHub, { fork = false } = {}) {
  repositories += 1
  const name = `models-${repositories}`
  const repository = await beside.github.createRepository(name, { [configPath]: trainingConfig(64) })
  const pull = await repository.openPullRequest({ fork, files: { [configPath]: trainingConfig(16) } })
  await beside.bot.idle()
  const ask = async (body: string, as: { login: string; token: string } = owner) => {
    const comment = await repository.comment(pull, body, as)
    await beside.bot.idle()
    return comment
  }
  return {
    repository,
    pull,
    ask,
    replies: () => repliesOn(repository, pull),
    reactionsTo: async (comment: CommentJson) => (await repository.reactions(comment)).map(({ content }) => content),
    check: async () => (await repository.checkRuns(pull.headSha)).at(-1),
  }
}

/** What the bot wrote besides its one report. */
async function repliesOn(
  repository: { comments(pull: PullRequest): Promise<readonly CommentJson[]> },
  pull: PullRequest,
): Promise<string[]> {
  const comments = await repository.comments(pull)
  return comments
    .filter(
      ({ performed_via_github_app: app, body }) =>
        app?.id === memoryMarkApp.id && body.startsWith('<!-- memorymark:reply:'),
    )
    .map(({ body }) => body.split('\n').slice(2).join('\n'))
}
