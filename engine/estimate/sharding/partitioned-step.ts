/** DeepSpeed's optimizer step over this GPU's part of the parameters, beside what the optimizer itself allocates. */
import { modelCopies } from '../../training/batches.ts'
import { bytesPerElement, elements, type Storage, type Tensor } from '../tape/storage.ts'
import type { ExchangeContext, Memory } from './exchange.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'

export interface PartitionRules {
  /** ZeRO-3 gives every GPU a piece of every parameter, ZeRO-1 and 2 some parameters whole. */
  readonly dividesEach: boolean
  /** Elements that the optimizer steps with at a time. */
  readonly subGroup: number
}

export class PartitionedStep {
  /** Of this GPU's part, in the type of the weights. */
  readonly gradientBytes: number
  readonly partAtATime: number
  readonly #memory: Memory
  /** Of the largest piece of a gradient that this GPU has. */
  readonly #pieceElements: number
  readonly #stepElements: number
  readonly #is16Bit: boolean
  #master: Storage | undefined

  constructor({ spec, parameters, memory }: ExchangeContext, { dividesEach, subGroup }: PartitionRules) {
    const trained = trainedOf(parameters.values())
    const part = 1 / modelCopies(spec)
    const partElements = sum(trained.map(elements)) * part
    const largest = Math.max(0, ...trained.map(elements))
    this.#memory = memory
    this.gradientBytes = dividesEach ? sum(trained.map(bytesOf)) * part : largestPartBytes(trained, modelCopies(spec))
    this.#pieceElements = dividesEach ? largest * part : Math.min(largest, partElements)
    this.#stepElements = Math.min(partElements, subGroup)
    this.partAtATime = partElements === 0 ? 1 : this.#stepElements / partElements
    this.#is16Bit = spec.precision === 'bf16-master' || spec.precision === 'bf16'
  }

  /** stage_1_and_2.py has_overflow_partitioned_grads_serial: the largest piece of a gradient in float32, twice, and three masks. */
  checkOverflow(): void {
    const piece = this.#pieceElements
    const floats = this.#is16Bit ? [4 * piece, 4 * piece] : []
    this.#passing([...floats, piece, piece, piece])
  }

  /** complete_grad_norm_calculation: a copy of every piece in float64. */
  takeNorm(): void {
    this.#passing([8 * this.#pieceElements])
  }

  /** The gradients in one piece, and in float32 for the master weights. */
  begin(): void {
    const flat = this.#fixed(this.#stepElements * (this.#is16Bit ? 2 : 4))
    this.#memory.allocate(flat)
    if (!this.#is16Bit) {
      this.#master = flat
      return
    }
    this.#master = this.#fixed(this.#stepElements * bytesPerElement.float32)
    this.#memory.allocate(this.#master)
    this.#memory.release(flat)
  }

  end(): void {
    if (this.#master !== undefined) this.#memory.release(this.#master)
    this.#master = undefined
  }

  #passing(sizes: readonly number[]): void {
    const storages = sizes.map(bytes => this.#fixed(bytes))
    for (const storage of storages) this.#memory.allocate(storage)
    for (const storage of storages) this.#memory.release(storage)
  }

  #fixed(bytes: number): Storage {
    return this.#memory.fixed(bytes, 'gradients')
  }
}

/**
 * The parameters one after the other, cut into equal parts: of those that a cut goes through, both sides keep whole gradients.
 * Bytes of the GPU that has most.
 */
function largestPartBytes(trained: readonly Tensor[], parts: number): number {
  const partElements = sum(trained.map(elements)) / parts
  const bytes = Array.from({ length: parts }, () => 0)
  let start = 0
  for (const parameter of trained) {
    const end = start + elements(parameter)
    const [first, last] = [Math.floor(start / partElements), Math.ceil(end / partElements) - 1]
    for (let part = first; part <= Math.min(last, parts - 1); part++)
      bytes[part] = (bytes[part] ?? 0) + bytesOf(parameter)
    start = end
  }
  return bytes.reduce((most, each) => Math.max(most, each), 0)
}
