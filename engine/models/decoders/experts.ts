/** Sparse mixtures of experts in place of a feed-forward layer. transformers 5: the SparseMoeBlock classes. */

import type { Builder } from '../../program/builder.ts'
import type { ExpertOptions, RouterOptions } from '../../program/ops/linears.ts'
import type { Value } from '../../program/value.ts'
import type { Part } from './blueprint.ts'
import { type Activation, activate, gatedFeedForward } from './feed-forward.ts'

export interface SparseLayer {
  readonly router: RouterOptions
  readonly experts: ExpertOptions
  /** `gate` by default. */
  readonly routerName?: string
  /** SiLU of the first half times the second by default. */
  readonly gate?: (ops: Builder, joined: Value, inner: number) => Value
}

/** A feed-forward layer beside the experts that every token goes through. */
export interface SharedExperts {
  readonly name: string
  readonly inner: number
  /** The module that scores it; absent where it counts whole. */
  readonly gateName?: string
}

export function sparseFeedForward({ router, experts, routerName = 'gate', gate = gateBy('silu') }: SparseLayer): Part {
  return (ops, { name }, x) => {
    const routed = ops.routed(`${name}.${routerName}`, x, router)
    return ops.frame(x, input =>
      ops.experts(`${name}.experts`, input, routed, experts, joined => gate(ops, joined, experts.inner)),
    )
  }
}

/** `hidden`: the model's width. */
export function withSharedExperts(sparse: Part, hidden: number, shared: SharedExperts): Part {
  const feedForward = gatedFeedForward({ hidden, inner: shared.inner })
  return (ops, place, x) => {
    const { gateName } = shared
    const within = { ...place, name: `${place.name}.${shared.name}` }
    const always = () => ops.frame(x, input => feedForward(ops, within, input))
    if (gateName === undefined) {
      const chosen = sparse(ops, place, x)
      return ops.residual(chosen, always())
    }
    const common = always()
    const chosen = sparse(ops, place, x)
    const score = ops.sigmoid(ops.linear(`${place.name}.${gateName}`, x, 1, { bias: false }))
    return ops.residual(chosen, ops.multiply(score, common))
  }
}

/** The activated first half times the second. */
export function gateBy(activation: Activation) {
  return (ops: Builder, joined: Value, inner: number): Value => {
    const [gate, up] = ops.split(joined, [inner, inner]) as [Value, Value]
    return ops.multiply(activate(ops, activation, gate), up)
  }
}
