/** The smaller sizes that levers ask for. */
import type { TrainingSpec } from '../training/spec.ts'

/** Sides of images are multiples of the coarsest stride. */
const SIDE_STEP = 32

export function halfLength({ sequenceLength = 0 }: TrainingSpec): number {
  return Math.floor(sequenceLength / 2)
}

export function smallerSide({ imageSize = 0 }: TrainingSpec): number {
  return Math.floor((imageSize * 0.75) / SIDE_STEP) * SIDE_STEP
}

export function halfCompletions({ method }: TrainingSpec): number | undefined {
  return method?.kind === 'online' ? Math.floor(method.completionLength / 2) : undefined
}

export function halfShare({ method }: TrainingSpec): number | undefined {
  const { generation } = method?.kind === 'online' ? method : {}
  return generation?.kind === 'vllm' ? Math.floor(generation.share * 50) / 100 : undefined
}
