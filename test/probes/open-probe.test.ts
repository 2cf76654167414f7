import { describe, expect, it } from 'vitest'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

const model = knownModel('meta-llama/Llama-3.2-1B')

function contextOf(changes: Partial<TrainingSpec>) {
  const spec = specOf('meta-llama/Llama-3.2-1B', { task: 'causal-lm', ...changes })
  return { spec, config: model.config, footprints: new FootprintCache(), gpu: defaultGpu, python: 'no-such-python' }
}

describe('a step that the Python worker does not run', () => {
  const beyond: [what: string, changes: Partial<TrainingSpec>][] = [
    ["DeepSpeed's sharding", { gpus: 2, sharding: 'zero2' }],
    ['offloading', { offload: 'optimizer' }],
    ['a fused loss', { fusedLoss: true }],
    ['float32 master weights', { precision: 'bf16-master' }],
    ['the optimizer lion', { optimizer: 'lion' }],
  ]

  it.each(beyond)('is never called traced or measured: %s', async (what, changes) => {
    await expect(openProbe('torch', contextOf(changes))).rejects.toThrow(what)
  })

  it.each(beyond.filter(([, { gpus }]) => gpus === undefined))('nor is it traced: %s', async (what, changes) => {
    await expect(openProbe('trace', contextOf(changes))).rejects.toThrow(what)
  })

  it('several GPUs are measured, but not traced', async () => {
    await expect(openProbe('trace', contextOf({ gpus: 2, sharding: 'fsdp' }))).rejects.toThrow('several GPUs')
  })

  it.each(beyond)('is estimated where the engine is left to the machine: %s', async (_, changes) => {
    await using probe = await openProbe('auto', contextOf(changes))
    expect(probe).toMatchObject({ engine: 'estimate', provenance: 'estimated' })
  })
})

describe.each([
  ['OpenMOSS-Team/MOSS-VL-Instruct-0708', 'models whose code is published with the checkpoint'],
  ['ultralytics/yolo11n', "Ultralytics' models"],
])("a model whose code is not transformers': %s", (id, whose) => {
  const { config } = knownModel(id)
  const spec = specOf(id)
  const context = { spec, config, footprints: new FootprintCache(), gpu: defaultGpu, python: 'no-such-python' }

  it.each(['torch', 'trace'] as const)('is not run by %s', async engine => {
    await expect(openProbe(engine, context)).rejects.toThrow(whose)
  })

  it('is estimated where the engine is left to the machine', async () => {
    await using probe = await openProbe('auto', context)
    expect(probe.engine).toBe('estimate')
  })
})
