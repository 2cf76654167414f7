/**
 * Which weights ZeRO-3 has gathered when: deepspeed 0.19 runtime/zero/partitioned_param_coordinator.py. From its third step on
 * DeepSpeed knows the order in which a step uses its parameters. It gathers those that come next ahead of time, and keeps those
 * that are used again within a distance.
 */
import { elements, type Storage, type Tensor } from '../tape/storage.ts'
import type { Memory, Parameters } from './exchange.ts'
import { bytesOf, sum } from './parameter-sizes.ts'
import type { ZeroSettings } from './zero-settings.ts'

interface Parameter {
  readonly elements: number
  readonly bytes: number
  /** Small ones stay gathered once they are. */
  readonly persists: boolean
  /** Whole, while it is gathered. */
  data: Storage | undefined
  /** Where it is being gathered to, with others: copied out of there when it is needed. */
  message: Message | undefined
  /** The last operation for whose sake it was gathered or kept. */
  neededBy: number
}

interface Message {
  readonly parameters: readonly Parameter[]
  readonly storage: Storage
}

export class GatheredParameters {
  readonly #memory: Memory
  readonly #settings: ZeroSettings
  readonly #byStorage = new Map<Storage, Parameter>()
  /** What each operation of the micro-step uses. */
  readonly #order: readonly (readonly Parameter[])[]
  readonly #uses: readonly { readonly parameter: Parameter; readonly operation: number }[]
  #operation = 0
  /** The next use that nothing has looked at yet. */
  #nextUse = 0
  #liveElements = 0

  constructor(memory: Memory, settings: ZeroSettings, parameters: Parameters, order: readonly (readonly Storage[])[]) {
    this.#memory = memory
    this.#settings = settings
    for (const tensor of parameters.values()) this.#byStorage.set(tensor.storage, parameterOf(tensor, settings))
    this.#order = order.map(used => this.#parametersIn(used))
    this.#uses = this.#order.flatMap((used, operation) => used.map(parameter => ({ parameter, operation })))
  }

  begins(used: readonly Storage[]): void {
    const needed = this.#parametersIn(used)
    this.#gather(needed.filter(parameter => !isOnItsWay(parameter)))
    for (const parameter of needed) this.#receive(parameter)
    this.#skipUses(needed)
    this.#prefetch()
    this.#operation++
  }

  ends(used: readonly Storage[]): void {
    const released = new Set(this.#parametersIn(used).filter(parameter => !this.#isKept(parameter)))
    let distance = 0
    for (let next = this.#operation; released.size > 0 && next < this.#order.length; next++) {
      if (distance >= this.#settings.maxReuseDistance) break
      for (const parameter of this.#order[next] ?? []) {
        released.delete(parameter)
        distance += parameter.elements
      }
    }
    for (const parameter of released) this.#release(parameter)
  }

  /** A micro-step has ended. */
  reset(): void {
    for (const parameter of this.#byStorage.values()) {
      this.#receive(parameter)
      this.#release(parameter)
    }
    this.#beginAnew()
  }

  /** partitioned_param_coordinator.py reset_step, before a forward pass: what is gathered stays, but for what is on its way. */
  restart(): void {
    for (const parameter of this.#byStorage.values()) {
      if (parameter.message === undefined) continue
      const { parameters } = parameter.message
      this.#receive(parameter)
      for (const received of parameters) this.#release(received)
    }
    this.#beginAnew()
  }

  #beginAnew(): void {
    for (const parameter of this.#byStorage.values()) parameter.neededBy = -1
    this.#operation = 0
    this.#nextUse = 0
    this.#liveElements = 0
  }

  #isKept({ persists, neededBy }: Parameter): boolean {
    return persists || neededBy > this.#operation
  }

  /** Uses that this operation answers need no gathering ahead of time. */
  #skipUses(needed: readonly Parameter[]): void {
    const unseen = needed.filter(parameter => parameter.neededBy < this.#operation).length
    for (let skipped = 0; skipped < unseen; skipped++) {
      const use = this.#uses[this.#nextUse++]
      if (use !== undefined) use.parameter.neededBy = use.operation
    }
  }

  #prefetch(): void {
    const { maxLiveParameters, prefetchBucket } = this.#settings
    const limit = Math.min(maxLiveParameters - this.#liveElements, prefetchBucket)
    const ahead = new Set<Parameter>()
    for (let fetched = 0; fetched < limit && this.#nextUse < this.#uses.length; this.#nextUse++) {
      const use = this.#uses[this.#nextUse]
      if (use === undefined) break
      const { parameter } = use
      parameter.neededBy = Math.max(parameter.neededBy, use.operation)
      if (isOnItsWay(parameter) || ahead.has(parameter)) continue
      ahead.add(parameter)
      fetched += parameter.elements
    }
    this.#gather([...ahead])
  }

  /** One alone is gathered into its own storage, several into one that they are then copied out of. */
  #gather(parameters: readonly Parameter[]): void {
    if (parameters.length === 0) return
    this.#liveElements += sum(parameters.map(parameter => parameter.elements))
    const storage = this.#memory.fixed(sum(parameters.map(parameter => parameter.bytes)), 'weights')
    this.#memory.allocate(storage)
    const [first] = parameters
    if (parameters.length === 1 && first !== undefined) first.data = storage
    else for (const parameter of parameters) parameter.message = { parameters, storage }
  }

  #receive({ message }: Parameter): void {
    if (message === undefined) return
    for (const parameter of message.parameters) {
      parameter.data = this.#memory.fixed(parameter.bytes, 'weights')
      this.#memory.allocate(parameter.data)
      parameter.message = undefined
    }
    this.#memory.release(message.storage)
  }

  #release(parameter: Parameter): void {
    if (parameter.data === undefined) return
    this.#memory.release(parameter.data)
    parameter.data = undefined
    this.#liveElements -= parameter.elements
  }

  #parametersIn(used: readonly Storage[]): Parameter[] {
    return used.map(storage => this.#byStorage.get(storage)).filter(parameter => parameter !== undefined)
  }
}

function parameterOf(tensor: Tensor, { persistenceThreshold }: ZeroSettings): Parameter {
  const count = elements(tensor)
  const persists = count <= persistenceThreshold
  return { elements: count, bytes: bytesOf(tensor), persists, data: undefined, message: undefined, neededBy: -1 }
}

function isOnItsWay({ data, message }: Parameter): boolean {
  return data !== undefined || message !== undefined
}
