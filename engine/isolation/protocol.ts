/** What a limited process and its host say to each other. Both ends are ours, so nothing is validated on the way. */
import type { Problem } from '../base/errors.ts'
import type { OrderLimits } from './watch-thread.ts'

/** To the process: one `run` at a time, the answers to what it asks on the way, and `cancel`, which ends it. */
export type ToProcess =
  | { readonly kind: 'run'; readonly order: unknown; readonly limits: OrderLimits }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** The host keeps the reason; the process only ends the order. */
  | { readonly kind: 'no-answer'; readonly id: number }
  | { readonly kind: 'cancel' }

/** From the process: `ready` once, then for each `run` any number of steps and questions, and one ending. */
export type FromProcess =
  | { readonly kind: 'ready' }
  /** A part of the result, which restarts the time limit; `cpuMillis` went into it. */
  | { readonly kind: 'step'; readonly step: unknown; readonly cpuMillis: number }
  | { readonly kind: 'ask'; readonly id: number; readonly question: unknown }
  | Ending

export type Ending =
  | { readonly kind: 'done'; readonly result: unknown }
  /** The order failed with a problem that the user can fix. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** An array, a map or a string would exceed JavaScript's limits, or the stack overflowed. */
  | { readonly kind: 'exhausted' }
  /** A bug of ours. */
  | { readonly kind: 'threw'; readonly stack: string }
