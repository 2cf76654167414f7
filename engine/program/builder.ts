/**
 * Records the program of a model: the model's function runs once over a builder, which notes every op and returns
 * values without content. torch.fx calls this symbolic tracing.
 */
import { type Gives, type OpSignatures, ops } from './ops.ts'
import { Body, LAYER_NUMBER, LayerStack, type Operation, type Program, type Region } from './program.ts'
import { Value } from './value.ts'

/** The place of a layer in a stack while its kind is recorded. */
export interface LayerPlace {
  /** Of the first layer of this kind. */
  readonly index: number
  /** The module path, with `*` for the layer's number. */
  readonly name: string
}

interface Layers {
  /**
   * A stack of layers in the module `path`. `kinds`: the kind of each layer, or their number if all are alike. Layers
   * of a kind differ only in their numbers, so `layer` is called once for each kind.
   */
  layers<State extends Value | undefined>(
    x: State,
    path: string,
    kinds: readonly string[] | number,
    layer: (x: State, place: LayerPlace) => State,
  ): State
}

/** The ops that models are written in. */
export interface Builder extends OpSignatures, Layers {}

export interface Traced<Result> extends Program {
  readonly result: Result
}

/** The program of `model`, and the values that it returns. */
export function trace<Result>(model: (ops: Builder) => Result): Traced<Result> {
  const tracer = new Tracer()
  const result = model(tracer as unknown as Builder)
  return { operations: tracer.operations, result }
}

/** Has a method for each op, added to its prototype below. */
class Tracer implements Layers {
  operations: Operation[] = []
  #values = 0

  note(op: Operation['op'], gives: Gives, args: readonly unknown[]): unknown {
    const noted = args.map(arg => (typeof arg === 'function' ? this.#body(arg as Written) : arg))
    const outputs: Value[] = []
    for (let count = countOf(gives, args); count > 0; count--) outputs.push(this.#value())
    this.operations.push({ op, args: noted, outputs })
    return gives === 'value' ? outputs[0] : outputs
  }

  layers<State extends Value | undefined>(
    x: State,
    path: string,
    kinds: readonly string[] | number,
    layer: (x: State, place: LayerPlace) => State,
  ): State {
    const each = typeof kinds === 'number' ? new Array<string>(kinds).fill('') : kinds
    const name = `${path}.${LAYER_NUMBER}`
    const regions = new Map<string, Region>()
    for (const [index, kind] of each.entries()) {
      if (regions.has(kind)) continue
      const parameter = (x && this.#value()) as State
      const region = this.#region(parameter === undefined ? [] : [parameter], () => layer(parameter, { index, name }))
      regions.set(kind, region)
    }
    const output = (x && this.#value()) as State
    const outputs = output === undefined ? [] : [output]
    this.operations.push({ op: 'layers', args: [x, new LayerStack(each, regions)], outputs })
    return output
  }

  #body(written: Written): Body {
    const parameters = Array.from({ length: written.length }, () => this.#value())
    return new Body(this.#region(parameters, () => written(...parameters)))
  }

  #region(parameters: readonly Value[], write: () => Value | undefined): Region {
    const outer = this.operations
    this.operations = []
    const result = write()
    const region = { parameters, operations: this.operations, result }
    this.operations = outer
    return region
  }

  #value(): Value {
    return new Value(this.#values++)
  }
}

/** An op's body as a model passes it. */
type Written = (...parameters: readonly Value[]) => Value | undefined

function countOf(gives: Gives, args: readonly unknown[]): number {
  switch (gives) {
    case 'nothing':
      return 0
    case 'value':
      return 1
    case 'pair':
      return 2
    case 'one-per-size':
      return (args[1] as readonly number[]).length
  }
}

for (const [op, { gives }] of Object.entries(ops) as [keyof typeof ops, { gives: Gives }][]) {
  Object.defineProperty(Tracer.prototype, op, {
    value(this: Tracer, ...args: readonly unknown[]) {
      return this.note(op, gives, args)
    },
  })
}
