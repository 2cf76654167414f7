/**
 * A model as data: the ops that one forward pass runs, in order, as torch.fx's graphs hold them. A program says nothing
 * of sizes in memory, of gradients or of numbers: interpreters do (estimate/tape/lowering.ts records what PyTorch would
 * hold, probes/tfjs runs the step in TensorFlow.js).
 */
import type { OpName } from './ops.ts'

/** What an op gives, known by its number alone. */
export class Value {
  readonly id: number

  constructor(id: number) {
    this.id = id
  }
}

/** Ops inside of an op: the body of a checkpointed block, what an expert does between its two matrices. */
export interface Region {
  readonly parameters: readonly Value[]
  readonly operations: readonly Operation[]
  readonly result: Value | undefined
}

/** An argument that is run rather than read. */
export class Body {
  readonly region: Region

  constructor(region: Region) {
    this.region = region
  }
}

/**
 * Layers one after the other. Each kind of layer stands here once, however many there are of it; in the names of its
 * parameters, `*` is the number of the layer.
 */
export class LayerStack {
  /** Of each layer, in order. */
  readonly kinds: readonly string[]
  readonly regions: ReadonlyMap<string, Region>

  constructor(kinds: readonly string[], regions: ReadonlyMap<string, Region>) {
    this.kinds = kinds
    this.regions = regions
  }
}

/** A value or several, a body, layers, a name, or settings that stay as they are. */
export type Argument = unknown

export interface Operation {
  readonly op: OpName
  readonly args: readonly Argument[]
  readonly outputs: readonly Value[]
}

export interface Program {
  readonly operations: readonly Operation[]
}

/** Stands for the number of a layer in the names inside of it. */
export const LAYER_NUMBER = '*'

/** Ops of a program and of all bodies in it. */
export function opsIn({ operations }: Pick<Program, 'operations'>): ReadonlySet<OpName> {
  const names = new Set<OpName>()
  const visit = (within: readonly Operation[]) => {
    for (const { op, args } of within) {
      names.add(op)
      for (const arg of args) {
        if (arg instanceof Body) visit(arg.region.operations)
        if (arg instanceof LayerStack) for (const region of arg.regions.values()) visit(region.operations)
      }
    }
  }
  visit(operations)
  return names
}
