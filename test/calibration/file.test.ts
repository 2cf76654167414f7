import { describe, expect, test } from 'vitest'
import { calibrationOf, readCalibration, readRuns, withRuns, writtenRuns } from '../../engine/calibration/file.ts'
import { bertSpec, runWith } from './runs.ts'

const path = '.github/memorymark-calibration.json'

function told(text: string): string {
  const reading = readCalibration({ path, text })
  if (reading.kind !== 'unreadable') throw new Error(`nothing was refused: ${JSON.stringify(reading)}`)
  return reading.problems.map(({ file, message, fix }) => `${file}: ${message}. ${fix}`).join('\n')
}

describe('the file', () => {
  test('keeps the runs as they were written', () => {
    const runs = [runWith({ speed: 0.9 }), runWith({ speed: 0.8, memory: 1.1 })]
    expect(readRuns({ path, text: writtenRuns(runs) })).toEqual({ kind: 'runs', runs })
  })

  test('comes to the ratios of each GPU and kind of training', () => {
    const lora = { rank: 8, targets: ['query'], dropout: 0 }
    const runs = [
      runWith({ speed: 0.9 }),
      runWith({ speed: 0.8, memory: 1.1 }, { toolVersion: '0.0.1' }),
      runWith({ memory: 1.2 }, { gpu: 'h100' }),
      runWith({ speed: 0.7 }, { spec: { ...bertSpec, lora } }),
    ]
    expect(calibrationOf(runs)).toEqual([
      { gpu: 'a10', class: 'text', speeds: [0.9, 0.8], peaks: [1.1], otherVersions: 1 },
      { gpu: 'h100', class: 'text', speeds: [], peaks: [1.2], otherVersions: 0 },
      { gpu: 'a10', class: 'adapters', speeds: [0.7], peaks: [], otherVersions: 0 },
    ])
  })

  test('counts a run once, however often it is added, and lets the oldest of too many go', () => {
    const run = runWith({ speed: 0.9 })
    expect(withRuns([run], [run, runWith({ speed: 0.8 })])).toHaveLength(2)
    const many = Array.from({ length: 500 }, (_, index) => runWith({ speed: 1 + index / 1_000 }))
    const all = withRuns(many, [runWith({ speed: 0.5 })])
    expect(all).toHaveLength(500)
    expect(all.at(-1)).toEqual(runWith({ speed: 0.5 }))
    expect(all).not.toContainEqual(many[0])
  })
})

describe('a file that cannot be what it should is refused whole, whatever it holds', () => {
  test.each([
    ['no JSON', '{', 'it is no calibration file'],
    ['another file', '{"schema":"memorymark.report/v1"}', 'schema is not what `memorymark calibrate` writes there'],
    ['an endless one', ' '.repeat(2_000_001), 'the file has more than 2 million characters'],
    ['too many runs', writtenRuns(Array.from({ length: 501 }, () => runWith({ speed: 1 }))), 'runs is not what'],
    ['a run without a measurement', writtenRuns([runWith({})]), 'runs.0 is not what'],
    ['a speed beyond belief', writtenRuns([runWith({ speed: 9 })]), 'runs.0 is not what'],
    ['a memory that would block everything', writtenRuns([runWith({ memory: 100 })]), 'runs.0 is not what'],
    ['a memory that would let everything pass', writtenRuns([runWith({ memory: 0.01 })]), 'runs.0 is not what'],
    ['a negative speed', writtenRuns([runWith({ speed: -1 })]), 'runs.0.measured.samplesPerSecond is not what'],
    [
      'a spec that is none',
      JSON.stringify({ schema: 'memorymark.calibration/v1', runs: [{ gpu: 'a10' }] }),
      'runs.0.spec',
    ],
    ['a prototype', '{"__proto__":{"schema":"memorymark.calibration/v1","runs":[]}}', 'schema is not what'],
  ])('%s', (_, text, message) => {
    expect(told(text)).toContain(`${path}: ${message}`)
  })
})
