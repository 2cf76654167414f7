/** Where the measurement of a pull request's newest commit stands. */

export type Measurement =
  /** The settings ask for none, and no report came by itself. */
  | { readonly kind: 'not-due' }
  /** Every figure that a GPU could give is one of a GPU. */
  | { readonly kind: 'measured' }
  | Waiting
  | Ended
  /** The workflow run left a report that is not used; `why` is a clause in our words. */
  | { readonly kind: 'unusable'; readonly isDue: boolean; readonly why: string }

export interface Waiting {
  readonly kind: 'waiting'
  readonly for: 'dispatch' | 'start' | 'runner' | 'absent-runner' | 'result'
  readonly workflow: string
  /** When it is looked at again, at the latest. */
  readonly lookAgainAt: Date
}

/** Over without a measurement. */
export interface Ended {
  readonly kind: 'ended'
  readonly how:
    | 'needs-leave'
    | 'needs-approval'
    | 'refused'
    | 'not-started'
    | 'queued-too-long'
    | 'timed-out'
    | 'cancelled'
    | 'failed'
    | 'without-report'
    | 'not-measured'
  readonly workflow: string
  /** Why GitHub refused to start it, a clause in our words. */
  readonly why?: string
}
