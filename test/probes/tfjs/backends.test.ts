import * as tf from '@tensorflow/tfjs-core'
import { describe, expect, it } from 'vitest'
import { Footprint } from '../../../engine/estimate/footprint.ts'
import { findModel } from '../../../engine/models/catalogue.ts'
import { activate, type Backend } from '../../../engine/probes/tfjs/backend.ts'
import { openCpu } from '../../../engine/probes/tfjs/cpu-backend.ts'
import { measure } from '../../../engine/probes/tfjs/measure.ts'
import { openMeta } from '../../../engine/probes/tfjs/meta-backend.ts'
import { openNative } from '../../../engine/probes/tfjs/native-backend.ts'
import { Training } from '../../../engine/probes/tfjs/step.ts'
import type { Outcome } from '../../../engine/probes/trial.ts'
import { everyFamily, type Tiny, tinyBert, tinyGpt2 } from './tiny.ts'

const nativeFolder = process.env.MEMORYMARK_TFJS_NATIVE
const native = nativeFolder === undefined ? undefined : await openNative(nativeFolder)
const [meta, cpu] = [openMeta(), openCpu()]

const AMPLE = 1e15

function outcomeOn(backend: Backend, tiny: Pick<Tiny, 'config' | 'spec'>, microBatch: number, budgetBytes = AMPLE) {
  const spec = { ...tiny.spec, microBatch }
  return measure(backend, { spec, config: tiny.config, budgetBytes, steps: 2, pass: 'step' })
}

function peakOf(outcome: Outcome): number {
  if (outcome.kind !== 'fits' || outcome.peakBytes === undefined) throw new Error(`no peak: ${JSON.stringify(outcome)}`)
  return outcome.peakBytes
}

const sizes = [1, 2, 5, 8]

describe.each(everyFamily)('$name', tiny => {
  it.each(sizes)('holds in shapes, at batch %d, what it holds in numbers, byte for byte', async microBatch => {
    const inNumbers = peakOf(await outcomeOn(cpu, tiny, microBatch))
    expect(peakOf(await outcomeOn(meta, tiny, microBatch))).toBe(inNumbers)
  })

  it.skipIf(native === undefined)('holds at most 0.3 % more in TensorFlow (MEMORYMARK_TFJS_NATIVE)', async () => {
    if (native === undefined) return
    const [inTensorFlow, inShapes] = [await outcomeOn(native, tiny, 5), await outcomeOn(meta, tiny, 5)]
    expect(peakOf(inTensorFlow) / peakOf(inShapes)).toBeGreaterThanOrEqual(1)
    expect(peakOf(inTensorFlow) / peakOf(inShapes)).toBeLessThan(1.003)
  })

  it('has as many parameters as the tape counts', async () => {
    await activate(meta)
    const training = new Training(tiny.spec, tiny.config, 1, 'sgd', meta.values)
    const { count } = training.parameters
    training.dispose()
    expect(count).toBe(new Footprint({ ...tiny.spec, framework: 'pytorch' }, tiny.config).parameterCount)
  })
})

describe('the meta backend', () => {
  const bert = { config: findModel('bert')?.config ?? tinyBert.config, spec: { ...tinyBert.spec, sequenceLength: 128 } }

  it('steps BERT-base at batch 288, which takes 196 GiB', async () => {
    const peak = peakOf(await outcomeOn(meta, bert, 288))
    expect(peak / 2 ** 30).toBeCloseTo(196.4, 0)
  })

  it('knows by how much a batch is too large', async () => {
    const peak = peakOf(await outcomeOn(meta, bert, 16))
    expect(await outcomeOn(meta, bert, 16, peak - 1)).toEqual({ kind: 'out-of-memory', neededBytes: peak })
    expect((await outcomeOn(meta, bert, 16, peak)).kind).toBe('fits')
  })

  it('leaves nothing behind', async () => {
    await outcomeOn(meta, tinyBert, 2)
    expect({ bytes: meta.ledger.heldBytes, tensors: tf.memory().numTensors }).toEqual({ bytes: 0, tensors: 0 })
  })
})

describe('a budget', () => {
  it('of the peak is enough, and of a byte less is not', async () => {
    const peak = peakOf(await outcomeOn(cpu, tinyGpt2, 4))
    expect((await outcomeOn(cpu, tinyGpt2, 4, peak)).kind).toBe('fits')
    expect(await outcomeOn(cpu, tinyGpt2, 4, peak - 1)).toEqual({ kind: 'out-of-memory' })
  })
})

describe('the step', () => {
  const bytes = async (changes: Partial<Tiny['spec']>) =>
    peakOf(await outcomeOn(meta, { ...tinyBert, spec: { ...tinyBert.spec, ...changes } }, 4))

  it('without an optimizer takes less', async () => {
    expect(await bytes({ step: 'forward-backward' })).toBeLessThan(await bytes({ optimizer: 'sgd' }))
  })

  it('holds a copy of the gradients more when it accumulates, however often', async () => {
    const parameterBytes = 4 * 1859
    const once = await bytes({ optimizer: 'sgd' })
    expect(await bytes({ optimizer: 'sgd', gradientAccumulation: 2 })).toBe(once + parameterBytes)
    expect(await bytes({ optimizer: 'sgd', gradientAccumulation: 8 })).toBe(once + parameterBytes)
  })

  it.each([
    [{ precision: 'bf16' }, 'TensorFlow.js trains in fp32, not in bf16'],
    [{ gradientCheckpointing: true }, 'TensorFlow.js has no gradient checkpointing'],
    [{ optimizer: 'lion' }, 'TensorFlow.js has no optimizer "lion"'],
    [{ gpus: 2 }, 'TensorFlow.js trains on one GPU, without offloading'],
    [{ fusedLoss: true }, 'TensorFlow.js has no fused loss'],
    [{ quantization: 'nf4' }, 'TensorFlow.js has neither adapters nor quantised training'],
  ] as const)('refuses %j', async (changes, message) => {
    const tiny = { ...tinyBert, spec: { ...tinyBert.spec, ...changes } }
    expect(await outcomeOn(meta, tiny, 2)).toMatchObject({ kind: 'failed', problem: { message } })
  })

  it('is never taken for a PyTorch config', async () => {
    const tiny = { ...tinyBert, spec: { ...tinyBert.spec, framework: 'pytorch' as const } }
    expect(await outcomeOn(meta, tiny, 2)).toMatchObject({ kind: 'failed', problem: { code: 'tfjs-unsupported' } })
  })
})
