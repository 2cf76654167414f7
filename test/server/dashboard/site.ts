/** The server's app with the pages: asked without a socket, or on a port that can be cut off. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { defaultGpu } from '../../../engine/gpus/catalogue.ts'
import { createApp } from '../../../server/app.ts'
import type { Assets } from '../../../server/dashboard/assets.ts'
import { dashboard } from '../../../server/dashboard/routes.ts'
import { KnownMachine } from '../../../server/machine.ts'
import type { Analyses } from '../../../server/pages.ts'
import type { Repositories } from '../../../server/repositories.ts'
import { cutOff, listen } from '../../listening.ts'

interface SiteOptions {
  readonly assets: Assets
  readonly analyses: Analyses
  readonly repositories?: Repositories
}

export function siteApp({ assets, analyses, repositories }: SiteOptions): OpenAPIHono {
  return createApp({
    analyses,
    machine: KnownMachine.of({ kind: 'no-python', why: 'this test has none' }),
    gpu: defaultGpu,
    engine: 'estimate',
    access: { kind: 'this-machine', hostNames: ['127.0.0.1', 'localhost'] },
    pages: dashboard(assets),
    log: text => console.error(text),
    ...(repositories && { repositories }),
  })
}

export interface CuttableSite extends AsyncDisposable {
  readonly url: string
  /** As when the process is killed: every connection breaks, and nobody answers. */
  cut(): Promise<void>
  /** Answers again at the same address. */
  resume(): Promise<void>
}

export async function cuttable({ fetch }: Pick<OpenAPIHono, 'fetch'>): Promise<CuttableSite> {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  let server = createServer(listener)
  const port = await listen(server)
  const cut = () => cutOff(server)
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    resume: async () => {
      server = createServer(listener)
      await listen(server, port)
    },
    [Symbol.asyncDispose]: cut,
  }
}
