/** The softmax kernel, as CUDA runs its backward pass. */
import { softmaxSaves } from '../../library-rules.ts'
import { made } from '../autograd.ts'
import type { Dtype, Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

/**
 * A softmax over `x`, in `dtype`. torch: `softmax_backward_cuda_out` in native/cuda/SoftMax.cu multiplies the gradient with the output
 * into a tensor of its own, which neither the CPU's kernel nor the meta device's does.
 */
export function softmax(tape: Tape, x: Tensor, dtype: Dtype = x.dtype): Tensor {
  const output = tape.tensor(x.shape, dtype, [x], x)
  tape.record('softmax', {
    reads: [x],
    outputs: [output],
    saves: [...softmaxSaves(tape.spec, x).saves, output],
    gradients: [made(x)],
    backwardScratch: [tape.like(output, 'temporaries')],
  })
  return output
}

/** torch: autocast_mode.h has softmax among what is computed in float32; from 16 bits CUDA's kernel goes there at once. */
export function raisedSoftmax(tape: Tape, x: Tensor): Tensor {
  return softmax(tape, x, tape.autocastDtype === undefined ? x.dtype : 'float32')
}
