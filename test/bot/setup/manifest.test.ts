import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestFor, webUrlOf } from '../../../bot/setup/manifest.ts'
import { root } from '../../../scripts/bundles.ts'

test('it asks for what bot/app.yml asks for', () => {
  const { url: _url, ...documented } = parse(readFileSync(path.join(root, 'bot/app.yml'), 'utf8'))
  expect(manifestFor('https://bot.example.com')).toEqual({
    ...documented,
    url: 'https://bot.example.com',
    hook_attributes: { url: 'https://bot.example.com/api/github/webhooks', active: true },
    redirect_url: 'https://bot.example.com/setup/created',
  })
})

test.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://github.acme.example/api/v3', 'https://github.acme.example'],
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
])('beside the API at %s, the pages are at %s', (apiUrl, pages) => {
  expect(webUrlOf(apiUrl)).toBe(pages)
})
