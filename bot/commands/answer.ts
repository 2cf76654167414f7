/** The answer to a command: a reaction to the comment and at most one reply. */
import type { Work } from '../github.ts'
import type { CommandRequest } from './request.ts'

export interface Answer {
  readonly reaction: '+1' | 'confused'
  /** Markdown. */
  readonly reply?: string
}

/** Done; the reaction is enough. */
export const done: Answer = { reaction: '+1' }

export function told(reply: string): Answer {
  return { reaction: '+1', reply }
}

/** Nothing was done; the reply says why. */
export function declined(reply: string): Answer {
  return { reaction: 'confused', reply }
}

/** GitHub's limit is 65,536 characters. */
export const MAX_REPLY_BYTES = 64_000

/** Idempotent: a repeated job finds its reply, and GitHub keeps one reaction of each kind. */
export async function give(work: Work, request: CommandRequest, answer: Answer, since: string): Promise<void> {
  const { github, repository } = work
  if (answer.reply !== undefined && !(await hasReplied(work, request, since))) {
    const body = `${replyMarker(request.commentId)}\n\n${withinLimit(answer.reply)}`
    await github.rest.issues.createComment({ ...repository, issue_number: request.pullNumber, body })
  }
  await github.rest.reactions.createForIssueComment({
    ...repository,
    comment_id: request.commentId,
    content: answer.reaction,
  })
}

/** As many whole paragraphs as fit. Code blocks contain no blank lines, so none is split. */
function withinLimit(reply: string): string {
  if (Buffer.byteLength(reply) <= MAX_REPLY_BYTES) return reply
  const fitting: string[] = []
  let bytes = 0
  for (const paragraph of reply.split('\n\n')) {
    bytes += Buffer.byteLength(paragraph) + 2
    if (bytes > MAX_REPLY_BYTES) break
    fitting.push(paragraph)
  }
  return [...fitting, '…and more, which does not fit into a comment.'].join('\n\n')
}

/** Checks the App as well as the marker, which anybody can write. `since`: when the command was written. */
async function hasReplied(
  { github, repository, appId }: Work,
  { pullNumber, commentId }: CommandRequest,
  since: string,
): Promise<boolean> {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repository,
    issue_number: pullNumber,
    since,
    per_page: 100,
  })
  const marker = replyMarker(commentId)
  return comments.some(
    ({ performed_via_github_app: app, body }) => app?.id === appId && body?.startsWith(marker) === true,
  )
}

function replyMarker(commentId: number): string {
  return `<!-- memorymark:reply:${commentId} -->`
}
