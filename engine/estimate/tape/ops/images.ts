/** Layers over pixels: convolutions, pooling, batch normalisation. */

import type { Convolution } from '../../../program/ops/images.ts'
import { made } from '../autograd.ts'
import { convolution } from '../kernels/matrix-product.ts'
import { bytesPerElement, elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { lowered, raised } from './casts.ts'
import { concatenate } from './primitives.ts'
import { weightNamed } from './weights.ts'

export function conv2d(tape: Tape, name: string, x: Tensor, outChannels: number, options: Convolution): Tensor {
  // cuDNN's workspace depends on the algorithm that it picks and is not known here.
  const [inChannels, ...size] = image(x)
  const { kernel, stride, padding = Math.floor(kernel / 2), groups = 1 } = options
  const filter = [inChannels / groups, kernel, kernel]
  const weight = lowered(tape, weightNamed(tape, `${name}.weight`, [outChannels, ...filter]))
  const bias = options.bias ? [lowered(tape, weightNamed(tape, `${name}.bias`, [outChannels]))] : []
  const factor = lowered(tape, x)
  const outputSize = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
  const output = tape.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias])
  tape.record(name, {
    ...convolution(factor, weight, bias, output, elements({ shape: filter })),
    kernel: groups === inChannels && groups > 1 ? 'depthwise' : 'convolution',
  })
  return output
}

export function batchNorm(tape: Tape, name: string, x: Tensor): Tensor {
  // torch: `native_batch_norm`/cuDNN: saves its input and two statistics per channel.
  const [channels] = image(x)
  const parameters = ['weight', 'bias'].map(part => weightNamed(tape, `${name}.${part}`, [channels]))
  const statisticsBytes = channels * bytesPerElement[tape.weightDtype]
  tape.buffer(`${name}.running_mean`, statisticsBytes)
  tape.buffer(`${name}.running_var`, statisticsBytes)
  tape.buffer(`${name}.num_batches_tracked`, bytesPerElement.int64)
  const output = tape.tensor(x.shape, x.dtype, [x, ...parameters])
  const statistics = tape.inTrainMode ? [0, 1].map(() => tape.storage(channels, 'float32', false)) : []
  tape.record(name, {
    reads: [x, ...parameters],
    outputs: [output],
    saves: [x],
    saved: statistics,
    gradients: [x, ...parameters].map(made),
    kernel: 'batch-norm',
  })
  return output
}

export function maxPool(tape: Tape, x: Tensor, options: { kernel: number; stride: number; padding: number }): Tensor {
  // torch: `max_pool2d_with_indices`: saves its input and an int64 index per output element.
  const [channels, ...size] = image(x)
  const { kernel, stride, padding } = options
  const pooled = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
  const output = tape.tensor([channels, ...pooled], x.dtype, [x])
  const indices = tape.storage(elements(output), 'int64', true)
  tape.record('max_pool2d', { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] })
  return output
}

export function upsampleNearest(tape: Tape, x: Tensor): Tensor {
  // torch: autocast_mode.h has `upsample_nearest2d` among what is computed in float32.
  const wide = raised(tape, x)
  const [channels, y, width] = image(wide)
  const output = tape.tensor([channels, 2 * y, 2 * width], wide.dtype, [wide])
  tape.record('upsample_nearest2d', { reads: [wide], outputs: [output], gradients: [made(wide)] })
  return output
}

export function detached(tape: Tape, x: Tensor): Tensor {
  return { ...x, requiresGrad: false, edge: tape.newEdge() }
}

export function joinPixels(tape: Tape, parts: readonly Tensor[]): Tensor {
  return concatenate(
    tape,
    parts.map(part => {
      const [channels, y, width] = image(part)
      return { ...part, shape: [channels, y * width] }
    }),
  )
}

export function globalAveragePool(tape: Tape, x: Tensor, { keepsInput = false } = {}): Tensor {
  // torch: `mean`, of which autograd keeps sizes alone; `avg_pool2d` saves its input.
  const output = tape.tensor(x.shape.slice(0, 1), x.dtype, [x])
  const saves = keepsInput ? [x] : []
  tape.record(keepsInput ? 'avg_pool2d' : 'mean', { reads: [x], outputs: [output], saves, gradients: [made(x)] })
  return output
}

export function asPixel(_tape: Tape, x: Tensor): Tensor {
  return { ...x, shape: [...x.shape, 1, 1] }
}

export function paddedPixels(tape: Tape, x: Tensor, before: number, after: number): Tensor {
  // torch: `constant_pad_nd` copies, and its backward pass cuts a copy out of the gradient.
  const [channels, y, width] = image(x)
  const output = tape.tensor([channels, y + before + after, width + before + after], x.dtype, [x])
  tape.record('pad', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function channelsLast(_tape: Tape, x: Tensor): Tensor {
  const [channels, y, width] = image(x)
  return { ...x, shape: [y, width, channels] }
}

export function channelsFirst(_tape: Tape, x: Tensor): Tensor {
  const [y = 0, width = 0, channels = 0] = x.shape
  return { ...x, shape: [channels, y, width] }
}

export function flattenPixels(_tape: Tape, x: Tensor): Tensor {
  const [channels, y, width] = image(x)
  return { ...x, shape: [y * width, channels] }
}

function image(x: Tensor): [channels: number, y: number, x: number] {
  const [channels = 0, y = 0, width = 0] = x.shape
  return [channels, y, width]
}
