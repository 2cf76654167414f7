/** How an op of a program is described: what a model passes to it, and how many values it gives. */
import type { Value } from './program.ts'

export type Gives = 'nothing' | 'value' | 'pair' | 'one-per-size'

/**
 * `Signature`: as a model calls it. An argument is a value, a list of values, a body, a name or settings; never
 * settings with values inside.
 */
export interface Op<Signature> {
  readonly gives: Gives
  /** Never there: what ties the type to the op. */
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

/** One value for each of the sizes that are its second argument. */
export function onePerSize<Signature extends (x: Value, sizes: readonly number[]) => Value[]>(): Op<Signature> {
  return { gives: 'one-per-size' }
}
