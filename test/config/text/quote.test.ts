import { expect, it } from 'vitest'
import { allOf, oneOf, quote } from '../../../engine/config/text/quote.ts'

it('cuts quoted text to 80 characters', () => {
  expect(quote('a'.repeat(80))).toBe(`"${'a'.repeat(80)}"`)
  expect(quote('😀'.repeat(81))).toBe(`"${'😀'.repeat(79)}…"`)
})

it('quotes once what is quoted already', () => {
  expect(quote('"sdpa"')).toBe('"sdpa"')
  expect(quote('"a" and "b"')).toBe('""a" and "b""')
})

it('keeps line ends, terminal codes and invisible characters out of messages', () => {
  expect(quote('a\nb\u001b[31mc\u202ed\u200be\u2028f')).toBe('"a b [31mc d e f"')
})

it('leaves out the indentation of a second line, and no other spaces', () => {
  expect(quote('load(\n      "a  b")')).toBe('"load( "a  b")"')
})

it('lists alternatives, and what goes together', () => {
  expect(oneOf([])).toBe('')
  expect(oneOf(['a'])).toBe('a')
  expect(oneOf(['a', 'b', 'c'])).toBe('a, b or c')
  expect(allOf(['this or that', 'b', 'c'])).toBe('this or that, b and c')
})
