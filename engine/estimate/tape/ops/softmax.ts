/** The softmax kernel, as CUDA runs its backward pass. */
import { softmaxSaves } from '../../library-rules.ts'
import { made } from '../autograd.ts'
import type { Dtype, Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast } from './casts.ts'

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

/**
 * A softmax that is computed in float32, as `softmax(x, dtype=float32)`. torch: native/SoftMax.cpp `softmax`: CUDA's kernel takes
 * float16 there by itself (`half_to_float`) and gives its gradient in float16; of bfloat16 a copy in float32 is made for it.
 */
export function wideSoftmax(tape: Tape, x: Tensor): Tensor {
  return softmax(tape, x.dtype === 'float16' ? x : cast(tape, x, 'float32'), 'float32')
}

/** torch: autocast_mode.h has softmax among what is given float32 as its type (AT_FORALL_FP32_SET_OPT_DTYPE). */
export function raisedSoftmax(tape: Tape, x: Tensor): Tensor {
  return tape.autocastDtype === undefined ? softmax(tape, x) : wideSoftmax(tape, x)
}
