/** The Hono app of the pages. */
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { secureHeaders } from 'hono/secure-headers'
import type { Pages } from '../pages.ts'
import { addAnalysisPage } from './analysis.ts'
import { addAskPage } from './ask.ts'
import type { Assets } from './assets.ts'
import { addRepositoryPages } from './repositories/routes.ts'

/** Allows only files from this server, and no inline scripts or styles. */
const own = ["'self'"]
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: own,
  styleSrc: own,
  imgSrc: own,
  connectSrc: own,
  formAction: own,
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
}

export function dashboard(assets: Assets): Pages {
  return context => {
    const app = new Hono()
    app.use(
      compress(),
      // With `no-referrer` a form's `Origin` would be `null`, which the server refuses.
      secureHeaders({ contentSecurityPolicy, referrerPolicy: 'same-origin', strictTransportSecurity: false }),
    )
    addAssets(app, assets)
    addAskPage(app, { assets, context })
    addAnalysisPage(app, { assets, context })
    addRepositoryPages(app, { assets, context })
    return app
  }
}

/** Cached forever, because their addresses change with their content. */
function addAssets(app: Hono, assets: Assets): void {
  for (const { url, contentType, contents } of [assets.script, assets.styles, assets.icon]) {
    app.get(url, c =>
      c.body(contents, 200, { 'Content-Type': contentType, 'Cache-Control': 'public, max-age=31536000, immutable' }),
    )
  }
}
