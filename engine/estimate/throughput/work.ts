/**
 * The kernels that one micro-step launches, with what each computes and moves. Both are polynomials of the batch, so that one list
 * serves every batch size and every GPU.
 */

import { Numbers } from '../step/numbers.ts'
import type { Node, Unpacking } from '../tape/autograd.ts'
import { countOf, type Turn } from '../tape/repetition.ts'
import { bytesPerElement, type Dtype, elements, type Storage, type Tensor } from '../tape/storage.ts'
import { type Joined, joined } from './joined-kernels.ts'
import {
  isOfLoss,
  isPassed,
  isPersistent,
  isRun,
  type KernelKind,
  kindOf,
  movesOnly,
  passesOf,
  readBy,
} from './operation-kernels.ts'

export interface Kernel {
  readonly kind: KernelKind
  readonly dtype: Dtype
  /** Of `unpacking`: elements, once for every kernel that goes through them. */
  readonly flops: number
  /** Its arithmetic is done once, for every sample, or for every pair of them where the batch is one sequence to it. */
  readonly flopsFor: 'once' | 'sample' | 'pair'
  /** Of a product: elements of its result, as often as its arithmetic. */
  readonly resultElements: number
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
  /** Bytes for each sample of the whole tensors that a tensor-parallel group gathers and scatters, in all passes. */
  readonly exchangedPerSample: number
}

/** torch: derivatives of fused attention: five products where the forward pass has two (Flash Attention 2, section 3.1). */
const ATTENTION_BACKWARD = 2.5

/**
 * Fused attention reaches half of its rate on sequences of so many tokens: Flash Attention 2's figure 4 has 132 to 176 TFLOP/s from
 * 512 to 16,384 tokens of 64 features on an A100 without a mask, and 88 to 171 with a causal one.
 */
const SHORT_SEQUENCE_TOKENS = 384

/** How the step runs besides what its operations do. */
export interface Running {
  /** Checkpointed blocks are computed again. */
  readonly recomputes: boolean
  /** torch.compile joins what only moves bytes, of the model and of the loss. */
  readonly isCompiled: boolean
  readonly isLossCompiled: boolean
  /** Matrix products but the output layer's are of 8-bit floats. */
  readonly isFloat8: boolean
  /** A tensor-parallel group divides the tokens between its layers. */
  readonly dividesTokens: boolean
}

/** Merged by what they do: a model repeats its block. */
export function workOf(nodes: readonly Node[], running: Running): Work {
  const { recomputes, isCompiled } = running
  const counter = new Counter(running)
  let plain: Node[] = []
  for (const node of nodes) {
    if (node.body === undefined) {
      if (isCompiled) plain.push(node)
      else counter.step([node])
      continue
    }
    counter.step(plain)
    plain = []
    if (recomputes) counter.forwards(node.body.filter(inner => !inner.isKept))
    counter.step(node.body)
  }
  counter.step(plain)
  return counter.work
}

type Counted = Omit<Kernel, 'count'> & { count: number }

/** Goes through thousands of kernels, of which few differ: only for those that do it makes an object. */
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
  #exchangedPerSample = 0
  /** What a tensor-parallel group has gathered, or is about to scatter: each GPU makes 8-bit floats of its own part. */
  readonly #ofGroup = new Set<Storage>()
  /** What the next kernel moves. */
  #fixedBytes = 0
  #bytesPerSample = 0

  get work(): Work {
    return {
      kernels: this.#kernels,
      operations: this.#operations,
      layers: this.#layers,
      backwardKernels: this.#backwardKernels,
      exchangedPerSample: this.#exchangedPerSample,
    }
  }

  readonly #isCompiled: boolean
  readonly #isFloat8: boolean
  readonly #dividesTokens: boolean
  readonly #isJoined: (node: Node) => boolean

  constructor({ isCompiled, isLossCompiled, isFloat8, dividesTokens }: Running) {
    this.#isCompiled = isCompiled
    this.#isFloat8 = isFloat8
    this.#dividesTokens = dividesTokens
    this.#isJoined = node => movesOnly(node) && (isLossCompiled || !isOfLoss(node))
  }

  step(nodes: readonly Node[]): void {
    if (this.#dividesTokens) this.#exchanges(nodes, 'both')
    if (this.#isCompiled) this.#compiledStep(nodes)
    else {
      for (let index = 0; index < nodes.length; index++) this.#forward(nodes[index]!)
      for (let index = 0; index < nodes.length; index++) this.#backward(nodes[index]!)
    }
    this.#sumGradients(nodes)
  }

  forwards(nodes: readonly Node[]): void {
    if (this.#dividesTokens) this.#exchanges(nodes, 'forward')
    if (this.#isCompiled) this.#joinedForward(joined(nodes, this.#isJoined, isRun).forward)
    else for (let index = 0; index < nodes.length; index++) this.#forward(nodes[index]!)
  }

  #compiledStep(nodes: readonly Node[]): void {
    const { forward, backward } = joined(nodes, this.#isJoined, isRun)
    this.#joinedForward(forward)
    for (const row of backward) {
      if (!('storages' in row)) this.#backward(row)
      else if (row.gradients.length > 0) this.#joined(row, 'backward')
    }
  }

  #joinedForward(rows: readonly (Node | Joined)[]): void {
    for (const row of rows) {
      if ('storages' in row) this.#joined(row, 'forward')
      else this.#forward(row)
    }
  }

  #joined({ nodes: [first], storages, gradients }: Joined, pass: 'forward' | 'backward'): void {
    const times = countOf(first?.turn)
    if (pass === 'forward') this.#operations += times
    else this.#backwardKernels += times
    this.#moves(storages)
    for (const tensor of gradients) this.#movesGradient(tensor)
    this.#countMoving('float32', first?.turn)
  }

  #forward(node: Node): void {
    if (!isRun(node)) return
    const times = countOf(node.turn)
    this.#operations += times
    if (node.flopsPerSample > 0) this.#layers += times
    this.#operations += times * this.#unpack(node, node.dequantises?.forward)
    if (this.#isOfFloat8(node)) for (const factor of node.reads.slice(0, 2)) this.#toFloat8(factor, node.turn)
    this.#moves(readBy(node))
    this.#moves(node.creates)
    this.#count(node, node.flopsPerSample, passesOf(node, 'forward'), node.outputs[0])
  }

  #backward(node: Node): void {
    const { gradients } = node
    if (gradients.every(isPassed)) return
    const kind = kindOf(node)
    if (kind === 'product' || kind === 'convolution' || kind === 'depthwise') {
      this.#backwardProducts(node)
      return
    }
    this.#movesGradients(node)
    this.#moves(node.saves)
    for (let index = 0; index < gradients.length; index++) {
      if (!gradients[index]!.passes) this.#movesGradient(gradients[index]!.to)
    }
    this.#moves(node.backwardScratch)
    const flops = kind === 'memory' ? 0 : ATTENTION_BACKWARD * node.flopsPerSample
    this.#count(node, flops, passesOf(node, 'backward'))
    this.#backwardKernels += countOf(node.turn)
  }

  /** One product for each of two inputs; a third, the bias, is a sum. */
  #backwardProducts(node: Node): void {
    const { gradients, saves, computeDtype, turn } = node
    this.#backwardKernels += countOf(turn) * this.#unpack(node, node.dequantises?.backward)
    if (this.#isOfFloat8(node)) {
      for (const factor of [...node.outputs.map(({ storage }) => storage), ...saves]) this.#toFloat8(factor, turn)
    }
    let products = 0
    for (let index = 0; index < gradients.length; index++) {
      const { to, passes } = gradients[index]!
      if (passes) continue
      this.#movesGradients(node)
      if (products++ < 2) {
        const other = saves[0] === to.storage ? saves.find(storage => storage !== to.storage) : saves[0]
        if (other !== undefined) this.#move(other)
        this.#movesGradient(to)
        this.#count(node, node.flopsPerSample, 1, to)
      } else {
        this.#movesGradient(to)
        this.#countMoving(computeDtype, turn)
      }
      this.#backwardKernels += countOf(turn)
    }
  }

  /**
   * A gather's gradient is scattered, and the other way round. torchao float8/float8_tensor_parallel.py: 8-bit floats are made of each
   * GPU's part before it is gathered, once for all products that share it.
   */
  #exchanges(nodes: readonly Node[], passes: 'forward' | 'both'): void {
    const copies = nodes.filter(({ name }) => name === 'cat')
    for (const node of nodes) {
      const { name, reads, creates, turn } = node
      if (name !== 'all_gather' && name !== 'reduce_scatter') continue
      const gathers = name === 'all_gather'
      const [part, whole] = gathers ? [reads[0], creates[0]] : [creates[0], reads[0]]
      if (part === undefined || whole === undefined) continue
      const isOfFloat8 = this.#isFloat8 && whole.kind !== 'logits'
      const bytes = countOf(turn) * whole.bytesPerSample
      const gathered = isOfFloat8 ? bytes / bytesPerElement.bfloat16 : bytes
      const isScatteredToo = passes === 'both' && !node.gradients.every(isPassed)
      this.#exchangedPerSample += gathers ? gathered : bytes
      if (isScatteredToo) this.#exchangedPerSample += gathers ? bytes : gathered
      if (!isOfFloat8) continue
      if (gathers || isScatteredToo) this.#toFloat8(part, turn)
      this.#ofGroup.add(whole)
      for (const copy of copies) {
        if (gathers && copy.reads.includes(whole)) for (const storage of copy.creates) this.#ofGroup.add(storage)
        if (!gathers && copy.creates.includes(whole)) for (const storage of copy.reads) this.#ofGroup.add(storage)
      }
    }
  }

  #isOfFloat8(node: Node): boolean {
    return this.#isFloat8 && kindOf(node) === 'product' && node.name !== 'lm_head' && node.reads.some(isPersistent)
  }

  /**
   * torchao float8/float8_linear.py, scaled by tensor: both factors of each product are read for their largest element, read again and
   * written; the gradient of the result once for two products.
   */
  #toFloat8(factor: Storage, turn: Turn | undefined): void {
    if (this.#ofGroup.has(factor)) return
    const { fixedBytes, bytesPerSample } = factor
    const passes = 5 / bytesPerElement.bfloat16
    this.#fixedBytes += passes * fixedBytes
    this.#bytesPerSample += passes * bytesPerSample
    this.#countMoving('float32', turn)
  }

  /** Gives the kernels that it takes. */
  #unpack({ computeDtype, dequantises, turn }: Node, unpacking: Unpacking | undefined): number {
    if (dequantises === undefined || unpacking === undefined) return 0
    const { elements: count } = dequantises
    const { bytesPerElement: bytes, kernels, smallKernels } = unpacking
    this.#fixedBytes = bytes * count
    this.#countAlike('unpacking', computeDtype, kernels * count, 'once', turn)
    return kernels + smallKernels
  }

  /** torch: input_buffer.cpp: where gradients meet that several operations made, each after the first is added. */
  #sumGradients(nodes: readonly Node[]): void {
    const sum = ++this.#sums
    for (let index = 0; index < nodes.length; index++) {
      const { gradients, turn } = nodes[index]!
      for (let edge = 0; edge < gradients.length; edge++) {
        const { to } = gradients[edge]!
        if (to.storage.persistent) continue
        const isFirst = this.#metIn.at(to.edge) !== sum
        this.#metIn.set(to.edge, sum)
        if (isFirst) continue
        // Compiled, the kernel that goes on with the sum reads what the others have written.
        for (let times = 0; times < (this.#isCompiled ? 1 : 3); times++) this.#movesGradient(to)
        this.#countMoving('float32', turn)
        if (!this.#isCompiled) this.#backwardKernels += countOf(turn)
      }
    }
  }

  #move({ fixedBytes, bytesPerSample }: Size): void {
    this.#fixedBytes += fixedBytes
    this.#bytesPerSample += bytesPerSample
  }

  #moves(storages: readonly Size[]): void {
    for (let index = 0; index < storages.length; index++) this.#move(storages[index]!)
  }

  #movesGradients({ outputs }: Node): void {
    for (let index = 0; index < outputs.length; index++) this.#movesGradient(outputs[index]!)
  }

  /** A view's gradient is as large as the view. */
  #movesGradient({ shape, dtype, batched, storage }: Tensor): void {
    const bytes = elements({ shape }) * bytesPerElement[dtype]
    if (!batched) this.#fixedBytes += bytes
    // A sample may be several sequences, which only the storage knows.
    else this.#bytesPerSample += storage.bytesPerSample > 0 ? Math.min(bytes, storage.bytesPerSample) : bytes
  }

  #count(node: Node, arithmetic: number, passes: number, result?: Tensor): void {
    const flops = arithmetic * (1 + SHORT_SEQUENCE_TOKENS / (node.attendedTokens ?? Number.POSITIVE_INFINITY))
    const ofBatch = node.attendsAcrossBatch ? 'pair' : 'sample'
    const flopsFor = this.#bytesPerSample > 0 ? ofBatch : 'once'
    this.#fixedBytes *= passes
    this.#bytesPerSample *= passes
    const kind = this.#isOfFloat8(node) ? 'float8-product' : kindOf(node)
    const resultElements = kind.endsWith('product') ? elementsPerSample(result) : 0
    this.#countAlike(kind, node.computeDtype, flops, flopsFor, node.turn, resultElements)
  }

  #countMoving(dtype: Dtype, turn: Turn | undefined): void {
    this.#countAlike('memory', dtype, 0, 'once', turn)
  }

  #countAlike(
    kind: KernelKind,
    dtype: Dtype,
    flops: number,
    flopsFor: Kernel['flopsFor'],
    turn: Turn | undefined,
    resultElements = 0,
  ): void {
    const [fixedBytes, bytesPerSample] = [this.#fixedBytes, this.#bytesPerSample]
    this.#fixedBytes = 0
    this.#bytesPerSample = 0
    const times = countOf(turn)
    const sum = flops + bytesPerSample + fixedBytes
    const alike = this.#alike.get(sum)
    for (let index = 0; alike !== undefined && index < alike.length; index++) {
      const known = alike[index]!
      const isSame =
        known.kind === kind &&
        known.dtype === dtype &&
        known.flops === flops &&
        known.flopsFor === flopsFor &&
        known.resultElements === resultElements &&
        known.bytesPerSample === bytesPerSample &&
        known.fixedBytes === fixedBytes
      if (!isSame) continue
      known.count += times
      return
    }
    const counted = { kind, dtype, flops, flopsFor, resultElements, bytesPerSample, fixedBytes, count: times }
    this.#kernels.push(counted)
    if (alike === undefined) this.#alike.set(sum, [counted])
    else alike.push(counted)
  }
}

type Size = Pick<Storage, 'bytesPerSample' | 'fixedBytes'>

/** Of a gradient of weights none: it sums over all tokens of the batch. */
function elementsPerSample(result: Tensor | undefined): number {
  return result === undefined ? 0 : result.storage.bytesPerSample / bytesPerElement[result.dtype]
}
