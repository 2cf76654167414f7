/** A comment that calls the bot, as a job carries it. Everything in it is somebody's word. */
import * as z from 'zod'

const id = z.number().int().positive()
const name = z.string().regex(/^[\w.-]{1,100}$/)

export const commandRequest = z.object({
  installationId: id,
  repositoryId: id,
  owner: name,
  repo: name,
  pullNumber: id,
  commentId: id,
  /** Login of who wrote it; what it may do is asked of GitHub when the job runs. Apps' logins end in `[bot]`. */
  author: z.string().regex(/^[\w.-]{1,100}(\[bot\])?$/),
  /** As it was when the webhook was sent. */
  body: z.string().max(65_536),
})
export type CommandRequest = z.infer<typeof commandRequest>
