/** What `npm run build:site` writes. */
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { example } from '../../playground/question.ts'
import type { BuiltFile } from '../../scripts/bundles.ts'
import { buildSite } from '../../scripts/site.ts'

let files: readonly BuiltFile[]

function textOf(name: string): string {
  const file = files.find(file => file.name === name)
  if (file === undefined) throw new Error(`the site has no ${name}`)
  return Buffer.from(file.contents).toString()
}

describe('the site', () => {
  beforeAll(async () => {
    files = await buildSite()
  })

  test('is the same each time that it is built', async () => {
    expect(await buildSite()).toEqual(files)
  })

  test('asks for its own files only, by addresses that work under any path', () => {
    const page = textOf('index.html')
    const addresses = Array.from(
      page.matchAll(/\b(?:src|href|data-worker|data-service-worker)="([^"]+)"/g),
      ([, to]) => to,
    )
    expect(addresses.length).toBeGreaterThan(6)
    const own = [...files.map(({ name }) => name), './', '#main']
    expect(addresses.filter(address => !own.includes(address ?? ''))).toEqual([])
  })

  test('has a policy under which nothing can be sent, and no script or style within the page', () => {
    const page = textOf('index.html')
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? []
    const rules = policy.replaceAll('&#39;', "'").split('; ')
    expect(rules).toEqual(
      expect.arrayContaining(["default-src 'none'", "connect-src 'none'", "form-action 'none'", "script-src 'self'"]),
    )
    expect(policy).not.toContain('unsafe')
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
  })

  test('opens with the example in its form', () => {
    expect(textOf('index.html')).toContain('model_name_or_path: Qwen/Qwen2.5-1.5B')
    expect(example.values.config).toContain('model_name_or_path: Qwen/Qwen2.5-1.5B')
  })

  test('keeps for use without a network every file that the page may need', () => {
    const [, list = '[]'] = /(\["\.\/".*?\])/.exec(textOf('service-worker.js')) ?? []
    const needed = files.map(({ name }) => name).filter(name => /^(?:assets\/|icon)/.test(name))
    expect(JSON.parse(list)).toEqual(['./', ...needed])
  })

  test('reads Python, shell and patterns from files of their own, which the first answer and its charts do not need', () => {
    const page = textOf('index.html')
    const first = files.filter(
      ({ name }) =>
        name === 'index.html' ||
        name.startsWith('assets/draw-chart-') ||
        (page.includes(name) && !name.startsWith('manual/')),
    )
    const sizeOf = (some: readonly BuiltFile[]) =>
      some.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
    expect(sizeOf(first)).toBeLessThan(300_000)
    expect(sizeOf(files) - sizeOf(first)).toBeGreaterThan(100_000)
  })

  test('carries the licences of what it is built from', () => {
    for (const name of ['zod', 'yaml', 'uplot', '@lezer/python', 'unbash', 're2js', 'hono', 'smol-toml']) {
      expect(textOf('LICENSES.txt')).toContain(`${name}\n\n`)
    }
  })
})
