/** Which kernels an operation on the tape is, forward and backward. */
import type { GradientEdge, Node } from '../tape/autograd.ts'
import type { Storage } from '../tape/storage.ts'

/** What decides a kernel's rate. `memory`: it only moves bytes; `unpacking`: it also computes on what it moves. */
export type KernelKind =
  | 'product'
  | 'float8-product'
  | 'convolution'
  | 'depthwise'
  | 'flash-attention'
  | 'efficient-attention'
  | 'memory'
  | 'unpacking'

/** torch: these only make another view of their input; their backward passes are kernels. */
const views: ReadonlySet<string> = new Set(['slice', 'split', 'select', 'expand', 'input gradients'])

export function isPersistent({ persistent }: Storage): boolean {
  return persistent
}

export function isPassed({ passes }: GradientEdge): boolean {
  return passes
}

export function kindOf({ flopsPerSample, kernel }: Node): KernelKind {
  if (flopsPerSample === 0) return 'memory'
  return kernel === undefined || kernel === 'batch-norm' || kernel === 'look-up' ? 'product' : kernel
}

/**
 * A kernel reads its inputs once and writes its outputs once, except that batch norms go through the images once for the
 * statistics and once more to apply them, forward and backward (cuDNN's and native_batch_norm's two passes over x, and over x and
 * its gradient).
 */
export function passesOf({ kernel }: Node, pass: 'forward' | 'backward'): number {
  return kernel === 'batch-norm' ? (pass === 'forward' ? 3 / 2 : 5 / 3) : 1
}

/** Whether the forward pass launches anything for it. */
export function isRun({ outputs, creates, name }: Node): boolean {
  return outputs.length > 0 && (creates.length > 0 || !views.has(name))
}

export function isOfLoss({ reads, creates }: Node): boolean {
  return [...reads, ...creates].some(({ kind }) => kind === 'logits')
}

export function movesOnly(node: Node): boolean {
  return node.body === undefined && kindOf(node) === 'memory' && node.kernel !== 'look-up'
}

/** A look-up reads the rows that it writes, not the whole table. */
export function readBy(node: Node): readonly Storage[] {
  return node.kernel === 'look-up' ? node.creates : node.reads
}
