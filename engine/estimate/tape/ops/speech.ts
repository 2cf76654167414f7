/** Layers over sound: spectrograms, waveforms and convolutions over their frames. */
import type { FrameConvolution } from '../../../program/ops/speech.ts'
import { made } from '../autograd.ts'
import { convolution } from '../kernels/matrix-product.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { lowered, raised } from './casts.ts'
import { elementwise } from './primitives.ts'
import { isTrained, weightNamed } from './weights.ts'

export function spectrogram(tape: Tape, bins: number, frames: number): Tensor {
  tape.batchSpectrogram ??= tape.batchTensor([bins, frames], tape.weightDtype)
  return tape.batchSpectrogram
}

export function waveform(tape: Tape, reader: string): Tensor {
  const sound: Tensor = { ...tape.batchInput, shape: [1, ...tape.batchInput.shape] }
  if (!tape.inTrainMode || tape.pass !== undefined || !readsWithGradients(tape, reader)) return sound
  // transformers Wav2Vec2FeatureEncoder: `hidden_states.requires_grad = True` until freeze_feature_encoder says otherwise.
  const leaf = { ...sound, requiresGrad: true, edge: tape.newEdge() }
  tape.record('input gradients', { reads: [sound], outputs: [leaf], saves: [leaf] })
  return leaf
}

/** Parameters that are frozen one by one do not change what `freeze_feature_encoder` would. */
function readsWithGradients(tape: Tape, reader: string): boolean {
  return tape.spec.trainable === undefined || tape.spec.trainable.inputGradients || isTrained(tape, `${reader}.`)
}

export function conv1d(
  tape: Tape,
  name: string,
  x: Tensor,
  outChannels: number,
  { kernel, stride, padding = Math.floor(kernel / 2), bias: hasBias = true, ...options }: FrameConvolution,
): Tensor {
  // torch: `convolution` of a view with one row of pixels.
  const [channels = 0, frames = 0] = x.shape
  const filter = [channels / (options.groups ?? 1), kernel]
  const shape = [outChannels, ...filter]
  const whole = options.isWeightNormed ? normedWeight(tape, name, shape) : weightNamed(tape, `${name}.weight`, shape)
  const weight = lowered(tape, whole)
  const bias = hasBias ? [lowered(tape, weightNamed(tape, `${name}.bias`, [outChannels]))] : []
  const factor = lowered(tape, x)
  const outFrames = Math.floor((frames + 2 * padding - kernel) / stride) + 1
  const output = tape.tensor([outChannels, outFrames], factor.dtype, [factor, weight, ...bias])
  const product = convolution(factor, weight, bias, output, elements({ shape: filter }))
  tape.record(name, { ...product, kernel: 'convolution' })
  return output
}

/** torch: nn/utils/parametrizations.py weight_norm, by `_weight_norm_interface`, which saves both parameters and the norms. */
function normedWeight(tape: Tape, name: string, shape: readonly number[]): Tensor {
  const part = (number: number, sizes: readonly number[]) =>
    weightNamed(tape, `${name}.parametrizations.weight.original${number}`, sizes)
  const places = shape.at(-1) ?? 1
  const [lengths, directions] = [part(0, [1, 1, places]), part(1, shape)]
  const output = tape.tensor(shape, directions.dtype, [lengths, directions], { batched: false })
  tape.record('weight norm', {
    reads: [lengths, directions],
    outputs: [output],
    saves: [lengths, directions],
    saved: [tape.storage(places, 'float32', false)],
    gradients: [lengths, directions].map(made),
  })
  return output
}

export function channelNorm(tape: Tape, name: string, x: Tensor): Tensor {
  // torch: `native_group_norm` with a group a channel: saves its input and two statistics per channel of a sample. Autocast raises it.
  const [channels = 0] = x.shape
  const parameters = ['weight', 'bias'].map(part => weightNamed(tape, `${name}.${part}`, [channels]))
  const wide = raised(tape, x)
  const output = tape.tensor(wide.shape, wide.dtype, [wide, ...parameters])
  tape.record(name, {
    reads: [wide, ...parameters],
    outputs: [output],
    saves: [wide],
    saved: [0, 1].map(() => tape.storage(channels, wide.dtype, true)),
    gradients: [wide, ...parameters].map(made),
  })
  return output
}

export function framesFirst(_tape: Tape, x: Tensor): Tensor {
  const [channels = 0, frames = 0] = x.shape
  return { ...x, shape: [frames, channels] }
}

export function withoutLastFrame(tape: Tape, x: Tensor): Tensor {
  const [channels = 0, frames = 0] = x.shape
  const output = { ...x, shape: [channels, frames - 1], edge: tape.newEdge() }
  tape.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}

export function maskedFrames(tape: Tape, name: string, x: Tensor): Tensor {
  // transformers _mask_hidden_states: `hidden_states[mask] = embed`; torch: the backward pass of index_put_ zeroes a copy.
  const embed = weightNamed(tape, name, [lastSize(x)])
  if (!tape.inTrainMode) return x
  const [frames = 0] = x.shape
  const mask = tape.storage(frames, 'bool', true)
  const output = { ...x, requiresGrad: x.requiresGrad || embed.requiresGrad, edge: tape.newEdge() }
  tape.record('index_put', { reads: [x, embed], outputs: [output], saved: [mask], gradients: [x, embed].map(made) })
  return output
}

export function zeroedPadding(tape: Tape, x: Tensor): Tensor {
  // transformers Wav2Vec2Encoder: the mask of frames for every feature is a local variable, and its complement is saved.
  if (!tape.isPadded) return x
  const seen = tape.tensor(x.shape, 'bool', [])
  tape.record('repeat', { reads: [], outputs: [seen] })
  tape.locals.push(seen)
  return zeroed(tape, x, seen)
}

function zeroed(tape: Tape, x: Tensor, seen: Tensor): Tensor {
  const padding = elementwise(tape, 'bitwise_not', seen)
  const output = { ...x, edge: tape.newEdge() }
  tape.record('index_put', { reads: [x, padding], outputs: [output], saves: [padding], gradients: [made(x)] })
  return output
}

export function meanOfFrames(tape: Tape, x: Tensor): Tensor {
  const summed = zeroedPadding(tape, x)
  const output = tape.tensor(x.shape.slice(1), x.dtype, [summed])
  tape.record('mean', { reads: [summed], outputs: [output], gradients: [made(summed)] })
  return output
}
