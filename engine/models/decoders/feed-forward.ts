/** The feed-forward layers of decoders. */

import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Part } from './blueprint.ts'

export type Activation = 'silu' | 'gelu' | 'relu-squared'

export interface FeedForwardSizes {
  readonly hidden: number
  readonly inner: number
  readonly bias?: boolean
  readonly activation?: Activation
  readonly dropout?: number
}

/** `down(act(gate(x)) * up(x))`. */
export function gatedFeedForward(
  { hidden, inner, bias = false, activation = 'silu', dropout = 0 }: FeedForwardSizes,
  names: readonly [gate: string, up: string, down: string] = ['gate_proj', 'up_proj', 'down_proj'],
): Part {
  return (ops, { name }, x) => {
    const gate = ops.linear(`${name}.${names[0]}`, x, inner, { bias })
    const activated = activate(ops, activation, gate)
    const product = ops.multiply(activated, ops.linear(`${name}.${names[1]}`, x, inner, { bias }))
    return ops.dropout(ops.linear(`${name}.${names[2]}`, product, hidden, { bias }), dropout)
  }
}

/** The same with one projection for gate and up. */
export function joinedFeedForward(
  { hidden, inner, bias = false, activation = 'silu' }: FeedForwardSizes,
  names: readonly [up: string, down: string] = ['gate_up_proj', 'down_proj'],
): Part {
  return (ops, { name }, x) => {
    const joined = ops.linear(`${name}.${names[0]}`, x, 2 * inner, { bias })
    const [gate, up] = ops.split(joined, [inner, inner]) as [Value, Value]
    return ops.linear(`${name}.${names[1]}`, ops.multiply(up, activate(ops, activation, gate)), hidden, { bias })
  }
}

/** `down(act(up(x)))`. */
export function plainFeedForward(
  { hidden, inner, bias = false, activation = 'gelu', dropout = 0 }: FeedForwardSizes,
  names: readonly [up: string, down: string] = ['up_proj', 'down_proj'],
): Part {
  return (ops, { name }, x) => {
    const widened = activate(ops, activation, ops.linear(`${name}.${names[0]}`, x, inner, { bias }))
    return ops.dropout(ops.linear(`${name}.${names[1]}`, widened, hidden, { bias }), dropout)
  }
}

export function activate(ops: Builder, activation: Activation, x: Value): Value {
  switch (activation) {
    case 'silu':
      return ops.silu(x)
    case 'gelu':
      return ops.gelu(x)
    case 'relu-squared':
      return ops.square(ops.relu(x))
  }
}
