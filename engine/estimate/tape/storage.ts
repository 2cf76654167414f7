/** What the tape counts: storages, the memory behind tensors, and tensors, the views of them. */
import type { Turn } from './repetition.ts'

export const byteKinds = [
  'weights',
  'gradients',
  'optimizerState',
  /** Saved by the forward pass for the backward pass. */
  'activations',
  /** Logits, log-probabilities and their gradients. */
  'logits',
  /** Gradients of activations and scratch of single operations. */
  'temporaries',
  /** The batch itself. */
  'inputs',
  /** cuBLAS scratch. */
  'workspace',
] as const
export type ByteKind = (typeof byteKinds)[number]

export type Dtype = 'float32' | 'float16' | 'bfloat16' | 'int64' | 'bool'

export const bytesPerElement: Record<Dtype, number> = { float32: 4, float16: 2, bfloat16: 2, int64: 8, bool: 1 }

/** A mask between all rows of a batch, so that its size is quadratic in the batch. */
export interface MaskOfBatch {
  readonly rowsPerSample: number
  readonly bytesPerElement: number
  /** The copy that a kernel makes where the rows are no multiple of eight: nothing where they are. */
  readonly isPaddedCopy: boolean
}

/** torch: transformers/attention.cpp pad_bias: the memory-efficient kernel wants a mask's rows to have a multiple of 8 elements. */
export function alignedColumns(columns: number): number {
  return Math.ceil(columns / 8) * 8
}

/** Memory that views share. Its size is affine in the batch, `fixedBytes + batch · bytesPerSample`, unless it is a mask of it. */
export interface Storage {
  readonly id: number
  readonly fixedBytes: number
  readonly bytesPerSample: number
  /** A minimum number of samples that it is sized for. */
  readonly samplesAtLeast?: number | undefined
  /** What decides the size in place of `bytesPerSample`, which says what a batch of one takes. */
  readonly maskOfBatch?: MaskOfBatch | undefined
  /** That it holds so many of every sample. */
  readonly sequences?: number | undefined
  kind: ByteKind
  /** Weights, buffers and optimizer state outlive the step. */
  readonly persistent: boolean
  /** Where it was made in one of several turns that are alike, and as the how-manieth storage of that turn. */
  readonly turn?: Turn | undefined
  readonly role?: number
}

/** A tensor without data. `shape` leaves the batch dimension out; `batched` says whether there is one. */
export interface Tensor {
  readonly storage: Storage
  readonly shape: readonly number[]
  readonly batched: boolean
  readonly dtype: Dtype
  readonly requiresGrad: boolean
  /** Autograd's edge: views of a whole tensor share it; the parts of a split do not. */
  readonly edge: number
}

/** Elements of one sample, or of the whole tensor when it has no batch dimension. */
export function elements(tensor: Pick<Tensor, 'shape'>): number {
  const { shape } = tensor
  let product = 1
  for (let dimension = 0; dimension < shape.length; dimension++) product *= shape[dimension]!
  return product
}

export function lastSize(tensor: Tensor): number {
  const size = tensor.shape.at(-1)
  if (size === undefined) throw new Error('a tensor of the batch alone has no last dimension')
  return size
}

/** Counts a tensor's memory as logits. */
export function markLogits(logits: Tensor): Tensor {
  logits.storage.kind = 'logits'
  return logits
}
