/** Lezer's parser with its actions remembered: the same trees, with fewer scans. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Tree } from '@lezer/common'
import { parser } from '@lezer/python'
import { describe, expect, it, vi } from 'vitest'
import { parsePython } from '../../../../engine/config/python/syntax/parser.ts'

const folder = new URL('../../../../bench/configs/training/python/', import.meta.url)
const scripts = readdirSync(folder)
  .filter(name => name.endsWith('.py'))
  .map(name => readFileSync(new URL(name, folder), 'utf8'))

function written(tree: Tree): string {
  const nodes: string[] = []
  tree.iterate({ enter: ({ name, from, to }) => void nodes.push(`${name} ${from} ${to}`) })
  return nodes.join('\n')
}

describe('the tree is what Lezer makes', () => {
  it('of scripts', () => {
    for (const script of scripts) expect(written(parsePython(script))).toBe(written(parser.parse(script)))
  })

  it('of texts that are no Python, which it parses in several ways at once', () => {
    for (const [index, script] of scripts.entries()) {
      const at = Math.floor((script.length * (index % 7)) / 7)
      const broken = `${script.slice(0, at)}\n) = [lambda: print "x" match {\n${script.slice(at + 3)}`
      expect(written(parsePython(broken))).toBe(written(parser.parse(broken)))
    }
  })
})

it('no actions of a state and a token are looked for twice', () => {
  const parse = parser.startParse('') as unknown as { readonly tokens: { addActions(...given: never[]): number } }
  const cache = Object.getPrototypeOf(parse.tokens) as typeof parse.tokens
  const [script = ''] = scripts
  parsePython(script)
  const scan = vi.spyOn(cache, 'addActions')
  parsePython(script)
  // What is added to actions that are there already is not remembered.
  const first = scan.mock.calls.filter(given => given[3] === 0)
  expect(first).toEqual([])
  parser.parse(script)
  expect(scan.mock.calls.length).toBeGreaterThan(100)
  scan.mockRestore()
})

describe('of mistakes', () => {
  const start = (mistakes: number) => `x = 1\n${')\n'.repeat(mistakes)}y = 2\n`
  const has = (text: string, name: string) => written(parsePython(text)).includes(`${name} ${text.indexOf('y = 2')}`)

  it('a hundred are gone around', () => {
    expect(has(start(100), 'AssignStatement')).toBe(true)
  })

  it('of 100,000 most are not', () => {
    const text = start(100_000)
    expect(has(text, 'AssignStatement')).toBe(false)
    expect(parsePython(text).length).toBeLessThan(100_000)
  })
})
