import { expect, it } from 'vitest'
import { releaseNotes } from '../../scripts/release-notes.ts'

const changelog = `# Changelog

## [Unreleased]

- Not yet.

## [0.3.1] - 2026-11-20

### Fixed

- A comment on a closed pull request.

## [0.3.0] - 2026-11-01

- Older.
`

it('the notes of a release are the section of its version alone', () => {
  expect(releaseNotes('v0.3.1', '0.3.1', changelog)).toBe('### Fixed\n\n- A comment on a closed pull request.')
  expect(releaseNotes('v0.3.0', '0.3.0', changelog)).toBe('- Older.')
})

it('a tag that is not the version of package.json is refused', () => {
  expect(() => releaseNotes('v0.3.1', '0.3.0', changelog)).toThrow('not v0.3.0, the version in package.json')
})

it('a version of which the changelog says nothing is refused', () => {
  expect(() => releaseNotes('v0.4.0', '0.4.0', changelog)).toThrow('says nothing of 0.4.0')
  expect(() => releaseNotes('v0.4.0', '0.4.0', '## [0.4.0]\n\n## [0.3.0]\n\n- Older.')).toThrow('says nothing of 0.4.0')
})
