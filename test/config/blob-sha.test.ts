/** The names of texts in git, held against what `git hash-object` says. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { gitBlobSha } from '../../engine/config/blob-sha.ts'

test.each(['', 'what is up, doc?', 'Größe: 4 µ\n'])('%j has the name that git gives it', async text => {
  const name = execFileSync('git', ['hash-object', '--stdin'], { input: text, encoding: 'utf8' }).trim()
  expect(await gitBlobSha(text)).toBe(name)
})
