import { expect, test } from 'vitest'
import { restingOn, restOnSameFiles } from '../../engine/report/other-files.ts'
import { fine } from '../render/fixtures.ts'

const model = { path: 'models/tiny/config.json', blobSha: 'a' }
const settings = { path: 'ds.json', blobSha: 'b' }
const on = (...otherFiles: { path: string; blobSha: string }[]) => fine({ otherFiles })

test.each([
  ['the same files in another order', on(model, settings), on(settings, model), true],
  ['none, in a report of before and in one of now', fine(), on(), true],
  ['another text of one', on(model, settings), on(model, { ...settings, blobSha: 'c' }), false],
  ['one that is gone', on(model, settings), on(model), false],
  ['one that has come', fine(), on(settings), false],
])('results that rest on %s', (_, a, b, same) => {
  expect([restOnSameFiles(a, b), restOnSameFiles(b, a)]).toEqual([same, same])
})

test('a result takes over what another rests on, also where that is nothing', () => {
  expect(restOnSameFiles(restingOn(on(model), on(settings)), on(settings))).toBe(true)
  expect(restingOn(on(model), fine())).not.toHaveProperty('otherFiles')
})
