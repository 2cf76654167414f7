/** Serves the setup page until it has created the App. */
import { getRequestListener } from '@hono/node-server'
import type { Logger } from 'probot'
import { checkWritable, storeCredentials } from '../credentials.ts'
import { listen } from '../http.ts'
import { connectWithoutApp } from '../installation.ts'
import type { OwnSettings } from '../settings.ts'
import { setupApp } from './app.ts'
import { fetchCreatedApp } from './created-app.ts'

export interface SetupServerOptions {
  /** The file in which the credentials will be stored. */
  readonly file: string
  readonly log: Logger
  /** Receives the page's address, which contains a secret. */
  readonly tell: (text: string) => void
  /** Stops the setup. */
  readonly signal: AbortSignal
}

/** Resolves to true once an App was created and its credentials stored; to false if stopped before. */
export async function serveSetup(
  settings: OwnSettings,
  { file, log, tell, signal }: SetupServerOptions,
): Promise<boolean> {
  await checkWritable(file)
  const ended = Promise.withResolvers<boolean>()
  signal.addEventListener('abort', () => ended.resolve(false), { once: true })
  if (signal.aborted) ended.resolve(false)
  const github = connectWithoutApp({ ...settings, log, onCall: () => {} })
  const { app, path } = setupApp({
    apiUrl: settings.apiUrl,
    file,
    now: () => new Date(),
    fetchApp: code => fetchCreatedApp(github, code),
    keep: async ({ credentials, slug }) => {
      await storeCredentials(file, credentials)
      log.info(`GitHub has created the App ${slug}; its credentials are in ${file}`)
      ended.resolve(true)
    },
  })
  const answer = getRequestListener(app.fetch)
  const server = await listen(
    [
      async (request, response) => {
        await answer(request, response)
        return true
      },
    ],
    { host: settings.host, port: settings.port, log },
  )
  // "All addresses of this machine" is none that a browser opens.
  const origin = server.origin.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//localhost:')
  tell(
    `There is no GitHub App yet: neither APP_ID, PRIVATE_KEY and WEBHOOK_SECRET nor ${file}. To create one, open this page, under the address at which GitHub reaches this bot:\n${origin}${path}`,
  )
  const isCreated = await ended.promise
  await server.close()
  return isCreated
}
