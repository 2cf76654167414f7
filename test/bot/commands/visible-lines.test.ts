import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visibleLines } from '../../../bot/commands/visible-lines.ts'

const call = '/memorymark fix'
const line = fc.string({ maxLength: 20 }).map(text => text.replace(/[\r\n]/g, ' '))

test('whatever stands between fences is not seen, as long as none of it closes them', () => {
  const inside = fc.array(
    line.filter(text => !/^ {0,3}`{4,}[ \t]*$/.test(text)),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(inside, inside, (before, after) => {
      expect(visibleLines(['````', ...before, call, ...after, '````'].join('\n'))).not.toContain(call)
    }),
    { numRuns: 300, seed: 42 },
  )
})

test('whatever is quoted is not seen', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), lines => {
      const quoted = [...lines, call].map(text => `> ${text}`).join('\n')
      expect(visibleLines(quoted)).not.toContain(call)
    }),
    { numRuns: 300, seed: 42 },
  )
})

test('a line behind plain words and a blank line is seen', () => {
  const words = fc.array(fc.stringMatching(/^[a-z ,.]{0,20}$/), { maxLength: 8 })
  fc.assert(
    fc.property(words, lines => {
      expect(visibleLines([...lines, '', call].join('\n'))).toContain(call)
    }),
    { numRuns: 300, seed: 42 },
  )
})
