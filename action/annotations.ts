/** Annotations on the changed lines, as many as the runner shows. */
import type { Annotation } from '../engine/index.ts'

type Level = Annotation['level']

/** GitHub drops what a step annotates beyond ten of each level, without saying so. */
const MAX_A_LEVEL = 10

export interface Selection {
  readonly shown: readonly Annotation[]
  readonly leftOut: number
}

/** The first of each level. `taken` counts what the step annotates besides, such as its own failure. */
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
