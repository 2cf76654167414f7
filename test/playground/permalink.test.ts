/** The question in the address: it comes back as it was, and a hostile one is refused before it costs anything. */
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fragmentOf, MAX_FRAGMENT, readFragment } from '../../playground/permalink.ts'
import { example, type Question, termNames } from '../../playground/question.ts'
import { fieldNames } from '../../server/dashboard/form-fields.ts'

const link = (json: string | Uint8Array) => `#1.${deflateRawSync(json).toString('base64url')}`

async function why(fragment: string): Promise<string> {
  const reading = await readFragment(fragment)
  return reading.kind === 'refused' ? reading.problem.message : reading.kind
}

describe('a link', () => {
  test('holds the whole question', async () => {
    const fragment = await fragmentOf(example)
    expect(fragment).toMatch(/^#1\.[\w-]+$/)
    expect(await readFragment(fragment ?? '')).toEqual({ kind: 'question', question: example })
  })

  test('gives back whatever a reader enters', async () => {
    const text = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }).filter(one => one.trim() !== '')
    const values = fc.record(Object.fromEntries(fieldNames.map(name => [name, text])), { requiredKeys: [] })
    const terms = fc.record(Object.fromEntries(termNames.map(name => [name, fc.constantFrom('1', '2.5')])), {
      requiredKeys: [],
    })
    await fc.assert(
      fc.asyncProperty(values, terms, async (values, terms) => {
        const question: Question = JSON.parse(JSON.stringify({ values, terms }))
        expect(await readFragment((await fragmentOf(question)) ?? '')).toEqual({ kind: 'question', question })
      }),
      { numRuns: 50 },
    )
  })

  test('of a config of ordinary size is short', async () => {
    expect((await fragmentOf(example))?.length).toBeLessThan(600)
  })

  test('is not made of what is too long for one', async () => {
    const noise = Array.from({ length: 200_000 }, (_, at) =>
      String.fromCodePoint(33 + ((at * 7919 + at * at) % 20_000)),
    )
    expect(await fragmentOf({ values: { config: noise.join('') }, terms: {} })).toBeUndefined()
  })
})

describe('an address', () => {
  test.each(['', '#', '#main', '#file-title'])('%j asks nothing', async fragment => {
    expect(await readFragment(fragment)).toEqual({ kind: 'nothing' })
  })

  test.each([
    ['of another version', '#2.abcd', 'newer version'],
    ['too long', `#1.${'A'.repeat(MAX_FRAGMENT)}`, 'longer than 200000 characters'],
    ['with other characters', '#1.<script>', 'characters that no link'],
    ['of an impossible length', '#1.abcde', 'characters that no link'],
    ['cut off', link(JSON.stringify(example)).slice(0, -20), 'missing or changed'],
    ['of noise', '#1.AAAAAAAA', 'missing or changed'],
    ['that is no JSON', link('{'), 'missing or changed'],
    ['that is no UTF-8', link(Uint8Array.of(34, 0xff, 34)), 'missing or changed'],
    ['empty', '#1.', 'missing or changed'],
  ])('%s is refused with its reason', async (_, fragment, words) => {
    expect(await why(fragment)).toContain(words)
  })

  test('that unpacks to a thousand times its size is not unpacked', async () => {
    const bomb = link(new Uint8Array(100_000_000))
    expect(bomb.length).toBeLessThan(MAX_FRAGMENT)
    const start = performance.now()
    expect(await why(bomb)).toContain('more than 600000 bytes')
    expect(performance.now() - start).toBeLessThan(500)
  })

  test('with fields that the form does not have, or that are no text, keeps the others', async () => {
    const told = {
      values: { gpu: 'a10', __proto__: { model: 'x' }, config: 7, other: 'x' },
      terms: { price: 3, runs: '9' },
    }
    expect(await readFragment(link(JSON.stringify(told)))).toEqual({
      kind: 'question',
      question: { values: { gpu: 'a10' }, terms: { runs: '9' } },
    })
  })

  test.each(['null', '7', '[]', '{"values":[],"terms":"x"}'])('of JSON %s asks an empty question', async json => {
    expect(await readFragment(link(json))).toEqual({ kind: 'question', question: { values: {}, terms: {} } })
  })
})
