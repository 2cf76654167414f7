import { expect, test } from 'vitest'
import { bandFrom, bandsOf, heldOutLines } from '../../bench/published/memory-bands.ts'
import { Choice } from '../../bench/speed/choice.ts'

test.each([3, 4, 5, 9])('the band of %i readings holds about nine of ten further ones', count => {
  const choice = new Choice(count)
  const draws = Array.from({ length: 4_000 }, () => ({
    band: bandFrom(Array.from({ length: count }, () => normal(choice))),
    further: normal(choice),
  }))
  const inside = draws.filter(({ band, further }) => band.lowPercent <= further && further <= band.highPercent)
  expect(inside.length / draws.length).toBeCloseTo(0.9, 1)
})

test('with many readings the furthest tenth does not count', () => {
  const near = Array.from({ length: 18 }, (_, index) => (index % 2 === 0 ? 5 : -6))
  expect(bandFrom([...near, 40, -50])).toEqual({ lowPercent: -6, highPercent: 5 })
})

test('no band is narrower than the trace’s', () => {
  expect(bandFrom([0.1, 0.2, 0.1])).toEqual({ lowPercent: -3, highPercent: 3 })
})

test('a source is held against the bands of the others', () => {
  const readings = (source: string, percents: readonly number[]) =>
    percents.map(percent => ({ of: 'several GPUs' as const, kind: 'allocated' as const, source, percent }))
  const deviations = [...readings('one', [1, -1, 2, -2]), ...readings('other', [1, 50])]
  expect(bandsOf(deviations)['several GPUs']?.readings).toBe(6)
  expect(heldOutLines(deviations)).toContain('  1 of 2 inside  other')
})

test('what is untraced in part is not known better than the same that is traced', () => {
  const readings = (of: 'several GPUs' | 'several GPUs, in part untraced', percents: readonly number[]) =>
    percents.map((percent, index) => ({ of, kind: 'allocated' as const, source: `source ${index % 3}`, percent }))
  const bands = bandsOf([
    ...readings('several GPUs', [-20, 10, 5, -5]),
    ...readings('several GPUs, in part untraced', [0, 1, -1]),
  ])
  const { lowPercent, highPercent } = bands['several GPUs'] ?? { lowPercent: 0, highPercent: 0 }
  expect(bands['several GPUs, in part untraced']).toEqual({ lowPercent, highPercent, readings: 3 })
  expect(lowPercent).toBeLessThan(-20)
})

test('readings of one source or two are not trusted further than the nearest class', () => {
  const readings = (of: 'several GPUs' | 'several GPUs, in part untraced', sources: readonly string[], far: number) =>
    [far, -far, 0, 1].map((percent, index) => {
      return { of, kind: 'allocated' as const, source: sources[index % sources.length] ?? '', percent }
    })
  const high = (sources: readonly string[]) =>
    bandsOf([
      ...readings('several GPUs', sources, 1),
      ...readings('several GPUs, in part untraced', ['a', 'b', 'c'], 20),
    ])['several GPUs']?.highPercent
  expect(high(['a', 'b', 'c'])).toBe(3)
  expect(high(['a', 'b'])).toBeGreaterThan(20)
  expect(high(['a'])).toBeGreaterThan(20)
})

/** Of a standard deviation of 20, by Box and Muller. */
function normal(choice: Choice): number {
  const [one, other] = [(choice.below(1_000_000) + 1) / 1_000_001, choice.below(1_000_000) / 1_000_000]
  return 20 * Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other)
}
