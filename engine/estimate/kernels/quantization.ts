/**
 * Frozen base weights in bitsandbytes' formats (functional.py), compared with bitsandbytes itself by `npm run bench:accuracy`, and in
 * GPTQ's and AWQ's (gptqmodel nn_modules/qlinear, autoawq modules/linear/gemm.py), which no trace has confirmed.
 */
import type { Quantization } from '../../config/spec.ts'
import { bytesPerElement } from '../storage.ts'

/** Bytes that a quantised matrix of `count` elements and `rows` outputs occupies on the GPU. */
export function quantizedBytes(
  kind: Quantization,
  count: number,
  rows: number,
): { weights: number; constants: number } {
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
    case 'int8':
      return { weights: count, constants: rows * bytesPerElement.float32 }
  }
}

/** Elements that share one constant. */
const NF4_BLOCK = 64
/** What both formats' tools use by default: a 16-bit scale and a 4-bit zero point. */
const INT4_GROUP = 128
const INT4_CONSTANTS = 2.5
