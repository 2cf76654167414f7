import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Asking } from './asking.ts'

const asking = new Asking()
afterAll(() => asking[Symbol.asyncDispose]())

const operation = z.looseObject({ summary: z.string(), responses: z.record(z.string(), z.unknown()) })
const document = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
})

async function described() {
  const { paths } = document.parse((await asking.get('/openapi.json')).body)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path,
      statuses: Object.keys(responses).map(Number),
    })),
  )
}

describe('the OpenAPI document', () => {
  test('describes every route that answers, and no other', async () => {
    const routes = asking.service.app.routes
      .filter(({ path }) => path !== '/*')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const told = (await described()).map(({ method, path }) => `${method} ${path}`)
    expect(told.toSorted()).toEqual([...new Set(routes)].toSorted())
    expect(told).toContain('GET /v1/analyses/{id}/events')
  })

  test('every route answers a bare request with a status that it describes', async () => {
    const operations = await described()
    const answers = await Promise.all(
      operations.map(async ({ method, path, statuses }) => {
        const body = method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}
        const response = await asking.fetch(path.replaceAll(/\{\w+\}/g, 'x'), { method, ...body })
        return { route: `${method} ${path}`, described: statuses.includes(response.status) }
      }),
    )
    expect(answers.filter(answer => !answer.described)).toEqual([])
    expect(answers.length).toBeGreaterThan(10)
  })

  test('says what an analysis may be asked, under a name', async () => {
    const { body } = await asking.get('/openapi.json')
    const { components } = z.object({ components: z.object({ schemas: z.record(z.string(), z.any()) }) }).parse(body)
    const { properties } = components.schemas.AnalysisRequest
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(['model', 'config', 'spec', 'gpu', 'engine', 'strategy', 'stepSize']),
    )
    expect(properties.spec.properties.microBatch).toEqual({ type: 'integer', minimum: 1, maximum: 1_000_000 })
    expect(properties.config.properties.fileName.pattern).toBe(
      String.raw`^[\w ./@+-]*\.(?:yaml|yml|json|sh|bash|slurm|sbatch|(?:py|ipynb)(?::\d{1,7})?)$`,
    )
  })

  test('describes what many routes share once, and every reference leads somewhere', async () => {
    const text = await (await asking.fetch('/openapi.json')).text()
    const references = Array.from(text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name)
    const { components } = z
      .object({ components: z.object({ schemas: z.record(z.string(), z.any()) }) })
      .parse(JSON.parse(text))
    expect(references.filter(name => !Object.hasOwn(components.schemas, name))).toEqual([])
    // Nothing is named that no route speaks of.
    expect(Object.keys(components.schemas).filter(name => !references.includes(name))).toEqual([])
    expect(text.split('"gradientCheckpointing"').length - 1).toBeLessThan(6)
  })

  test('is made once, however often it is asked for', async () => {
    const [first, second] = [await asking.get('/openapi.json'), await asking.get('/openapi.json')]
    expect(second.body).toEqual(first.body)
    expect(first.headers.get('content-type')).toBe('application/json')
  })
})
