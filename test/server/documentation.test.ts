/** docs/api.md, held against the code that it is about. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAX_CONFIG_CHARACTERS, MAX_TRIALS } from '../../server/analysis.ts'
import { MAX_BODY_BYTES } from '../../server/app.ts'
import { earlierRequest } from '../../server/earlier-request.ts'
import { earlierResult } from '../../server/earlier-result.ts'
import { MAX_PAGE_SIZE } from '../../server/repositories.ts'
import { Asking } from './asking.ts'

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const withoutExamples = text.replaceAll(/^```.*?^```$/gms, '')
const quoted = new Set(Array.from(withoutExamples.matchAll(/`([^`]+)`/g), ([, code]) => code))

test('every route is described', async () => {
  await using asking = new Asking()
  const { endpoints } = (await asking.get('/')).body as { endpoints: Record<string, string> }
  expect(Object.keys(endpoints).filter(route => !quoted.has(route))).toEqual([])
})

test('every field of POST /analyze is described, in and out', () => {
  const fields = [...Object.keys(earlierRequest.shape), ...Object.keys(earlierResult.shape)]
  expect(fields.filter(field => !quoted.has(field))).toEqual([])
})

test('its limits are those of the server', () => {
  for (const limit of [MAX_CONFIG_CHARACTERS, MAX_TRIALS]) expect(text).toContain(limit.toLocaleString('en-US'))
  expect(text).toContain(`${MAX_BODY_BYTES / 1_024} KiB`)
  expect(text).toContain(`at most ${MAX_PAGE_SIZE}`)
})
