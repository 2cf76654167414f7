/**
 * Which shares of a card's rates PyTorch's kernels reach, and what Python needs to launch them. Fitted to published readings of
 * training speed by `node bench/published/fit-throughput.ts`, which also says how well constants that were fitted without a source
 * predict it. Each has a cause; where that is documented, the source is named.
 */
import fitted from './fitted-rates.json' with { type: 'json' }

export interface Rates {
  /** Matrix products, of what large ones were measured to keep up: a layer's shapes fill the last wave of tiles less well. */
  readonly product: Readonly<Record<ProductMode, number>>
  /**
   * A product starts and ends each tile of its result: so many terms of a sum take as long. Short sums get less of the rate
   * (https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication, "Dimension Quantization Effects").
   */
  readonly productTerms: number
  /** Convolutions, of the same as products. */
  readonly convolution: Readonly<Record<ProductMode, number>>
  /**
   * Tensor cores want the channels last; from NCHW in 16 bits, cuDNN transposes every input and output of a convolution: how often the
   * bytes go through memory for it (https://docs.nvidia.com/deeplearning/performance/dl-performance-convolutional, "Tensor Layouts In
   * Memory").
   */
  readonly transposingPasses: number
  /** Depthwise convolutions, of the fp32 peak: they have no use for tensor cores, and PyTorch's own kernels take the channels first. */
  readonly depthwise: number
  /** Memory bandwidth, of the data sheet's, while no multiprocessor is the bottleneck. */
  readonly bandwidth: number
  /** What one multiprocessor takes and gives: a card with more bandwidth for each reaches less of it. */
  readonly multiprocessorBytesPerSecond: number
  /** Instructions for an element of a packed matrix, in each kernel that goes through it. */
  readonly unpackingInstructions: number
  /** From one kernel's last block to the next one's first, and how long a product takes to fill the card and to drain it. */
  readonly kernelSeconds: number
  readonly productSeconds: number
  /** Python's time for an operation, and what a layer with weights adds (its module's call, its views, its parameters' gradients). */
  readonly operationSeconds: number
  readonly layerSeconds: number
  /** Autograd's time for a kernel of the backward pass. */
  readonly backwardKernelSeconds: number
  /** transformers' Trainer: its own time for a micro-step. */
  readonly trainerSeconds: number
  /** How sharply the slower of host and GPU decides: the exponent of their norm, infinite where the faster one costs nothing. */
  readonly sharpness: number
}

export type ProductMode = 'half' | 'tf32' | 'fp32'

/**
 * Fused attention over long sequences, as a share of what large products keep up, not fitted: Flash Attention 2 reaches 170 of an
 * A100's 261 TFLOP/s (its paper's figure 4, forward and backward), xFormers' memory-efficient kernels, which take masks, about half.
 */
export const attentionShares = { flash: 0.65, efficient: 0.33 } as const

export const rates: Rates = fitted
