/** Frozen base weights in bitsandbytes' formats (functional.py), held against bitsandbytes itself by `npm run bench:accuracy`. */
import type { Quantization } from '../config/spec.ts'
import { bytesPerElement } from './storage.ts'

/** What a quantised matrix of `count` elements and `rows` outputs keeps on the GPU, in bytes. */
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
    case 'int8':
      return { weights: count, constants: rows * bytesPerElement.float32 }
  }
}

/** Elements that share one constant. */
const NF4_BLOCK = 64
