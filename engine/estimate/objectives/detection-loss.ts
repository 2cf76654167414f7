/**
 * Ultralytics' box and class losses, and the assignment of pixels to objects. ultralytics 8.4: utils/loss.py
 * v8DetectionLoss, utils/tal.py TaskAlignedAssigner.
 */

import { yoloDetector } from '../../models/vision/yolo.ts'
import type { YoloConfig } from '../../models/vision/yolo-versions.ts'
import { trace } from '../../program/builder.ts'
import { interpret } from '../../program/interpreter.ts'
import { ASSUMED_OBJECTS, type TrainingSpec } from '../../training/spec.ts'
import { made } from '../tape/autograd.ts'
import { cast, lowered, raised } from '../tape/ops/casts.ts'
import { elementwise } from '../tape/ops/primitives.ts'
import { raisedSoftmax } from '../tape/ops/softmax.ts'
import { rows } from '../tape/registry.ts'
import { type Dtype, elements, markLogits, type Storage, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'

/** What a head finds. */
interface Found {
  readonly boxes: Tensor
  readonly scores: Tensor
  readonly keypoints: Tensor | undefined
}

/** Of a box. */
const SIDES = 4

export function detectionLoss(tape: Tape, config: YoloConfig, spec: TrainingSpec): Tensor {
  return tape.underAutocast(() => {
    const program = trace(ops => yoloDetector(ops, config, spec.labels))
    const found = interpret(program, rows, tape)
    const heads = program.result.map(({ boxes, scores, keypoints }) => ({
      boxes: found(boxes),
      scores: found(scores),
      keypoints: keypoints && found(keypoints),
    }))
    const losses = heads.flatMap(head => lossesOf(tape, head, spec.objects ?? ASSUMED_OBJECTS))
    tape.record('return', {
      reads: heads.flatMap(({ boxes, scores, keypoints }) => [boxes, scores, ...(keypoints ? [keypoints] : [])]),
      outputs: [],
    })
    return summed(tape, losses)
  })
}

function lossesOf(tape: Tape, { boxes, scores, keypoints }: Found, objects: number): readonly Tensor[] {
  const places = keypoints && elementwise(tape, 'contiguous', keypoints)
  const distances = elementwise(tape, 'contiguous', boxes)
  const logits = markLogits(elementwise(tape, 'contiguous', scores))
  const sides = decoded(tape, distances)
  const targets = assigned(tape, logits, objects)
  const losses = [classLoss(tape, logits, targets), boxLoss(tape, distances, sides, targets)]
  return places === undefined ? losses : [...losses, keypointLoss(tape, places)]
}

/** Corners from the distances to them, or from the mean of those that are likely: [b, pixels, 4]. */
function decoded(tape: Tape, distances: Tensor): Tensor {
  const [sides = 0, pixels = 0] = distances.shape
  const likely = sides === SIDES ? distances : lowered(tape, raisedSoftmax(tape, distances))
  const corners = tape.tensor([SIDES, pixels], likely.dtype, [likely])
  tape.record('dist2bbox', { reads: [likely], outputs: [corners], gradients: [made(likely)] })
  return corners
}

/**
 * The target score of every pixel and class, in float32. Without gradients: objects are compared with all pixels in
 * tensors of [b, objects, pixels], and classes are first int64.
 */
function assigned(tape: Tape, logits: Tensor, objects: number): Tensor {
  const [, pixels = 0] = logits.shape
  const pairs = (count: number) => scratch(tape, count * objects * pixels, 'float32')
  const classes = (dtype: Dtype) => scratch(tape, elements(logits), dtype)
  const probabilities = tape.tensor(logits.shape, logits.dtype, [])
  tape.record('sigmoid', { reads: [logits], outputs: [probabilities] })
  // Both corners' distances to every pixel, and those again side by side.
  tape.record('select_candidates_in_gts', { reads: [], outputs: [], scratch: [pairs(8)] })
  // Beside what is known of every pair: one-hot classes, whether a pixel answers at all for each, as numbers and as flags, and
  // the classes where it does.
  const oneHot = [classes('int64'), classes('float32'), classes('bool'), classes('int64')]
  tape.record('get_targets', { reads: [], outputs: [], scratch: [pairs(3), ...oneHot] })
  const targets = tape.tensor(logits.shape, 'float32', [])
  tape.record('normalize', { reads: [probabilities], outputs: [targets], scratch: [pairs(3), classes('int64')] })
  return targets
}

/** torch: Loss.cpp binary_cross_entropy_with_logits: a log-sigmoid beside the result; autocast raises what it reads. */
function classLoss(tape: Tape, logits: Tensor, targets: Tensor): Tensor {
  const lowered = cast(tape, targets, logits.dtype)
  const [wide, target] = [markLogits(raised(tape, logits)), raised(tape, lowered)]
  const loss = tape.tensor([], 'float32', [wide], { batched: false })
  tape.record('binary_cross_entropy_with_logits', {
    reads: [wide, target, lowered],
    outputs: [loss],
    saves: [wide, target],
    scratch: [0, 1].map(() => scratch(tape, elements(wide), wide.dtype)),
    gradients: [made(wide)],
  })
  return loss
}

/** Only for pixels assigned to an object, which are few; their gradients are written into zeros of all pixels. */
function boxLoss(tape: Tape, distances: Tensor, sides: Tensor, targets: Tensor): Tensor {
  const loss = tape.tensor([], 'float32', [distances, sides], { batched: false })
  tape.record('bbox_loss', {
    reads: [distances, sides, targets],
    outputs: [loss],
    gradients: [distances, sides].map(made),
  })
  return loss
}

/** v8PoseLoss: places in the image, told in place in a copy; every pixel's keypoints as they should be, in float32. */
function keypointLoss(tape: Tape, places: Tensor): Tensor {
  const inImage = elementwise(tape, 'clone', places)
  const loss = tape.tensor([], 'float32', [inImage], { batched: false })
  const selected = scratch(tape, elements(places), 'float32')
  tape.record('keypoint_loss', { reads: [inImage], outputs: [loss], scratch: [selected], gradients: [made(inImage)] })
  return loss
}

function scratch(tape: Tape, count: number, dtype: Dtype): Storage {
  return tape.storage(count, dtype, true, 'temporaries')
}
