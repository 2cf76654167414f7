import { describe, expect, test } from 'vitest'
import { renderComment } from '../../engine/render/comment.ts'
import { materialOf } from '../../engine/render/material.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import { reportOf, wasteful } from './fixtures.ts'

const measured = wasteful({ provenance: 'measured', throughputProvenance: 'measured' })
const material = (changes: Partial<AnalysedConfig> = {}) => materialOf(reportOf([{ ...measured, ...changes }]))
const { current } = measured

describe('two reports say the same', () => {
  test('when a measurement was repeated and only its last digits moved', () => {
    const again: Partial<AnalysedConfig> = {
      current: {
        ...current,
        peakBytes: current.peakBytes * 1.001,
        samplesPerSecond: (current.samplesPerSecond ?? 0) * 1.002,
      },
      errorBandPercent: 0.3,
      trials: [],
    }
    expect(material(again)).toBe(material())
  })
})

describe('two reports differ', () => {
  test.each<[string, Partial<AnalysedConfig>]>([
    ['batch', { current: { ...current, microBatch: current.microBatch + 8 } }],
    ['share of the GPU', { current: { ...current, peakBytes: current.peakBytes * 1.1 } }],
    ['provenance', { provenance: 'estimated' }],
    ['GPU', { gpu: { ...measured.gpu, name: 'NVIDIA L4' } }],
    ['verdict', { verdict: { state: 'fine', reasons: [] } }],
    ['saving', { savingsPerYearUsd: measured.savingsPerYearUsd * 1.5 + 100 }],
    ['path', { path: 'other.yaml' }],
  ])('by the %s', (_, changes) => {
    expect(material(changes)).not.toBe(material())
  })
})

test('a hidden note is the last line, within the room of the comment', () => {
  const note = `<!-- memorymark:material ${material()} -->`
  const comment = renderComment(reportOf(Array.from({ length: 400 }, () => measured)), { hiddenNote: note })
  expect(comment?.split('\n').at(-1)).toBe(note)
  expect(comment?.length).toBeLessThanOrEqual(65_536)
})
