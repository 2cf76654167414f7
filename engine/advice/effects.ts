/** What a change does to the training's result. */
import type { Effect } from '../report/advised-levers.ts'
import { comparesWithinBatch } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Lever } from './lever.ts'

/** Whether the model has batch norms, whose statistics depend on the micro-batch (ResNets, YOLOs). */
function normalisesBatches({ task, model }: TrainingSpec): boolean {
  return task === 'object-detection' || (task === 'image-classification' && /resnet/i.test(model))
}

/** Images of an optimizer step up to which Ultralytics accumulates unless told otherwise. */
const NOMINAL_BATCH = 64

/** The effect of a lever, including that of settings it brings along. */
export function effectOf(lever: Lever, before: TrainingSpec, after: TrainingSpec): Effect {
  // engine/trainer.py: weight decay is scaled by the nominal batch, which has to grow for more to accumulate.
  const raisesNominal = before.loop === 'ultralytics' && before.microBatch * before.gradientAccumulation > NOMINAL_BATCH
  const comparesSamples = normalisesBatches(before) || comparesWithinBatch(before)
  if (lever.id === 'micro-batch' && (raisesNominal || comparesSamples)) return 'changes-the-result'
  // torchtitan clips the whole gradient unless told otherwise, and gradients that are freed at once are not clipped.
  if (lever.id === 'optimizer-in-backward' && before.modelCode === 'torchtitan') return 'changes-the-result'
  return lever.effect === 'none' && after.precision !== before.precision ? 'numerics' : lever.effect
}
