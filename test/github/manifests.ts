/** How an App is created from a manifest: GitHub's page takes the manifest, sends the browser back with a code, and hands over the App for it. */
import * as z from 'zod'
import { parseJson } from '../../engine/base/json.ts'
import { memoryMarkApp } from './accounts.ts'
import { type Call, notFound, type Routes, refuse } from './gateway.ts'
import type { Webhooks } from './webhooks.ts'

export interface AppCredentials {
  readonly id: number
  readonly privateKey: string
  readonly webhookSecret: string
}

/** https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest#github-app-manifest-parameters */
const manifest = z.strictObject({
  name: z.string().min(1).max(34),
  url: z.url(),
  hook_attributes: z.strictObject({ url: z.url(), active: z.boolean().optional() }),
  redirect_url: z.url(),
  description: z.string().optional(),
  public: z.boolean().optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
})
export type Manifest = z.infer<typeof manifest>

export class Manifests {
  readonly #app: AppCredentials
  readonly #webhooks: Webhooks
  /** Each counts once. */
  readonly #codes = new Set<string>()
  /** As they came in, with the organization that was to own the App. */
  readonly taken: { readonly manifest: Manifest; readonly organization: string | undefined }[] = []

  constructor(app: AppCredentials, webhooks: Webhooks) {
    this.#app = app
    this.#webhooks = webhooks
  }

  async take(c: Call): Promise<Response> {
    const form = new URLSearchParams(await c.req.text())
    const parsed = manifest.safeParse(parseJson(form.get('manifest') ?? ''))
    if (!parsed.success) return refuse(422, z.prettifyError(parsed.error))
    this.taken.push({ manifest: parsed.data, organization: c.req.param('organization') })
    this.#webhooks.sendTo(parsed.data.hook_attributes.url)
    const code = `code-${this.taken.length}`
    this.#codes.add(code)
    const back = new URL(parsed.data.redirect_url)
    back.searchParams.set('code', code)
    const state = c.req.query('state')
    if (state !== undefined) back.searchParams.set('state', state)
    return c.redirect(back.href)
  }

  convert(c: Call): Response {
    if (!this.#codes.delete(c.req.param('code') ?? '')) return notFound()
    const { id, privateKey, webhookSecret } = this.#app
    const { name, slug } = memoryMarkApp
    return c.json(
      {
        id,
        slug,
        name,
        pem: privateKey,
        webhook_secret: webhookSecret,
        html_url: `${new URL(c.req.url).origin}/apps/${slug}`,
      },
      201,
    )
  }
}

export function routeManifests(routes: Routes, manifests: Manifests): void {
  routes.post('/settings/apps/new', c => manifests.take(c))
  routes.post('/organizations/:organization/settings/apps/new', c => manifests.take(c))
  routes.post('/app-manifests/:code/conversions', c => manifests.convert(c))
}
