import { expect, it } from 'vitest'
import { selectAnnotations } from '../../action/annotations.ts'
import type { Annotation } from '../../engine/index.ts'

function annotation(line: number, level: Annotation['level']): Annotation {
  return { path: 'a.yaml', line, level, title: 'title', message: 'message' }
}

it('a step shows ten of each level, its own included, and counts the rest', () => {
  const all = Array.from({ length: 12 }, (_, index) => [
    annotation(index + 1, 'failure'),
    annotation(index + 1, 'warning'),
  ]).flat()
  const { shown, leftOut } = selectAnnotations(all, { failure: 1, warning: 2, notice: 0 })
  expect(shown.filter(({ level }) => level === 'failure').map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(shown.filter(({ level }) => level === 'warning').map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(leftOut).toBe(7)
})
