import { expect, test } from 'vitest'
import { beyondTrace, derivationOf, errorBandPercent } from '../../engine/estimate/error-band.ts'
import { specOf } from './specs.ts'

test('a step that PyTorch’s trace covers carries the band that bench:accuracy holds', () => {
  const spec = specOf('bert')
  expect([errorBandPercent(spec), beyondTrace(spec), derivationOf(spec)]).toEqual([3, undefined, []])
})

test.each([
  ['quantised base weights', { quantization: 'nf4' }],
  ['several GPUs', { gpus: 8 }],
  ['a fused loss', { fusedLoss: true }],
  ['float32 master weights', { precision: 'bf16-master' }],
] as const)('%s widen the band, and the report says why', (what, changes) => {
  const spec = specOf('bert', changes)
  expect(errorBandPercent(spec)).toBe(10)
  expect(derivationOf(spec)).toEqual([expect.stringContaining(what)])
})
