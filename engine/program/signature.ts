/** The type of an op: what a model passes to it and how many values it returns. */
import type { Value } from './value.ts'

export type Gives = 'nothing' | 'value' | 'pair' | 'one-per-size'

/**
 * `Signature`: the op as a model calls it. An argument is a value, a list of values, a body, a name or settings;
 * settings contain no values.
 */
export interface Op<Signature> {
  readonly gives: Gives
  /** Never set; it only carries the type. */
  readonly signature?: Signature
}

type Call<Result> = (...args: never) => Result

export function nothing<Signature extends Call<void>>(): Op<Signature> {
  return { gives: 'nothing' }
}

export function value<Signature extends Call<Value>>(): Op<Signature> {
  return { gives: 'value' }
}

export function pair<Signature extends Call<readonly [Value, Value]>>(): Op<Signature> {
  return { gives: 'pair' }
}

/** Returns one value for each size in its second argument. */
export function onePerSize<Signature extends (x: Value, sizes: readonly number[]) => Value[]>(): Op<Signature> {
  return { gives: 'one-per-size' }
}
