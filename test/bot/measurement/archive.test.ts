import { afterAll, describe, expect, test } from 'vitest'
import { readReportArchive } from '../../../bot/measurement/archive.ts'
import { reportOf, wasteful } from '../../render/fixtures.ts'
import { lendEngine } from '../engines.ts'
import { reportZip, zipOf } from '../zips.ts'
import { bomb } from './bombs.ts'

const report = reportOf([wasteful()])
const engine = lendEngine(() => {})
afterAll(() => engine[Symbol.asyncDispose]())
const read = (zip: Uint8Array) => readReportArchive(zip, engine)

test('a report is read from its named entry, whatever lies beside it', async () => {
  const zip = zipOf({ 'log.txt': 'hello', 'memorymark-report.json': report })
  expect(await read(zip)).toEqual({ kind: 'report', report })
})

test('what a report says about its pull request and commit is not kept', async () => {
  const reading = await read(reportZip({ ...report, pullRequest: 999, headSha: 'f'.repeat(40) }))
  expect(reading).toEqual({ kind: 'report', report })
})

describe('an archive is not used', () => {
  test.each([
    ['that is no zip', Buffer.from('PK but not really'), 'it is not a zip archive'],
    ['that is empty', new Uint8Array(), 'it is not a zip archive'],
    ['without the report', zipOf({ 'report.json': report }), 'it does not contain memorymark-report.json'],
    ['whose names climb', zipOf({ '../memorymark-report.json': report }), 'it does not contain memorymark-report.json'],
    ['whose report is not JSON', reportZip('{'), 'its report does not follow the report schema'],
    [
      'whose report is of another schema',
      reportZip({ ...report, schema: 'x/v9' }),
      'its report does not follow the report schema',
    ],
    [
      'whose report lacks a field',
      reportZip({ schema: report.schema }),
      'its report does not follow the report schema',
    ],
    ['that declares 21 MiB', bomb({ mib: 21, entry: 'memorymark-report.json' }), 'its report is larger than 20 MiB'],
    [
      'that inflates to 64 MiB and declares 1 KiB',
      bomb({ mib: 64, entry: 'memorymark-report.json', declaredBytes: 1_024 }),
      'it is damaged',
    ],
  ])('%s', async (_, zip, why) => {
    expect(await read(zip)).toEqual({ kind: 'unusable', why })
  })

  test('that holds 1,000 files, even with the report first', async () => {
    const others = Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`${i}.txt`, '']))
    const reading = await read(zipOf({ 'memorymark-report.json': report, ...others }))
    expect(reading).toEqual({ kind: 'unusable', why: 'it contains more than 20 files' })
  })
})
