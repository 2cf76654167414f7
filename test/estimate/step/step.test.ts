import { expect, test } from 'vitest'
import { Step } from '../../../engine/estimate/step/step.ts'
import type { Storage } from '../../../engine/estimate/tape/storage.ts'

const storage = (id: number, changes: Partial<Storage> = {}): Storage => ({
  id,
  fixedBytes: 1_024,
  bytesPerSample: 0,
  kind: 'activations',
  persistent: false,
  ...changes,
})

test('storages of the same size and kind share a size number, and others do not', () => {
  const step = new Step()
  step.allocate(storage(0))
  step.allocate(storage(1))
  step.allocate(storage(2, { kind: 'logits' }))
  step.allocate(storage(3, { fixedBytes: 0, bytesPerSample: 1_024 }))
  step.release(storage(1))
  expect([...step.changes.slice()]).toEqual([1, 1, 2, 3, -1])
  expect([...step.bytesAt(4)]).toEqual([0, 1_024, 1_024, 4_096])
})

test('a mask between all rows of a batch grows with its square, and its copy for the kernel is there where rows are no multiple of eight', () => {
  const mask = { rowsPerSample: 20, bytesPerElement: 2 }
  const step = new Step()
  const bytes = { fixedBytes: 0, bytesPerSample: 20 * 20 * 2 }
  step.allocate(storage(0, { ...bytes, maskOfBatch: { ...mask, isPaddedCopy: false } }))
  step.allocate(storage(1, { ...bytes, maskOfBatch: { ...mask, isPaddedCopy: true } }))
  // 20² and 20 × 24, then 40² elements, in blocks of 512 bytes.
  expect([...step.bytesAt(1)]).toEqual([0, 1_024, 1_024])
  expect([...step.bytesAt(2)]).toEqual([0, 3_584, 0])
  expect([...step.bytesAt(3)]).toEqual([0, 7_680, 7_680])
})

test('an event happened in the moment that had begun before it; a moment without events leaves no trace', () => {
  const step = new Step()
  step.begin('the batch')
  step.allocate(storage(0))
  step.begin('forward', 'embeddings')
  step.begin('backward', 'embeddings')
  step.release(storage(0))
  expect([step.momentOf(0), step.momentOf(1)]).toEqual(['the batch', 'backward of embeddings'])
})

test('more events than the first buffer holds are all kept', () => {
  const step = new Step()
  for (let id = 0; id < 1_000; id++) step.allocate(storage(id))
  expect(step.length).toBe(1_000)
  expect(step.takeOwners().storageId(999)).toBe(999)
})
