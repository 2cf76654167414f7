/** Fetches the App that GitHub has just created. */
import { MemoryMarkError } from '../../engine/base/errors.ts'
import type { GitHub } from '../installation.ts'
import { statusOf } from '../installation.ts'
import { type Credentials, readCredentials } from '../settings.ts'

export interface CreatedApp {
  readonly credentials: Credentials
  readonly slug: string
  /** The App's page on GitHub. */
  readonly url: string
}

/**
 * `code`: from the address to which GitHub redirected the browser; valid once, within an hour. @throws MemoryMarkError
 */
export async function fetchCreatedApp(github: GitHub, code: string): Promise<CreatedApp> {
  const { data } = await github.rest.apps.createFromManifest({ code }).catch((cause: unknown) => {
    throw notFetched(cause)
  })
  const credentials = readCredentials({
    APP_ID: String(data.id),
    PRIVATE_KEY: data.pem,
    ...(data.webhook_secret !== null && { WEBHOOK_SECRET: data.webhook_secret }),
  })
  return { credentials, slug: data.slug ?? data.name, url: data.html_url }
}

function notFetched(cause: unknown): MemoryMarkError {
  const status = statusOf(cause)
  return new MemoryMarkError(
    {
      code: 'app-not-fetched',
      message: `GitHub did not hand over the App that it was asked to create: ${status === undefined ? 'it did not answer' : `it answered ${status}`}`,
      fix: 'Look for the App under Developer settings on GitHub and delete it, then begin again with the link in the bot’s log.',
    },
    { cause },
  )
}
