/**
 * Frozen base weights in bitsandbytes' formats (functional.py), compared with bitsandbytes itself by `npm run bench:accuracy`, and in
 * GPTQ's, AWQ's (gptqmodel nn_modules/qlinear, autoawq modules/linear/gemm.py) and AQLM's (aqlm 1.1.6), which no trace has confirmed.
 */
import type { Quantization } from '../../../training/choices.ts'
import type { Dequantisation } from '../autograd.ts'
import { bytesPerElement } from '../storage.ts'

export interface QuantizedBytes {
  readonly weights: number
  readonly constants: number
}

/** Bytes that a quantised matrix of `count` elements and `rows` outputs occupies on the GPU. */
export function quantizedBytes(kind: Quantization, count: number, rows: number): QuantizedBytes {
  switch (kind) {
    case 'nf4':
      return { weights: count / 2, constants: (count / NF4_BLOCK) * bytesPerElement.float32 }
    case 'nf4-double':
      return { weights: count / 2, constants: count / NF4_BLOCK }
    case 'awq':
      return { weights: count / 2, constants: (count / INT4_GROUP) * INT4_CONSTANTS }
    case 'gptq':
      // Besides the constants, the group index of every input, in 32 bits.
      return { weights: count / 2, constants: (count / INT4_GROUP) * INT4_CONSTANTS + (count / rows) * 4 }
    case 'aqlm':
      // inference.py: a 16-bit code for 8 inputs; a codebook and the scales of the outputs in 16 bits.
      return { weights: count / 4, constants: AQLM_CODEBOOK + rows * 2 }
    case 'int8':
      return { weights: count, constants: rows * bytesPerElement.float32 }
  }
}

/** What unpacking a matrix of `elements` costs: packed weights are read, 16 bits an element are written, and the product reads those. */
export function dequantisationOf(kind: Quantization, elements: number): Dequantisation {
  switch (kind) {
    // bitsandbytes functional.py dequantize_4bit: one kernel, for each product.
    // aqlm inference_kernels/cuda_kernel.cpp: one too.
    case 'nf4':
    case 'awq':
    case 'aqlm':
      return { elements, forward: oneKernel, backward: oneKernel }
    // Two kernels more, for the constants.
    case 'nf4-double':
      return { elements, forward: { ...oneKernel, smallKernels: 2 }, backward: { ...oneKernel, smallKernels: 2 } }
    // gptqmodel nn_modules/qlinear/torch.py: shift, to int8, mask, scales and zeros gathered by group, difference, product with the
    // scale; what one leaves for the next mostly stays in the L2 cache. The result is kept for the backward pass.
    case 'gptq':
      return { elements, forward: { bytesPerElement: 4.5, kernels: 7, smallKernels: 3 }, backward: kept }
    // bitsandbytes autograd/_functions.py MatMul8bitLt: the forward product reads 8 bits and quantises its input; the backward
    // product needs 16 bits.
    case 'int8':
      return {
        elements,
        forward: { bytesPerElement: 1, kernels: 0, smallKernels: 4 },
        backward: { bytesPerElement: 5, kernels: 1, smallKernels: 0 },
      }
  }
}

const oneKernel = { bytesPerElement: 4.5, kernels: 1, smallKernels: 0 } as const
const kept = { bytesPerElement: 2, kernels: 0, smallKernels: 0 } as const

/** Elements that share one constant. */
const NF4_BLOCK = 64
/** What both formats' tools use by default: a 16-bit scale and a 4-bit zero point. */
const INT4_GROUP = 128
const INT4_CONSTANTS = 2.5
/** Of every matrix: 65,536 vectors of 8 numbers. */
const AQLM_CODEBOOK = 65_536 * 8 * 2
