import { describe, expect, test } from 'vitest'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { openProbe } from '../../engine/probes/probe.ts'
import { peakOf } from '../../engine/probes/trial.ts'
import { MIB } from '../../engine/units.ts'
import { hasTorch, python } from './python.ts'
import { tinyConfig, tinySpec } from './tiny-spec.ts'

const context = {
  spec: tinySpec,
  config: tinyConfig,
  footprint: new Footprint(tinySpec, tinyConfig),
  gpu: defaultGpu,
  python,
}

describe.skipIf(!hasTorch)('the trace engine, with Python and PyTorch', { timeout: 60_000 }, () => {
  test('gives the peak within 3 % of the estimate, and reserves no less than the peak', async () => {
    await using traced = await openProbe('trace', context)
    await using estimated = await openProbe('estimate', context)
    const { provenance, outcome } = await traced.trial(512)
    const expected = peakOf((await estimated.trial(512)).outcome) ?? 0
    expect(provenance).toBe('traced')
    if (outcome.kind !== 'fits') throw new Error(outcome.kind)
    expect(outcome.reservedBytes).toBeGreaterThanOrEqual(outcome.peakBytes ?? Number.POSITIVE_INFINITY)
    expect(Math.abs((outcome.peakBytes ?? 0) / expected - 1)).toBeLessThan(0.03)
  })

  test('on a card that is too small it is out of memory, and says how much was needed', async () => {
    await using traced = await openProbe('trace', { ...context, limitMemoryBytes: 340 * MIB })
    const { outcome } = await traced.trial(4096)
    expect(outcome.kind).toBe('out-of-memory')
    expect(peakOf(outcome)).toBeGreaterThan(40 * MIB)
  })

  test('an entry point is refused: user code runs for real or not at all', async () => {
    await expect(openProbe('trace', { ...context, entrypoint: 'own.py:step' })).rejects.toThrow(/entry point/)
  })
})
