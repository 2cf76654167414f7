import { describe, expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/config/spec.ts'
import { Footprint, Recording } from '../../engine/estimate/footprint.ts'
import { countOf, layerPlan, withLeftOut } from '../../engine/estimate/repetition.ts'
import { workOf } from '../../engine/estimate/work.ts'
import { findModel, modelIds } from '../../engine/models/catalogue.ts'
import { specOf } from './specs.ts'

const device = { hasFlash: true }

/** What is said of a layer's place in the plan: its index, and its turn where it has one. */
const told = (kinds: string) =>
  layerPlan([...kinds]).map(({ index, turn }) => (turn === undefined ? `${index}` : `${index}:${turn.at}`))

describe('which layers are recorded', () => {
  test('four of many equal ones: the first, two in the middle, the last', () => {
    expect(told('aaaaaaaaaa')).toEqual(['0:0', '1:1', '8:2', '9:3'])
  })

  test('four turns where kinds alternate, and what comes before and after them', () => {
    expect(told('xabababababay')).toEqual(['0', '1:0', '2:0', '3:1', '4:1', '7:2', '8:2', '9:3', '10:3', '11', '12'])
  })

  test('all where no four turns are left over', () => {
    expect(told('aaaa')).toEqual(['0', '1', '2', '3'])
    expect(told('abcdefgh')).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  test('the second turn counts for those that are left out', () => {
    const counts = layerPlan(Array(10).fill('a')).map(({ turn }) => countOf(turn))
    expect(counts).toEqual([1, 7, 1, 1])
    const items = layerPlan([...'xaaaaaay'])
    expect(withLeftOut(items).map(({ index }) => index)).toEqual([0, 1, 2, 2, 2, 5, 6, 7])
  })
})

/** The last model of each family: one of its larger ones. */
const families = [...Map.groupBy(modelIds, id => findModel(id)?.family).values()].flatMap(ids => ids.slice(-1))

const plain = {} as const
const checkpointed = { gradientCheckpointing: true, precision: 'bf16', gradientAccumulation: 2 } as const

function everything(id: string, changes: Partial<TrainingSpec>, leavesOutRepeats: boolean) {
  const config = findModel(id)?.config
  if (config === undefined) throw new Error(`${id} is not in the catalogue`)
  const spec = specOf(id, changes)
  const recording = new Recording(spec, config, device, leavesOutRepeats)
  const footprint = new Footprint(spec, config, device, recording)
  const peak = footprint.peak(8, 0)
  return {
    parameters: footprint.parameterCount,
    peak,
    fit: footprint.fit(8, Number.POSITIVE_INFINITY, 0),
    tight: footprint.fit(8, peak.bytes * 1.02, 0),
    work: workOf(footprint.nodes, spec.gradientCheckpointing),
  }
}

describe.each(families)('%s', id => {
  test('is the same whether all of its layers are recorded or some stand for all', () => {
    expect(everything(id, plain, true)).toEqual(everything(id, plain, false))
  })

  test.runIf(findModel(id)?.tasks.includes('causal-lm'))('and with checkpoints and accumulated gradients', () => {
    expect(everything(id, checkpointed, true)).toEqual(everything(id, checkpointed, false))
  })
})

test('a model of many equal layers is recorded as one of few', () => {
  const nodes = (layers: number) => {
    const spec = specOf('meta-llama/Llama-3.1-8B')
    const config = { ...findModel('meta-llama/Llama-3.1-8B')?.config, num_hidden_layers: layers }
    return new Recording(spec, config as never, device).tape.nodes.length
  }
  expect(nodes(250)).toBe(nodes(10))
})
