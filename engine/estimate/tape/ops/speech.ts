/** Layers over sound: spectrograms and convolutions over their frames. */
import { matrixProduct } from '../kernels/matrix-product.ts'
import type { Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { lowered } from './casts.ts'
import { weightNamed } from './weights.ts'

export function spectrogram(tape: Tape, bins: number, frames: number): Tensor {
  tape.batchSpectrogram ??= tape.batchTensor([bins, frames], tape.weightDtype)
  return tape.batchSpectrogram
}

export function conv1d(
  tape: Tape,
  name: string,
  x: Tensor,
  outChannels: number,
  { kernel, stride }: { readonly kernel: number; readonly stride: number },
): Tensor {
  // torch: `convolution` of a view with one row of pixels: saves both factors, whichever of them is trained.
  const [channels = 0, frames = 0] = x.shape
  const weight = lowered(tape, weightNamed(tape, `${name}.weight`, [outChannels, channels, kernel]))
  const bias = lowered(tape, weightNamed(tape, `${name}.bias`, [outChannels]))
  const factor = lowered(tape, x)
  const output = tape.tensor([outChannels, Math.ceil(frames / stride)], factor.dtype, [factor, weight, bias])
  const product = matrixProduct(factor, weight, [bias], output, channels * kernel)
  tape.record(name, { ...product, saves: [factor, weight], kernel: 'convolution' })
  return output
}

export function framesFirst(_tape: Tape, x: Tensor): Tensor {
  const [channels = 0, frames = 0] = x.shape
  return { ...x, shape: [frames, channels] }
}
