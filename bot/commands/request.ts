/** A comment with a command, as a job carries it. All of it is untrusted. */
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
  /** Login of the author, whose permission is checked when the job runs. Apps' logins end in `[bot]`. */
  author: z.string().regex(/^[\w.-]{1,100}(\[bot\])?$/),
  /** The text when the webhook was sent. */
  body: z.string().max(65_536),
})
export type CommandRequest = z.infer<typeof commandRequest>
