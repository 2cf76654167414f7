/** Runs a program over any representation of values: sizes on a tape, or TensorFlow.js tensors. */
import type { OpName, OpSignatures } from './ops.ts'
import { Body, LAYER_NUMBER, LayerStack, type Operation, type Program, type Region } from './program.ts'
import { Value } from './value.ts'

/** What an interpreter's row receives for an argument in an op's signature. */
type Bound<Argument, T> = Argument extends Value
  ? T
  : Argument extends readonly Value[]
    ? { [Index in keyof Argument]: T }
    : Argument extends () => Value
      ? () => T
      : Argument extends (x: Value) => Value
        ? (x: T) => T
        : Argument

type BoundAll<Args extends readonly unknown[], T> = { [Index in keyof Args]: Bound<Args[Index], T> }

/** Layers one after the other; `layer` runs the one at an index. */
export interface Stack<T> {
  readonly kinds: readonly string[]
  readonly layer: (x: T | undefined, index: number) => T | undefined
}

/** An interpreter's implementation of each op, by name. */
export type Rows<Context, T> = {
  readonly [Name in keyof OpSignatures]: (
    context: Context,
    ...args: BoundAll<Parameters<OpSignatures[Name]>, T>
  ) => Bound<ReturnType<OpSignatures[Name]>, T>
} & { readonly layers: (context: Context, x: T | undefined, stack: Stack<T>) => T | undefined }

/** An op for which the interpreter has no row. */
export class MissingOp extends Error {
  readonly op: OpName

  constructor(op: OpName) {
    super(`no row for ${op}`)
    this.op = op
  }
}

/**
 * Runs every operation; returns what its values came to.
 * @throws MissingOp at the first that has no row.
 */
export function interpret<Context, T>(
  { operations }: Program,
  rows: Partial<Rows<Context, T>>,
  context: Context,
): (value: Value) => T {
  const run = new Run<Context, T>(rows, context)
  run.all(operations)
  return value => run.read(value)
}

type AnyRow<Context> = (context: Context, ...args: readonly unknown[]) => unknown

class Run<Context, T> {
  readonly #rows: Partial<Record<OpName, AnyRow<Context>>>
  readonly #context: Context
  /** By value. For a stack, those of the layer that ran last. */
  readonly #results: T[] = []
  /** The number of the running layer. */
  #layer = ''

  constructor(rows: Partial<Rows<Context, T>>, context: Context) {
    this.#rows = rows as Partial<Record<OpName, AnyRow<Context>>>
    this.#context = context
  }

  read({ id }: Value): T {
    const result = this.#results[id]
    if (result === undefined) throw new Error(`value ${id} is read before it is made`)
    return result
  }

  all(operations: readonly Operation[]): void {
    for (const { op, args, outputs } of operations) {
      const row = this.#rows[op]
      if (row === undefined) throw new MissingOp(op)
      const result = row(this.#context, ...args.map(this.#bound))
      if (Array.isArray(result))
        for (let index = 0; index < outputs.length; index++) this.#set(outputs[index], result[index])
      else this.#set(outputs[0], result as T)
    }
  }

  #set(value: Value | undefined, result: T): void {
    if (value !== undefined) this.#results[value.id] = result
  }

  readonly #bound = (arg: unknown): unknown => {
    if (typeof arg === 'string') return this.#layer === '' ? arg : arg.replace(LAYER_NUMBER, this.#layer)
    if (typeof arg !== 'object' || arg === null) return arg
    if (arg instanceof Value) return this.read(arg)
    if (Array.isArray(arg)) return arg[0] instanceof Value ? arg.map(value => this.read(value)) : arg
    if (arg instanceof Body) return (...inputs: readonly T[]) => this.#body(arg.region, inputs)
    if (arg instanceof LayerStack) return this.#stack(arg)
    return arg
  }

  #body({ parameters, operations, result }: Region, inputs: readonly T[]): T | undefined {
    for (let index = 0; index < parameters.length; index++) this.#set(parameters[index], inputs[index] as T)
    this.all(operations)
    return result && this.read(result)
  }

  #stack({ kinds, regions }: LayerStack): Stack<T> {
    const layer = (x: T | undefined, index: number) => {
      const outer = this.#layer
      this.#layer = String(index)
      const region = regions.get(kinds[index] ?? '')
      if (region === undefined) throw new Error(`layer ${index} is of no kind`)
      const result = this.#body(region, x === undefined ? [] : [x])
      this.#layer = outer
      return result
    }
    return { kinds, layer }
  }
}
