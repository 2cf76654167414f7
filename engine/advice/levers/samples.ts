/** Levers on samples: shorter sequences, smaller images. */
import { generatesCompletions } from '../../training/batches.ts'
import type { Lever } from '../lever.ts'
import { halfCompletions, halfLength, smallerSide } from '../reduced.ts'
import { isText } from './training-kinds.ts'

/** Tokens; shorter sequences are not suggested. */
const SHORTEST = 128
const SMALLEST_SIDE = 64

export const sampleLevers: readonly Lever[] = [
  {
    id: 'half-length',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['sequenceLength'],
    applies: spec => !generatesCompletions(spec) && halfLength(spec) >= SHORTEST,
    isMade: (after, before) => after.sequenceLength === halfLength(before),
  },
  {
    id: 'half-completions',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['sequenceLength', 'method'],
    applies: spec => (halfCompletions(spec) ?? 0) >= SHORTEST / 2,
    isMade: (after, before) =>
      after.method?.kind === 'online' && after.method.completionLength === halfCompletions(before),
  },
  {
    id: 'smaller-images',
    effect: 'changes-the-result',
    group: 'length',
    settings: ['imageSize'],
    applies: spec => !isText(spec) && smallerSide(spec) >= SMALLEST_SIDE,
    isMade: (after, before) => after.imageSize === smallerSide(before),
  },
]
