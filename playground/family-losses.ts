/** In the place of losses in engine/estimate/objectives that only families take that are not there at once: they come with those. */
import type { ctcLoss as everyCtcLoss } from '../engine/estimate/objectives/ctc-loss.ts'
import type { detectionLoss as everyDetectionLoss } from '../engine/estimate/objectives/detection-loss.ts'
import type { sentenceLoss as everySentenceLoss } from '../engine/estimate/objectives/sentence-loss.ts'
import { FamiliesNotLoaded } from './model-types.ts'

interface FamilyLosses {
  readonly ctcLoss: typeof everyCtcLoss
  readonly detectionLoss: typeof everyDetectionLoss
  readonly sentenceLoss: typeof everySentenceLoss
}

let known: FamilyLosses | undefined

/** Once late-models.ts is there. */
export function provideLosses(losses: FamilyLosses): void {
  known = losses
}

/** @throws FamiliesNotLoaded, as the next ones do. */
export const ctcLoss: FamilyLosses['ctcLoss'] = (...terms) => losses().ctcLoss(...terms)
export const detectionLoss: FamilyLosses['detectionLoss'] = (...terms) => losses().detectionLoss(...terms)
export const sentenceLoss: FamilyLosses['sentenceLoss'] = (...terms) => losses().sentenceLoss(...terms)

function losses(): FamilyLosses {
  if (known === undefined) throw new FamiliesNotLoaded()
  return known
}
