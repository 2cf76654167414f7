/** The gradients of a backward pass: those on their way to a node, those that wait for more of the same parameter, who holds them. */

import type { Memory } from '../sharding/exchange.ts'
import type { GradientEdge } from '../tape/autograd.ts'
import type { Storage, Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { Numbers } from './numbers.ts'

export class Gradients {
  readonly #tape: Tape
  readonly #memory: Memory
  /** Takes over the gradient of a parameter when all of its uses have been summed up. */
  readonly #receive: (parameter: Storage, gradient: Storage) => void
  /** What has arrived for a tensor so far, by the tensor's edge; several tensors may share one. */
  readonly #arrived: (Storage | undefined)[] = []
  /** Who holds a gradient, counted by storage id. */
  readonly #holders: Numbers
  /** One for a view of another tensor, by storage id. */
  readonly #views: Numbers
  /** Uses of a parameter whose gradient this backward pass still owes, by storage id. */
  #usesLeft = new Numbers(0)
  /** By parameter. */
  readonly #waiting = new Map<Storage, Waiting>()

  /** `room`: for so many storages before it grows. */
  constructor(tape: Tape, memory: Memory, room: number, receive: (parameter: Storage, gradient: Storage) => void) {
    this.#holders = new Numbers(room)
    this.#views = new Numbers(room)
    this.#tape = tape
    this.#memory = memory
    this.#receive = receive
  }

  /** A backward pass begins at the loss, and each parameter will get a gradient for each of its uses, by storage id. */
  begin(loss: Tensor, uses: Numbers): void {
    const seed = this.create(loss)
    this.hold(seed)
    this.deposit({ to: loss }, seed)
    this.#usesLeft = uses.copy()
  }

  create(of: Tensor): Storage {
    const kind = of.storage.persistent ? 'gradients' : of.storage.kind === 'logits' ? 'logits' : 'temporaries'
    const gradient = this.#tape.like(of, kind)
    this.#memory.allocate(gradient)
    return gradient
  }

  at({ edge }: Tensor): Storage | undefined {
    return this.#arrived[edge]
  }

  /** The gradients of some outputs, which are the caller's from here on. */
  take(outputs: readonly Tensor[]): readonly Storage[] {
    let taken: Storage[] | undefined
    for (let index = 0; index < outputs.length; index++) {
      const { edge } = outputs[index]!
      const gradient = this.#arrived[edge]
      if (gradient === undefined) continue
      this.#arrived[edge] = undefined
      if (taken === undefined) taken = [gradient]
      else taken.push(gradient)
    }
    return taken ?? NONE
  }

  hold(gradient: Storage): void {
    this.#holders.add(gradient.id, 1)
  }

  /** The last to let go releases. */
  letGo(gradient: Storage): void {
    if (this.#holders.add(gradient.id, -1) > 0) return
    this.#holders.set(gradient.id, 0)
    this.#memory.release(gradient)
  }

  /** torch/csrc/autograd/input_buffer.cpp accumulate: in place when nobody else holds the earlier gradient, as a view's base does. */
  deposit({ to, isView = false }: Pick<GradientEdge, 'to' | 'isView'>, gradient: Storage): void {
    if (to.storage.persistent) {
      this.#depositForParameter(to, { gradient, isView })
      return
    }
    if (isView) this.#views.set(gradient.id, 1)
    const earlier = this.#arrived[to.edge]
    if (earlier === undefined) {
      this.#arrived[to.edge] = gradient
      return
    }
    if (this.#holders.at(earlier.id) > 1 || this.#views.at(earlier.id) > 0) {
      const sum = this.create(to)
      this.hold(sum)
      this.#arrived[to.edge] = sum
      this.letGo(earlier)
    }
    this.letGo(gradient)
  }

  /** A parameter's gradients wait for each other: they are summed in place, but for a view, whose sum with the next is a new tensor. */
  #depositForParameter(to: Tensor, arrived: Waiting): void {
    const { gradient } = arrived
    this.#holders.set(gradient.id, 0)
    const parameter = to.storage
    const waiting = this.#waiting.get(parameter)
    const usesLeft = this.#usesLeft.add(parameter.id, -1)
    const sum = waiting === undefined ? arrived : this.#summed(to, waiting, gradient)
    if (usesLeft > 0) {
      this.#waiting.set(parameter, sum)
      return
    }
    this.#waiting.delete(parameter)
    this.#receive(parameter, sum.gradient)
  }

  #summed(to: Tensor, waiting: Waiting, gradient: Storage): Waiting {
    const sum = waiting.isView ? { gradient: this.create(to), isView: false } : waiting
    if (waiting.isView) this.#memory.release(waiting.gradient)
    this.#memory.release(gradient)
    return sum
  }
}

/** For the gradients of a parameter's other uses. */
interface Waiting {
  readonly gradient: Storage
  readonly isView: boolean
}

const NONE: readonly never[] = []
