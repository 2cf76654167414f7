/** Connectionist temporal classification: the loss of speech recognition without an alignment. */
import { transcriptLength } from '../../training/sound.ts'
import { made } from '../tape/autograd.ts'
import { cast } from '../tape/ops/casts.ts'
import { frame } from '../tape/ops/frames.ts'
import { logSoftmax } from '../tape/ops/loss.ts'
import { markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'

/**
 * transformers Wav2Vec2ForCTC.forward: without a mask of padding it makes one of ones, to count the frames; then log_softmax in float32.
 * torch: native/cuda/LossCTC.cu: the table of forward probabilities, a place before, between and behind the tokens for each frame, is
 * saved, and the backward pass makes one of the same size.
 */
export function ctcLoss(tape: Tape, logits: Tensor): Tensor {
  return frame(tape, markLogits(logits), input => {
    if (!tape.isPadded) {
      const ones = tape.tensor(tape.batchInput.shape, 'int64', [])
      tape.record('ones_like', { reads: [], outputs: [ones] })
      tape.locals.push(ones)
    }
    // float16 becomes float32 within the kernel (native/SoftMax.cpp).
    const wide = input.dtype === 'float16' ? input : cast(tape, input, 'float32')
    const logProbabilities = logSoftmax(tape, wide, 'float32')
    const [frames = 0] = logits.shape
    const places = frames * (2 * transcriptLength(tape.spec) + 1)
    const loss = tape.tensor([], 'float32', [logProbabilities], { batched: false })
    tape.record('ctc_loss', {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: [tape.storage(places, 'float32', true)],
      gradients: [made(logProbabilities)],
      backwardScratch: [tape.storage(places, 'float32', true)],
    })
    return loss
  })
}
