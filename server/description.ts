/** The server's description of itself: in short at `/`, and in OpenAPI 3.1, both made from the routes that answer. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import * as z from 'zod'
import { version } from '../engine/base/version.ts'
import { jsonAnswer } from './json-answer.ts'
import { withSharedSchemas } from './shared-schemas.ts'

const information = z.object({
  name: z.literal('MemoryMark'),
  version: z.string(),
  description: z.string(),
  /** What each is for, by method and path. */
  endpoints: z.record(z.string(), z.string()),
})

const description =
  'The batch size that a GPU can really take, how much of the GPU a training config leaves idle, and what that costs.'

/** `browsersGoOn`: there is a page for people, which answers `GET /` for them. */
export function addDescription(app: OpenAPIHono, browsersGoOn: boolean): void {
  // Made when first asked for: by then every route is there. It takes too long to be made for each who asks.
  let made: Description | undefined
  const described = () => {
    made ??= describe(app)
    return made
  }
  app.get('/', (context, next) =>
    browsersGoOn && context.req.header('accept')?.includes('text/html') ? next() : context.json(described().inShort),
  )
  app.get('/openapi.json', context => context.body(described().openapi, 200, { 'content-type': 'application/json' }))

  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/',
    summary: 'What this server is; browsers get the dashboard',
    responses: { 200: jsonAnswer('In short', information) },
  })
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/openapi.json',
    summary: 'This description',
    responses: { 200: jsonAnswer('OpenAPI 3.1', z.looseObject({ openapi: z.string() })) },
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
}

interface Description {
  readonly inShort: z.infer<typeof information>
  /** JSON. */
  readonly openapi: string
}

function describe(app: OpenAPIHono): Description {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'MemoryMark', version, description },
    security: [{}, { token: [] }],
  })
  const endpoints = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]: [string, { summary: string }]) => [
      `${method.toUpperCase()} ${path}`,
      summary,
    ]),
  )
  return {
    inShort: { name: 'MemoryMark', version, description, endpoints: Object.fromEntries(endpoints) },
    openapi: JSON.stringify(withSharedSchemas(document)),
  }
}
