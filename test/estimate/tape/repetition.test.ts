import { describe, expect, test } from 'vitest'
import { Footprint, Recording } from '../../../engine/estimate/footprint.ts'
import { countOf, EVERY_LAYER, layerPlan, withLeftOut } from '../../../engine/estimate/tape/repetition.ts'
import { workOf } from '../../../engine/estimate/throughput/work.ts'
import { findModel, modelIds } from '../../../engine/models/catalogue.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { knownModel, specOf } from '../specs.ts'

const device = { hasFlash: true }

/** What is said of a layer's place in the plan: its index, and its turn where it has one. */
const told = (kinds: string) =>
  layerPlan([...kinds], 1).map(({ index, turn }) => (turn === undefined ? `${index}` : `${index}:${turn.at}`))

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

  test('another one before the one that stands for others, where the second is not like it', () => {
    expect(layerPlan(Array(9).fill('a'), 2).map(({ index }) => index)).toEqual([0, 1, 2, 7, 8])
  })

  test('the second turn counts for those that are left out', () => {
    const counts = layerPlan(Array(10).fill('a'), 1).map(({ turn }) => countOf(turn))
    expect(counts).toEqual([1, 7, 1, 1])
    const items = layerPlan([...'xaaaaaay'], 1)
    expect(withLeftOut(items).map(({ index }) => index)).toEqual([0, 1, 2, 2, 2, 5, 6, 7])
  })
})

/** The last model of each family: one of its larger ones. */
const families = [...Map.groupBy(modelIds, id => findModel(id)?.family).values()].flatMap(ids => ids.slice(-1))

const plain = {} as const
const divided = { sharding: 'fsdp', gpus: 8, precision: 'bf16-master' } as const
const checkpointed = { gradientCheckpointing: true, precision: 'bf16', gradientAccumulation: 2 } as const

function someLinear(id: string): string {
  const spec = specOf(id, { lora: { rank: 8, targets: [], dropout: 0 } })
  const { linearNames } = new Recording(spec, knownModel(id).config, device).tape
  const projection = [...linearNames].find(name => name !== 'linear' && !name.startsWith('linear_'))
  if (projection === undefined) throw new Error(`${id} has no linear layer`)
  return projection
}

function everything(id: string, changes: Partial<TrainingSpec>, firstTurns?: number) {
  const { config } = knownModel(id)
  const spec = specOf(id, changes)
  const recording = new Recording(spec, config, device, firstTurns)
  const footprint = new Footprint(spec, config, device, recording)
  const peak = footprint.peak(8, 0)
  return {
    parameters: footprint.parameterCount,
    peak,
    fit: footprint.fit(8, Number.POSITIVE_INFINITY, 0),
    tight: footprint.fit(8, peak.bytes * 1.02, 0),
    work: workOf(footprint.nodes, {
      recomputes: spec.gradientCheckpointing,
      isCompiled: false,
      isLossCompiled: false,
      isFloat8: false,
      dividesTokens: false,
    }),
  }
}

describe.each(families)('%s', id => {
  test('is the same whether all of its layers are recorded or some stand for all', () => {
    expect(everything(id, plain)).toEqual(everything(id, plain, EVERY_LAYER))
  })

  test('and divided by FSDP, block by block', () => {
    expect(everything(id, divided)).toEqual(everything(id, divided, EVERY_LAYER))
  })

  test.runIf(findModel(id)?.tasks.includes('causal-lm'))(
    'and with checkpoints, accumulated gradients and adapters',
    () => {
      expect(everything(id, checkpointed)).toEqual(everything(id, checkpointed, EVERY_LAYER))
      const lora = { rank: 8, targets: [someLinear(id)], dropout: 0.05 }
      const adapted = { precision: 'bf16', lora } as const
      expect(everything(id, adapted)).toEqual(everything(id, adapted, EVERY_LAYER))
    },
  )
})

test.each(['meta-llama/Llama-3.1-8B', 'google/gemma-2-2b'])('%s, with checkpoints of every third layer', id => {
  const selective = { ...checkpointed, checkpointEvery: 3 }
  expect(everything(id, selective)).toEqual(everything(id, selective, EVERY_LAYER))
  const shared = { ...selective, ...divided }
  expect(everything(id, shared)).toEqual(everything(id, shared, EVERY_LAYER))
})

describe('a part of the model that trains', () => {
  const parts: readonly (readonly [string, string, readonly string[]])[] = [
    ['the last layers', 'meta-llama/Llama-3.1-8B', [String.raw`.*\.30\.`, String.raw`.*\.31\.`]],
    ['the first layers', 'meta-llama/Llama-3.1-8B', [String.raw`.*\.0\.`, String.raw`.*\.1\.`]],
    ['one layer among others', 'google/gemma-2-2b', [String.raw`model\.layers\.9\.`]],
    ['parts of all layers', 'meta-llama/Llama-3.1-8B', ['.*self_attn']],
    ['experts of one layer', 'Qwen/Qwen3-30B-A3B', [String.raw`.*\.40\.mlp`]],
    ['a decoder behind images', 'Qwen/Qwen2-VL-7B-Instruct', [String.raw`model\.language_model\.`, 'lm_head']],
    ['layers by a range', 'meta-llama/Llama-3.1-8B', [String.raw`model\.layers\.[12]\.`]],
  ]
  const ways = [plain, checkpointed, divided]

  test.each(parts)('%s', (_, id, names) => {
    for (const inputGradients of [false, true]) {
      for (const changes of ways.map(way => ({ ...way, trainable: { names: [...names], inputGradients } }))) {
        expect(everything(id, changes)).toEqual(everything(id, changes, EVERY_LAYER))
      }
    }
  })

  test('is recorded as one of few layers, unless its patterns may tell layers apart by more than whole numbers', () => {
    const nodes = (...names: string[]) => {
      const spec = specOf('meta-llama/Llama-3.1-8B', { trainable: { names, inputGradients: false } })
      return new Recording(spec, knownModel(spec.model).config, device).tape.nodes.length
    }
    const every = nodes(String.raw`.*layers\.3[01]\.`)
    expect(nodes(String.raw`.*\.30\.`, String.raw`.*\.31\.`)).toBeLessThan(every / 3)
    expect(nodes('.*self_attn')).toBeLessThan(every / 3)
  })
})

test('a model of many equal layers is recorded as one of few', () => {
  const nodes = (layers: number) => {
    const spec = specOf('meta-llama/Llama-3.1-8B')
    const config = { ...knownModel('meta-llama/Llama-3.1-8B').config, num_hidden_layers: layers }
    return new Recording(spec, config, device).tape.nodes.length
  }
  expect(nodes(250)).toBe(nodes(10))
})
