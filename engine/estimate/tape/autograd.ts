/**
 * What autograd keeps of a forward pass, with sizes instead of values: nodes, each an op with the storages that it
 * reads, allocates and saves for its backward pass, and the edges along which gradients flow. `tape.ts` records them;
 * `timeline.ts` replays them.
 */
import type { KeyValueCache } from './key-value-cache.ts'
import type { Turn } from './repetition.ts'
import type { Dtype, Storage, Tensor } from './storage.ts'

/** How a gradient reaches an input: as its own tensor, or as the output's gradient itself (`add`). */
export interface GradientEdge {
  readonly to: Tensor
  readonly passes: boolean
  /** It is a view of what the kernel makes: of a linear layer's weight, which the product reads transposed. */
  readonly isView?: boolean
}

export type KernelName =
  | 'convolution'
  | 'depthwise'
  | 'flash-attention'
  | 'efficient-attention'
  | 'batch-norm'
  | 'look-up'

/** What unpacking a quantised matrix costs before a product can read it. */
export interface Dequantisation {
  readonly elements: number
  /** Before the forward and before the backward product. */
  readonly forward: Unpacking
  readonly backward: Unpacking
}

export interface Unpacking {
  /** Read and written for one element, the product's own reading of the result included. */
  readonly bytesPerElement: number
  /** Kernels that go through every element, and others that only have to be launched. */
  readonly kernels: number
  readonly smallKernels: number
}

/** One autograd node with its kernel. */
export interface Node {
  readonly name: string
  readonly reads: readonly Storage[]
  /** Allocated by the op and alive after it. */
  readonly creates: readonly Storage[]
  /** Alive only while the kernel runs, forward and again backward. */
  readonly scratch: readonly Storage[]
  /** Kept for the node's backward. */
  readonly saves: readonly Storage[]
  /** Kept by the node itself, invisible to checkpointing and as long as the graph is there. */
  readonly keeps: readonly Storage[]
  readonly outputs: readonly Tensor[]
  readonly gradients: readonly GradientEdge[]
  readonly backwardScratch: readonly Storage[]
  /** Multiply-adds count as two. Zero for ops that only move memory. */
  readonly flopsPerSample: number
  readonly computeDtype: Dtype
  /** Where the kind of kernel decides how fast it runs; otherwise a matrix product, or elementwise. */
  readonly kernel?: KernelName | undefined
  /** Of fused attention: what a query sees. */
  readonly attendedTokens?: number | undefined
  /** To it, the batch is one sequence: its arithmetic grows with the batch's square. */
  readonly attendsAcrossBatch?: true | undefined
  /** The weights that the op reads are quantised. */
  readonly dequantises?: Dequantisation | undefined
  /** A checkpointed block: its nodes run without saving anything, and run again in the backward pass. */
  readonly body?: readonly Node[]
  /** Of a checkpointed block. */
  readonly input?: Tensor
  /** In a checkpointed block: recomputed, then kept until the backward pass has finished every block. */
  readonly retains?: readonly Storage[]
  /** In a checkpointed block: its results stay from the forward pass on, and are not computed again. */
  readonly isKept?: boolean
  /** Of layers that repeat. */
  readonly turn?: Turn | undefined
}

export interface Recorded {
  readonly reads: readonly Tensor[]
  readonly outputs: readonly Tensor[]
  readonly saves?: readonly Tensor[]
  readonly saved?: readonly Storage[]
  readonly keeps?: readonly Tensor[]
  readonly gradients?: readonly GradientEdge[]
  readonly scratch?: readonly Storage[]
  readonly backwardScratch?: readonly Storage[]
  readonly flopsPerSample?: number
  /** The output's by default. */
  readonly computeDtype?: Dtype
  readonly kernel?: KernelName
  readonly attendedTokens?: number
  readonly attendsAcrossBatch?: true
  readonly dequantises?: Dequantisation
}

/** Before the names of a second model's parameters. */
export const REFERENCE = 'reference.'

/** A forward pass that no backward pass follows. */
export interface PassWithoutGradients {
  /** Which weights: the trained ones, the same with adapters disabled, or a frozen copy. */
  readonly of: 'policy' | 'adapters-off' | 'copy'
  /** Of an evaluation: the loss is the training's own. */
  readonly takesLoss?: true
  /** For a copy's weights, if it differs from the policy's. */
  readonly dtype?: Dtype | undefined
  /** Absent for the batch's. */
  readonly sequences?: OtherSequences
}

/** Sequences that are not the batch's. */
export interface OtherSequences {
  /** A lower bound; more if the batch has more samples. */
  readonly count?: number
  /** So many whatever the batch has. */
  readonly isCountFixed?: boolean
  /** For every sample, where not one. */
  readonly perSample?: number
  readonly tokens: number
  /** Positions at their ends for which logits are computed. */
  readonly logitsOf: number
  /** The cached keys and values of earlier tokens. */
  readonly cache?: KeyValueCache
}

/** Layers that run, with the masks that they are passed, by kind: what makes those stands in `nodes` at `at`, before the layers. */
export interface RunningStack {
  readonly masks: Map<string, Tensor>
  readonly nodes: Node[]
  readonly at: number
}

export function made(to: Tensor): GradientEdge {
  return { to, passes: false }
}

export function widest(x: Dtype, y: Dtype): Dtype {
  return x === 'float32' || y === 'float32' ? 'float32' : x
}
