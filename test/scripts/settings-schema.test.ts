import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { settingsFile } from '../../engine/settings/schema.ts'
import { root } from '../../scripts/bundles.ts'

const published = z.fromJSONSchema(JSON.parse(await readFile(path.join(root, 'docs/memorymark.schema.json'), 'utf8')))

it('the published schema is that of the engine', () => {
  const script = path.join(root, 'scripts/settings-schema.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('the example obeys both', async () => {
  const example: unknown = parse(await readFile(path.join(root, 'examples/settings/memorymark.yml'), 'utf8'))
  expect(settingsFile.safeParse(example).error).toBeUndefined()
  expect(published.safeParse(example).error).toBeUndefined()
})

it.each([
  ['an unknown key', { cards: 'a10' }],
  ['a GPU without its memory', { gpus: [{ name: 'ours' }] }],
  ['what cannot be the name of a GPU', { gpu: '<a11>' }],
  ['an unknown GPU among the prices', { prices: { a11: 1 } }],
  ['a price of nothing', { prices: { a10: 0 } }],
  ['half a step', { step_size: 2.5 }],
  ['an override without a path', { overrides: [{ gpu: 'l4' }] }],
  ['an unknown key of an override', { overrides: [{ path: 'a', batch_size: 2 }] }],
])('%s is refused by both', (_, settings) => {
  expect(settingsFile.safeParse(settings).success).toBe(false)
  expect(published.safeParse(settings).success).toBe(false)
})
