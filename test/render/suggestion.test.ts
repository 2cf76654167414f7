import { describe, expect, test } from 'vitest'
import { renderChangedLines, renderSuggestion, suggestionMarkerIn } from '../../engine/render/suggestion.ts'
import { wasteful } from './fixtures.ts'

const path = 'configs/bert-mnli.yaml'
const change = {
  path,
  before: 'model: bert\nbatch: 16 # per GPU\nlr: 1e-4\naccumulation: 8\n',
  after: 'model: bert\nbatch: 128 # per GPU\nlr: 1e-4\naccumulation: 1\n',
}

describe('a suggestion', () => {
  test('replaces the lines from the first change to the last in one click', () => {
    const rendered = renderSuggestion(change, wasteful())
    expect(rendered?.lines).toEqual({ first: 2, last: 4 })
    expect(rendered?.body).toBe(
      [
        rendered?.marker,
        'Micro-batch **16 → 128**, accumulation 8 → 1: same effective batch, 1.3–1.7× the throughput, **$20–50 a year** less. *Memory estimated, ±3 %; throughput modelled.*',
        '```suggestion\nbatch: 128 # per GPU\nlr: 1e-4\naccumulation: 1\n```',
      ].join('\n\n'),
    )
  })

  test('bears the same marker for the same lines, wherever they stand, and another for other lines', () => {
    const marker = renderSuggestion(change, wasteful())?.marker
    const moved = { path, before: `# new\n${change.before}`, after: `# new\n${change.after}` }
    const other = { ...change, after: change.after.replace('128', '64') }
    expect(renderSuggestion(moved, wasteful())?.marker).toBe(marker)
    expect(renderSuggestion(other, wasteful())?.marker).not.toBe(marker)
    expect(suggestionMarkerIn(renderSuggestion(change, wasteful())?.body ?? '')).toBe(marker)
  })

  test('keeps the config’s own backticks inside its fence', () => {
    const fenced = {
      path,
      before: 'batch: 16 # ```\n',
      after: 'batch: 128 # ```\n',
    }
    expect(renderSuggestion(fenced, wasteful())?.body).toContain('````suggestion\nbatch: 128 # ```\n````')
  })

  test('shows lines without the carriage return that ends them', () => {
    const windows = { path, before: 'batch: 16\r\n', after: 'batch: 128\r\n' }
    expect(renderSuggestion(windows, wasteful())?.body).toContain('```suggestion\nbatch: 128\n```')
  })
})

describe('there is no suggestion', () => {
  const apart = (text: string, lines: number) => text.replace('lr', `${'x: 1\n'.repeat(lines)}lr`)
  test.each([
    ['where the lines lie eleven apart', { path, before: apart(change.before, 8), after: apart(change.after, 8) }],
    ['where a line hides characters', { path, before: 'batch: 16 # \u202e\n', after: 'batch: 128 # \u202e\n' }],
    [
      'where a line is too long to be read',
      { path, before: `[16${' '.repeat(500)}]`, after: `[128${' '.repeat(500)}]` },
    ],
    ['where nothing changes', { ...change, after: change.before }],
  ])('%s', (_, changed) => {
    expect(renderSuggestion(changed, wasteful())).toBeUndefined()
  })

  test('but there is one over ten lines', () => {
    const changed = { path, before: apart(change.before, 7), after: apart(change.after, 7) }
    expect(renderSuggestion(changed, wasteful())?.lines).toEqual({ first: 2, last: 11 })
  })
})

test('lines to paste are shown with their numbers', () => {
  expect(renderChangedLines(change)).toBe('Lines 2 and 4:\n\n```\nbatch: 128 # per GPU\naccumulation: 1\n```')
})
