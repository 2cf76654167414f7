/** What `memorymark help` says, in a terminal of any width. */
import { describe, expect, it } from 'vitest'
import { usage } from '../../cli/usage.ts'

const commands = [...usage(undefined, Number.POSITIVE_INFINITY).matchAll(/^memorymark (\S+)/gm)].map(([, name]) => name)

/** Choices may be broken at their bars. */
const words = (text: string) => text.replaceAll(/\s*\|\s*/g, '|').split(/\s+/)

it('lists every command, and of one its options', () => {
  expect(commands).toEqual(expect.arrayContaining(['check', 'estimate', 'advise', 'plan', 'mcp', 'help']))
  expect(usage(undefined, 100)).not.toContain('--gpu')
  expect(usage('check', 100)).toContain('--gpu')
})

describe.each([60, 80, 100, 140])('in %i columns', columns => {
  it.each([undefined, ...commands])('no line of it is longer, and no word is lost: %s', name => {
    const page = usage(name, columns)
    expect(Math.max(...page.split('\n').map(line => line.length))).toBeLessThanOrEqual(columns)
    expect(words(page)).toEqual(words(usage(name, Number.POSITIVE_INFINITY)))
  })
})
