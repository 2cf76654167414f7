/**
 * What both versions of FSDP share: units of parameters that are gathered together, and the shards of their gradients.
 */
import { shardingGroup } from '../../training/batches.ts'
import type { Loop } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { ByteKind, Storage, Tensor } from '../tape/storage.ts'
import type { ExchangeContext, Memory } from './exchange.ts'
import { bytesOf, sum } from './parameter-sizes.ts'
import { mastersOf } from './shares.ts'

export interface FsdpRules {
  /** Bytes that this GPU keeps of each parameter. */
  readonly part: number
  /** Shards are float32, and are gathered in 16 bits. */
  readonly castsShards: boolean
  readonly isOffloaded: boolean
  /** From the forward pass to the backward pass: reshard_after_forward=False, once called SHARD_GRAD_OP. */
  readonly keepsGathered: boolean
  /** The model returns logits, so that its backward pass begins only with their gradient: every method but fine-tuning, and some loops. */
  readonly isLossOutside: boolean
  readonly use: UseOfFsdp
  /** Blocks are gathered further ahead, by what a reentrant checkpoint around them runs again in the backward pass too. */
  readonly recomputesGathering: boolean
}

/** How a training loop wraps a model, where it does not do as accelerate does. */
interface UseOfFsdp {
  /** Gradients are summed in float32, whatever type they come in. */
  readonly sumsWide?: true
  /** FSDP1 gathers the next block of the backward pass ahead (BACKWARD_PRE, torch's default). */
  readonly gathersAhead?: true
  /** FSDP2 wraps the embeddings by themselves, unless they are the output layer too. */
  readonly wrapsEmbeddings?: true
  /** FSDP2 wraps what is left by itself too, and reduces its gradients as soon as its backward pass has ended. */
  readonly wrapsRest?: true
  readonly isLossOutside?: true
  /** The whole model is gathered for passes without gradients, which the tape counts (objectives/nemo-rl-losses.ts). */
  readonly gathersWholeForPasses?: true
  /** Of blocks, the next is gathered ahead in the forward pass too, and two in the backward pass. */
  readonly gathersFurther?: true
}

/**
 * verl: utils/fsdp_utils.py apply_fsdp2. torchtitan: infra/parallelize.py apply_fsdp. NeMo-RL: models/dtensor/parallelize.py
 * _parallelize_model, and NeMo AutoModel's components/distributed/parallelizer.py.
 */
const usesOfFsdp: Partial<Record<Loop, UseOfFsdp>> = {
  verl: { sumsWide: true, gathersAhead: true, wrapsEmbeddings: true, isLossOutside: true },
  torchtitan: { sumsWide: true, wrapsEmbeddings: true, wrapsRest: true, isLossOutside: true },
  'nemo-rl': { sumsWide: true, isLossOutside: true, gathersWholeForPasses: true },
  'nemo-rl-v2': { sumsWide: true, isLossOutside: true, gathersFurther: true },
}

export function fsdpRules(spec: TrainingSpec): FsdpRules {
  const use = usesOfFsdp[spec.loop] ?? {}
  return {
    part: 1 / shardingGroup(spec),
    castsShards: mastersOf(spec) === 'as-weights',
    isOffloaded: spec.offload !== undefined,
    keepsGathered: spec.sharding === 'fsdp-grad-op',
    isLossOutside: use.isLossOutside === true || spec.method !== undefined,
    use,
    recomputesGathering:
      use.gathersFurther === true && spec.gradientCheckpointing && spec.reentrantCheckpoints === true,
  }
}

/** Parameters that are gathered together. */
export class GatheredUnit {
  readonly parameters: Tensor[] = []
  /** Unsharded parameters, by storage. */
  protected readonly gradients = new Map<Storage, Storage>()
  protected readonly memory: Memory
  protected readonly rules: FsdpRules
  protected weights: Storage | undefined

  constructor(memory: Memory, rules: FsdpRules) {
    this.memory = memory
    this.rules = rules
  }

  get isWhole(): boolean {
    return this.weights !== undefined
  }

  get hasGradients(): boolean {
    return this.gradients.size > 0
  }

  /** Into a new storage of this kind. The collective's input is part of it, unless the shard is first cast or brought from the host. */
  protected gatherInto(kind: ByteKind): Storage {
    const { part, castsShards, isOffloaded } = this.rules
    const bytes = sum(this.parameters.map(bytesOf))
    const input = castsShards || isOffloaded ? this.allocate(bytes * part, 'temporaries') : undefined
    const output = this.allocate(bytes, kind)
    if (input !== undefined) this.memory.release(input)
    return output
  }

  reshard(): void {
    if (this.weights !== undefined) this.memory.release(this.weights)
    this.weights = undefined
  }

  receive(parameter: Storage, gradient: Storage): void {
    if (this.gradients.has(parameter)) this.memory.release(gradient)
    else this.gradients.set(parameter, gradient)
  }

  protected releaseGradients(): void {
    for (const gradient of this.gradients.values()) this.memory.release(gradient)
    this.gradients.clear()
  }

  protected allocate(bytes: number, kind: ByteKind): Storage {
    const storage = this.memory.fixed(bytes, kind)
    this.memory.allocate(storage)
    return storage
  }
}

/** The units of a model. */
export class Units<Unit extends GatheredUnit> {
  readonly #units = new Map<string, Unit>()
  readonly #unitOf = new Map<Storage, Unit>()

  /** `unitOf`: the name of the unit that a parameter belongs to, and how that unit is made. */
  constructor(
    parameters: ExchangeContext['parameters'],
    unitOf: (name: string, parameter: Tensor) => { readonly key: string; readonly make: () => Unit },
  ) {
    for (const [name, parameter] of parameters) {
      const { key, make } = unitOf(name, parameter)
      const unit = this.#units.get(key) ?? make()
      this.#units.set(key, unit)
      unit.parameters.push(parameter)
      this.#unitOf.set(parameter.storage, unit)
    }
  }

  of(parameter: Storage): Unit | undefined {
    return this.#unitOf.get(parameter)
  }

  [Symbol.iterator](): Iterator<Unit> {
    return this.#units.values()
  }
}
