import { afterAll, describe, expect, test } from 'vitest'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'
import { levers, reportOf, tooLarge } from '../render/fixtures.ts'

/** However busy the machine is: these tests are not about the limit. */
const engine = new IsolatedEngine({ limits: { fileMillis: 60_000, totalMillis: 600_000 } })
afterAll(() => engine[Symbol.asyncDispose]())

const now = new Date(0)
const gpu = findGpu('l4')
const options = { now, ...(gpu && { gpu }) }

function config(path: string, microBatch: number) {
  const text = `model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: ${microBatch}\npacking: false\nloss_type: nll\n`
  return { path, text }
}

describe('the levers of a report', () => {
  test('are told of what does not fit, and of nothing else unless asked', async () => {
    const files = [config('large.yaml', 64), config('small.yaml', 1)]
    const report = await engine.analyze(files, options)
    const lacking = (await engine.withLevers(report, files, options)).configs
    expect(lacking.map(each => 'levers' in each)).toEqual([true, false])
    const all = (await engine.withLevers(report, files, { ...options, ofAll: true })).configs
    expect(all.map(each => 'levers' in each)).toEqual([true, true])
  })

  test('are those of the gravest five at most', async () => {
    const files = Array.from({ length: 8 }, (_, index) => config(`c${index}.yaml`, 64 + 8 * index))
    const report = await engine.withLevers(await engine.analyze(files, options), files, options)
    expect(report.configs.filter(each => 'levers' in each)).toHaveLength(5)
  })

  test('are never those that a report brought with it: their lines may come to be written', async () => {
    const forged = reportOf([tooLarge({ provenance: 'measured', levers: [...levers] })])
    const [only] = (await engine.withLevers(forged, [], options)).configs
    expect(only).not.toHaveProperty('levers')
  })
})
