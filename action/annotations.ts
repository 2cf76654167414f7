/** Selects annotations for changed lines, up to the runner's limit. */
import type { Annotation } from '../engine/index.ts'

type Level = Annotation['level']

/** GitHub silently drops annotations of a step beyond ten of each level. */
const MAX_A_LEVEL = 10

export interface Selection {
  readonly shown: readonly Annotation[]
  readonly leftOut: number
}

/** The first of each level. `taken`: annotations that the step adds otherwise, such as its own failure. */
export function selectAnnotations(
  annotations: readonly Annotation[],
  taken: Readonly<Record<Level, number>>,
): Selection {
  const counts = { ...taken }
  const shown = annotations.filter(({ level }) => {
    counts[level] += 1
    return counts[level] <= MAX_A_LEVEL
  })
  return { shown, leftOut: annotations.length - shown.length }
}
