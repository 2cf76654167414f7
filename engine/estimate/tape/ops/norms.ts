/** Normalisation and gates around it, as PyTorch and transformers compose them. */
import type { RmsNormOptions } from '../../../program/ops/pointwise.ts'
import { made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { sigmoid, silu } from './activations.ts'
import { cast, lowered, raised } from './casts.ts'
import { module } from './frames.ts'
import { elementwise, multiply, power } from './primitives.ts'
import { weightNamed } from './weights.ts'

export function layerNorm(tape: Tape, name: string, x: Tensor, { isLowered = false, bias = true } = {}): Tensor {
  // torch: `native_layer_norm`: saves its input and a mean and a reciprocal deviation per row, in float32.
  const parts = bias ? ['weight', 'bias'] : ['weight']
  const parameters = parts.map(part => weightNamed(tape, `${name}.${part}`, [lastSize(x)]))
  const wide = isLowered ? lowered(tape, x) : raised(tape, x)
  const output = tape.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide)
  const rows = elements(wide) / lastSize(wide)
  const statistics = [tape.storage(rows, 'float32', wide.batched), tape.storage(rows, 'float32', wide.batched)]
  tape.record(name, {
    reads: [wide, ...parameters],
    outputs: [output],
    saves: [wide],
    saved: statistics,
    gradients: [wide, ...parameters].map(made),
  })
  return output
}

export function rmsNorm(tape: Tape, name: string, x: Tensor, options: RmsNormOptions): Tensor {
  return module(tape, x, states => ownRmsNorm(tape, name, states, options))
}

function ownRmsNorm(tape: Tape, name: string, x: Tensor, options: RmsNormOptions): Tensor {
  // transformers: LlamaRMSNorm weights the result after casting it back; GemmaRMSNorm multiplies by 1 + weight in float32.
  if (isOneKernel(tape) && !options.isUnweighted) return fusedNorm(tape, name, x, options.size)
  const normalised = unitRows(tape, x, options.size, options.scalesInput ?? false)
  if (options.isUnweighted) return cast(tape, normalised, x.dtype)
  const weight = weightNamed(tape, `${name}.weight`, [options.size])
  if (!options.scalesInFloat32) return multiply(tape, weight, cast(tape, normalised, x.dtype))
  const factor = options.aroundOne ? elementwise(tape, 'add', cast(tape, weight, 'float32')) : weight
  return cast(tape, multiply(tape, normalised, factor), x.dtype)
}

/** torchtitan's nn.RMSNorm is torch's own kernel (aten::_fused_rms_norm). */
function isOneKernel({ spec }: Tape): boolean {
  return spec.compiled === true || spec.fusedNorms === true || spec.modelCode === 'torchtitan'
}

/** One kernel, Liger's, torch's or Inductor's, which keeps its input in the input's type, and a scale per row. */
function fusedNorm(tape: Tape, name: string, x: Tensor, size: number): Tensor {
  const weight = weightNamed(tape, `${name}.weight`, [size])
  const output = tape.tensor(x.shape, x.dtype, [x, weight], x)
  tape.record(name, {
    reads: [x, weight],
    outputs: [output],
    saves: [x],
    saved: [tape.storage(elements(x) / size, 'float32', x.batched)],
    gradients: [x, weight].map(made),
  })
  return output
}

export function layerScale(tape: Tape, name: string, x: Tensor): Tensor {
  return multiply(tape, x, weightNamed(tape, name, [lastSize(x)]))
}

export function gatedNorm(tape: Tape, name: string, x: Tensor, gate: Tensor, size: number): Tensor {
  // transformers KimiLinearRMSNormGated: weighted and gated before it is cast back.
  const weight = cast(tape, weightNamed(tape, `${name}.weight`, [size]), 'float32')
  const weighted = multiply(tape, weight, unitRows(tape, x, size, false))
  return cast(tape, multiply(tape, weighted, sigmoid(tape, cast(tape, gate, 'float32'))), x.dtype)
}

export function gatedInFloat32(tape: Tape, x: Tensor, gate: Tensor): Tensor {
  return cast(tape, multiply(tape, x, silu(tape, cast(tape, gate, 'float32'))), x.dtype)
}

function unitRows(tape: Tape, x: Tensor, size: number, scalesInput: boolean): Tensor {
  const wide = cast(tape, x, 'float32')
  const rows = [...x.shape.slice(0, -1), lastSize(x) / size]
  const squares = power(tape, wide)
  const mean = tape.tensor(rows, 'float32', [squares], x)
  tape.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
  const scale = elementwise(tape, 'rsqrt', mean, { savesOutput: true })
  return multiply(tape, scalesInput ? x : wide, scale)
}
