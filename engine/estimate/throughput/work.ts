/**
 * The kernels that one micro-step launches, with what each computes and moves. Sizes are affine in the batch, so that one list
 * serves every batch size and every GPU.
 */

import { Numbers } from '../step/numbers.ts'
import type { Node, Unpacking } from '../tape/autograd.ts'
import { countOf, type Turn } from '../tape/repetition.ts'
import { bytesPerElement, type Dtype, elements, type Storage, type Tensor } from '../tape/storage.ts'

/** What decides a kernel's rate. `memory`: it only moves bytes; `unpacking`: it also computes on what it moves. */
export type KernelKind =
  | 'product'
  | 'convolution'
  | 'depthwise'
  | 'flash-attention'
  | 'efficient-attention'
  | 'memory'
  | 'unpacking'

export interface Kernel {
  readonly kind: KernelKind
  readonly dtype: Dtype
  /** Of `unpacking`: elements, once for every kernel that goes through them. */
  readonly flopsPerSample: number
  readonly fixedFlops: number
  readonly bytesPerSample: number
  readonly fixedBytes: number
  /** How many such kernels the step launches. */
  readonly count: number
}

export interface Work {
  readonly kernels: readonly Kernel[]
  /** Operations that Python calls in the forward pass, recomputed ones included, and those of them that are layers with weights. */
  readonly operations: number
  readonly layers: number
  /** Kernels that autograd's own thread launches. */
  readonly backwardKernels: number
}

/** torch: these only make another view of their input; their backward passes are kernels. */
const views: ReadonlySet<string> = new Set(['slice', 'split', 'select', 'expand', 'input gradients'])

/** torch: derivatives of fused attention: five products where the forward pass has two (Flash Attention 2, section 3.1). */
const ATTENTION_BACKWARD = 2.5

/**
 * Fused attention reaches half of its rate on sequences of so many tokens: Flash Attention 2's figure 4 has 132 to 176 TFLOP/s from
 * 512 to 16,384 tokens of 64 features on an A100 without a mask, and 88 to 171 with a causal one.
 */
const SHORT_SEQUENCE_TOKENS = 384

/** Merged by what they do: a model repeats its block. */
export function workOf(nodes: readonly Node[], recomputes: boolean): Work {
  const counter = new Counter()
  for (const node of nodes) {
    if (node.body === undefined) counter.step([node])
    else {
      if (recomputes) for (const inner of node.body) counter.forward(inner)
      counter.step(node.body)
    }
  }
  return counter.work
}

type Cost = Omit<Kernel, 'count'>
type Counted = Cost & { count: number }

class Counter {
  /** In the order in which they come first. */
  readonly #kernels: Counted[] = []
  /** By the sum of their figures, which few have in common. */
  readonly #alike = new Map<number, Counted[]>()
  /** In which sum of gradients an edge was met last, and how many such sums there were. */
  readonly #metIn = new Numbers()
  #sums = 0
  #operations = 0
  #layers = 0
  #backwardKernels = 0

  get work(): Work {
    return {
      kernels: this.#kernels,
      operations: this.#operations,
      layers: this.#layers,
      backwardKernels: this.#backwardKernels,
    }
  }

  step(nodes: readonly Node[]): void {
    for (const node of nodes) this.forward(node)
    for (const node of nodes) this.#backward(node)
    this.#sumGradients(nodes)
  }

  forward(node: Node): void {
    if (node.outputs.length === 0 || (node.creates.length === 0 && views.has(node.name))) return
    const times = countOf(node.turn)
    this.#operations += times
    if (node.flopsPerSample > 0) this.#layers += times
    this.#operations += times * this.#unpack(node, node.dequantises?.forward)
    this.#add(node, node.flopsPerSample, readBy(node).concat(node.creates), passesOf(node, 'forward'))
  }

  #backward(node: Node): void {
    if (node.gradients.every(edge => edge.passes)) return
    const made = node.gradients.filter(edge => !edge.passes)
    const times = countOf(node.turn)
    const kind = kindOf(node)
    const gradient = node.outputs.map(storageOf)
    if (kind === 'product' || kind === 'convolution' || kind === 'depthwise') {
      const products = made.slice(0, 2)
      this.#backwardKernels += times * this.#unpack(node, node.dequantises?.backward)
      for (const { to } of products) {
        const other = node.saves.filter(storage => storage !== to.storage).slice(0, 1)
        this.#add(node, node.flopsPerSample, [...gradient, ...other, storageOf(to)], 1)
        this.#backwardKernels += times
      }
      for (const { to } of made.slice(2)) this.#moved(node.computeDtype, [...gradient, storageOf(to)], node.turn)
      return
    }
    const flops = kind === 'memory' ? 0 : ATTENTION_BACKWARD * node.flopsPerSample
    const moved = [...gradient, ...node.saves, ...made.map(({ to }) => storageOf(to)), ...node.backwardScratch]
    this.#add(node, flops, moved, passesOf(node, 'backward'))
    this.#backwardKernels += times
  }

  /** Gives the kernels that it takes. */
  #unpack({ computeDtype, dequantises, turn }: Node, unpacking: Unpacking | undefined): number {
    if (dequantises === undefined || unpacking === undefined) return 0
    const { elements: count } = dequantises
    const { bytesPerElement: bytes, kernels, smallKernels } = unpacking
    this.#count(
      {
        ...nothing,
        kind: 'unpacking',
        dtype: computeDtype,
        fixedFlops: kernels * count,
        fixedBytes: bytes * count,
      },
      turn,
    )
    return kernels + smallKernels
  }

  /** torch: input_buffer.cpp: where gradients meet that several operations made, each after the first is added. */
  #sumGradients(nodes: readonly Node[]): void {
    const sum = ++this.#sums
    for (const { gradients, turn } of nodes) {
      for (const { to } of gradients) {
        if (to.storage.persistent) continue
        const isFirst = this.#metIn.at(to.edge) !== sum
        this.#metIn.set(to.edge, sum)
        if (isFirst) continue
        const gradient = storageOf(to)
        this.#moved('float32', [gradient, gradient, gradient], turn)
      }
    }
  }

  #moved(dtype: Dtype, storages: readonly Size[], turn: Turn | undefined): void {
    this.#backwardKernels += countOf(turn)
    this.#count({ ...nothing, kind: 'memory', dtype, ...sizeOf(storages) }, turn)
  }

  #add(node: Node, arithmetic: number, storages: readonly Size[], passes: number): void {
    const size = sizeOf(storages)
    const isBatched = size.bytesPerSample > 0
    const flops = arithmetic * (1 + SHORT_SEQUENCE_TOKENS / (node.attendedTokens ?? Number.POSITIVE_INFINITY))
    this.#count(
      {
        kind: kindOf(node),
        dtype: node.computeDtype,
        flopsPerSample: isBatched ? flops : 0,
        fixedFlops: isBatched ? 0 : flops,
        bytesPerSample: size.bytesPerSample * passes,
        fixedBytes: size.fixedBytes * passes,
      },
      node.turn,
    )
  }

  #count(cost: Cost, turn: Turn | undefined): void {
    const times = countOf(turn)
    const sum = cost.flopsPerSample + cost.fixedFlops + cost.bytesPerSample + cost.fixedBytes
    const alike = this.#alike.get(sum) ?? []
    const known = alike.find(other => isSame(cost, other))
    if (known !== undefined) {
      known.count += times
      return
    }
    const counted = { ...cost, count: times }
    this.#kernels.push(counted)
    alike.push(counted)
    this.#alike.set(sum, alike)
  }
}

function isSame(one: Cost, other: Cost): boolean {
  return (
    one.kind === other.kind &&
    one.dtype === other.dtype &&
    one.flopsPerSample === other.flopsPerSample &&
    one.fixedFlops === other.fixedFlops &&
    one.bytesPerSample === other.bytesPerSample &&
    one.fixedBytes === other.fixedBytes
  )
}

const nothing = { flopsPerSample: 0, fixedFlops: 0, bytesPerSample: 0, fixedBytes: 0 } as const

type Size = Pick<Storage, 'bytesPerSample' | 'fixedBytes'>

function kindOf({ flopsPerSample, kernel }: Node): KernelKind {
  if (flopsPerSample === 0) return 'memory'
  return kernel === undefined || kernel === 'batch-norm' || kernel === 'look-up' ? 'product' : kernel
}

/**
 * A kernel reads its inputs once and writes its outputs once, except that batch norms go through the images once for the
 * statistics and once more to apply them, forward and backward (cuDNN's and native_batch_norm's two passes over x, and over x and
 * its gradient).
 */
function passesOf({ kernel }: Node, pass: 'forward' | 'backward'): number {
  return kernel === 'batch-norm' ? (pass === 'forward' ? 3 / 2 : 5 / 3) : 1
}

/** A look-up reads the rows that it writes, not the whole table. */
function readBy(node: Node): readonly Size[] {
  return node.kernel === 'look-up' ? node.creates : node.reads
}

/** A view's gradient is as large as the view. */
function storageOf({ shape, dtype, batched, storage }: Tensor): Size {
  const bytes = elements({ shape }) * bytesPerElement[dtype]
  if (!batched) return { fixedBytes: bytes, bytesPerSample: 0 }
  // A sample may be several sequences, which only the storage knows.
  return { fixedBytes: 0, bytesPerSample: storage.bytesPerSample > 0 ? Math.min(bytes, storage.bytesPerSample) : bytes }
}

function sizeOf(sizes: readonly Size[]): Size {
  let [fixedBytes, bytesPerSample] = [0, 0]
  for (const size of sizes) {
    fixedBytes += size.fixedBytes
    bytesPerSample += size.bytesPerSample
  }
  return { fixedBytes, bytesPerSample }
}
