/** Products with quantised matrices, as bitsandbytes, gptqmodel and aqlm compute them. */
import type { LinearOptions } from '../../../program/ops/linears.ts'
import { keepsQuantizedInputs } from '../../library-rules.ts'
import { made } from '../autograd.ts'
import { matrixProduct } from '../kernels/matrix-product.ts'
import { dequantisationOf, quantizedBytes } from '../kernels/quantization.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast } from './casts.ts'
import { weightNamed } from './weights.ts'

/** The product of two int8 matrices. */
const INT32_BYTES = 4

/**
 * bitsandbytes: autograd/_functions.py. MatMul4Bit computes in 16 bits and dequantises the matrix for each call, forward
 * and backward. MatMul8bitLt computes in the type of its input; it quantises the input for an int32 product, and
 * dequantises the matrix for the backward only.
 */
export function quantizedLinear(
  tape: Tape,
  name: string,
  x: Tensor,
  outFeatures: number,
  options: LinearOptions,
): Tensor {
  const { quantization = 'nf4' } = tape.spec
  const count = outFeatures * lastSize(x)
  tape.quantized(`${name}.weight`, quantizedBytes(quantization, count, outFeatures))
  const bias = options.bias === false ? [] : [weightNamed(tape, `${name}.bias`, [outFeatures])]
  if (quantization === 'gptq') return dequantisedProduct(tape, name, x, outFeatures, bias)
  const isInt8 = quantization === 'int8'
  const factor = isInt8 ? x : cast(tape, x, tape.half)
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias])
  const dequantised = tape.fixed(count * bytesPerElement[factor.dtype], 'temporaries')
  const product = tape.storage(elements(factor) + elements(output) * INT32_BYTES, 'bool', true, 'temporaries')
  // aqlm cuda_kernel.cpp code1x16_matmat_dequant and its transpose: a copy of the output, and of its gradient, with the scales.
  const scaled = quantization === 'aqlm' ? [tape.like(output, 'temporaries')] : []
  tape.record(name, {
    reads: [factor, ...bias],
    outputs: [output],
    keeps: keepsQuantizedInputs(tape.spec, quantization) ? [factor] : [],
    gradients: [factor, ...bias].map(made),
    scratch: [isInt8 ? product : dequantised, ...scaled],
    backwardScratch: [dequantised, ...scaled],
    flopsPerSample: 2 * elements(output) * lastSize(x),
    dequantises: dequantisationOf(quantization, count),
  })
  return cast(tape, output, x.dtype)
}

/**
 * gptqmodel nn_modules/qlinear/torch.py, its kernel for training: an ordinary product, which keeps the dequantised
 * matrix.
 */
function dequantisedProduct(tape: Tape, name: string, x: Tensor, outFeatures: number, bias: readonly Tensor[]): Tensor {
  const factor = cast(tape, x, tape.half)
  const whole = tape.tensor([outFeatures, lastSize(x)], factor.dtype, [], { batched: false })
  tape.record('dequantise', {
    reads: [],
    outputs: [whole],
    scratch: [tape.like(whole, 'temporaries')],
    dequantises: dequantisationOf('gptq', elements(whole)),
  })
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias])
  tape.record(name, matrixProduct(factor, whole, bias, output, lastSize(x)))
  return cast(tape, output, x.dtype)
}
