/**
 * A model as data: the ops of one forward pass in order, like a torch.fx graph. A program knows nothing of memory,
 * gradients or numbers; its interpreters do (estimate/tape/lowering.ts records what PyTorch would hold, probes/tfjs
 * runs the step in TensorFlow.js).
 */
import type { OpName } from './ops.ts'
import type { Value } from './value.ts'

/** Ops nested in an op: the body of a checkpointed block, or an expert's activation. */
export interface Region {
  readonly parameters: readonly Value[]
  readonly operations: readonly Operation[]
  readonly result: Value | undefined
}

/** An argument that is run instead of read. */
export class Body {
  readonly region: Region

  constructor(region: Region) {
    this.region = region
  }
}

/**
 * A stack of layers. Each kind is recorded once, however many layers have it; `*` in parameter names stands for the
 * layer's number.
 */
export class LayerStack {
  /** The kind of each layer, in order. */
  readonly kinds: readonly string[]
  readonly regions: ReadonlyMap<string, Region>

  constructor(kinds: readonly string[], regions: ReadonlyMap<string, Region>) {
    this.kinds = kinds
    this.regions = regions
  }
}

/** Values, a body, layers, a name, or settings. */
export type Argument = unknown

export interface Operation {
  readonly op: OpName
  readonly args: readonly Argument[]
  readonly outputs: readonly Value[]
}

export interface Program {
  readonly operations: readonly Operation[]
}

/** The placeholder for a layer's number in names. */
export const LAYER_NUMBER = '*'

/** The names of all ops in a program, nested ones included. */
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
