/** The manual on the site: every chapter is there, and every link leads somewhere. */
import { readdirSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import type { BuiltFile } from '../../scripts/bundles.ts'
import { manual } from '../../scripts/manual.ts'

const options = { styles: 'assets/styles.css', icon: 'icon.svg' }
const elsewhere = ['../', '../icon.svg', '../assets/styles.css']
let files: readonly BuiltFile[]

beforeAll(async () => {
  files = await manual(options)
})

function pages(of = files): [name: string, text: string][] {
  return of
    .filter(({ name }) => name.endsWith('.html'))
    .map(({ name, contents }) => [name, Buffer.from(contents).toString()])
}

test('has the README and every chapter of docs/', () => {
  const chapters = readdirSync(new URL('../../docs', import.meta.url)).filter(name => name.endsWith('.md'))
  const expected = ['index.html', ...chapters.map(name => name.replace('.md', '.html'))]
  expect(pages().map(([name]) => name.replace('manual/', ''))).toEqual(expect.arrayContaining(expected))
  expect(pages()).toHaveLength(expected.length)
})

test('links to pages, headings and files that there are', () => {
  const names = files.map(({ name }) => name.replace('manual/', ''))
  const missing = pages().flatMap(([page, text]) =>
    Array.from(text.matchAll(/\b(?:href|src)="([^"]+)"/g), ([, address = '']) => address)
      .filter(address => !/^https?:/.test(address) && !elsewhere.includes(address))
      .filter(address => {
        const [to = '', anchor] = address.split('#')
        const target = to === '' ? text : pages().find(([name]) => name === `manual/${to}`)?.[1]
        return (to !== '' && !names.includes(to)) || (anchor !== undefined && !target?.includes(`id="${anchor}"`))
      })
      .map(address => `${page}: ${address}`),
  )
  expect(missing).toEqual([])
})

test('links to files of the repository only where they can be seen', async () => {
  const sources = 'https://github.com/acme/models/blob/main'
  const text = (of: readonly BuiltFile[]) => pages(of).flatMap(([, text]) => text)
  expect(text(files).join()).not.toContain('/engine/analyze.ts"')
  expect(text(await manual({ ...options, sources })).join()).toContain(`href="${sources}/engine/analyze.ts"`)
})

test('runs no script, and asks nobody', () => {
  for (const [, text] of pages()) {
    expect(text).toContain("default-src 'none'; style-src 'self'; img-src 'self'")
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/)
  }
})
