/** Traces that the record of `npm run bench:accuracy` keeps, and when one of them stands for a trace of now. */
import { expect, it } from 'vitest'
import { cells } from '../../bench/accuracy/cells.ts'
import { recordedCell } from '../../bench/accuracy/recorded.ts'
import { GIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

const releases = { torch: '2.13.0+cpu', transformers: '5.18.0' }
const [cell] = cells
const estimate = () => {
  const [name, changes] = cell!
  const spec = specOf(name, { microBatch: 8, ...changes })
  return new Footprint(spec, knownModel(name).config).peak(spec.microBatch, 0).bytes
}

it('it stands where the estimate is what it was, by the same releases', () => {
  const recorded = recordedCell(cell!, estimate(), releases)
  expect(recorded!.tracedBytes / GIB).toBeCloseTo(estimate() / GIB, 2)
})

it('it does not where the estimate is another, the cell is new, or other releases are installed', () => {
  expect(recordedCell(cell!, estimate() + 0.002 * GIB, releases)).toBeUndefined()
  expect(recordedCell(['bert', { microBatch: 7 }], estimate(), releases)).toBeUndefined()
  expect(recordedCell(cell!, estimate(), { ...releases, torch: '2.14.0+cpu' })).toBeUndefined()
})
