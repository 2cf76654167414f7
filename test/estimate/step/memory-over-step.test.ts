import { describe, expect, test } from 'vitest'
import { Footprint, Recording } from '../../../engine/estimate/footprint.ts'
import { EVERY_LAYER } from '../../../engine/estimate/tape/repetition.ts'
import { byteKinds } from '../../../engine/estimate/tape/storage.ts'
import { findModel, modelIds } from '../../../engine/models/catalogue.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf, knownModel, specOf, WORKSPACE_BYTES } from '../specs.ts'

const POINTS = 300
const LLAMA = 'meta-llama/Llama-3.2-1B'

const lora = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0.05 }

const steps: readonly (readonly [string, string, Partial<TrainingSpec>])[] = [
  ['BERT', 'google-bert/bert-base-uncased', {}],
  ['BERT with accumulated gradients', 'google-bert/bert-base-uncased', { gradientAccumulation: 4 }],
  ['ResNet', 'microsoft/resnet-50', { optimizer: 'sgd' }],
  ['T5', 'google-t5/t5-small', { optimizer: 'adafactor' }],
  ['Llama, checkpointed', LLAMA, { precision: 'bf16', gradientCheckpointing: true }],
  ['Llama with adapters', LLAMA, { precision: 'bf16', lora }],
  ['Llama under FSDP', LLAMA, { precision: 'bf16-master', sharding: 'fsdp', gpus: 8 }],
  ['Llama under ZeRO-3', LLAMA, { precision: 'bf16-master', sharding: 'zero3', gpus: 4, gradientAccumulation: 2 }],
  ['forward and backward alone', 'openai-community/gpt2', { step: 'forward-backward' }],
]

describe.each(steps)('the memory over a step of %s', (_, model, changes) => {
  const footprint = footprintOf(model, changes)
  const points = footprint.overStep(8, WORKSPACE_BYTES, POINTS)
  const peak = footprint.peak(8, WORKSPACE_BYTES)

  test('is highest at the peak, in the same moment, of the same kinds', () => {
    const highest = points.reduce((high, point) => (point.bytes > high.bytes ? point : high))
    expect(highest).toMatchObject({ bytes: peak.bytes, breakdown: peak.breakdown, moment: peak.moment })
  })

  test('is the sum of its kinds at every point, none of them below nothing', () => {
    for (const { bytes, breakdown } of points) {
      expect(byteKinds.reduce((sum, kind) => sum + breakdown[kind], 0)).toBe(bytes)
      expect(Math.min(...Object.values(breakdown))).toBeGreaterThanOrEqual(0)
    }
  })

  test('has about as many points as were asked for', () => {
    expect(points.length).toBeGreaterThan(POINTS / 2)
    expect(points.length).toBeLessThan(POINTS + 6)
  })
})

/** Each phase once for each time that it begins. */
function phasesOf(model: string, changes: Partial<TrainingSpec>): readonly string[] {
  const points = footprintOf(model, changes).overStep(2, 0, POINTS)
  return points.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1])
}

describe('the phases of a step', () => {
  test('are forward, backward and optimizer, even where the optimizer allocates nothing', () => {
    expect(phasesOf('bert', {})).toEqual(['forward', 'backward', 'optimizer'])
    expect(phasesOf('bert', { optimizer: 'adamw-fused' })).toEqual(['forward', 'backward', 'optimizer'])
  })

  test('come again for the micro-step that runs beside accumulated gradients', () => {
    expect(phasesOf('bert', { gradientAccumulation: 4 })).toEqual([
      'forward',
      'backward',
      'forward',
      'backward',
      'optimizer',
    ])
  })

  test('end with the backward pass where there is no optimizer', () => {
    expect(phasesOf('bert', { step: 'forward-backward' })).toEqual(['forward', 'backward'])
  })
})

/** The last model of each family: one of its larger ones. */
const families = [...Map.groupBy(modelIds, id => findModel(id)?.family).values()].flatMap(ids => ids.slice(-1))
const everyMoment = Number.POSITIVE_INFINITY

test.each<[string, Partial<TrainingSpec>]>([
  ...families.map((id): [string, Partial<TrainingSpec>] => [id, {}]),
  [LLAMA, { precision: 'bf16', gradientCheckpointing: true, gradientAccumulation: 2 }],
  [LLAMA, { precision: 'bf16-master', sharding: 'fsdp', gpus: 8 }],
  [LLAMA, { precision: 'bf16', lora }],
])('every layer of %s with %j is there by its name, recorded or not', (id, changes) => {
  const spec = specOf(id, changes)
  const { config } = knownModel(id)
  const device = { hasFlash: true }
  const whole = new Recording(spec, config, device, EVERY_LAYER)
  const [some, all] = [undefined, whole].map(recording =>
    new Footprint(spec, config, device, recording).overStep(2, 0, everyMoment).map(point => JSON.stringify(point)),
  )
  expect(some?.filter((point, index) => point !== all?.[index]).slice(0, 3)).toEqual([])
  expect(some?.length).toBe(all?.length)
})
