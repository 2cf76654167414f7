/** The state of the measurement of a pull request's newest commit. */

export type Measurement =
  /** The settings ask for no measurement, and no report exists. */
  | { readonly kind: 'not-due' }
  /** Every figure that a GPU can give was measured on a GPU. */
  | { readonly kind: 'measured' }
  | Waiting
  | Ended
  /** The run's report is not used. `why`: a clause in our words. */
  | { readonly kind: 'unusable'; readonly isDue: boolean; readonly why: string }

export interface Waiting {
  readonly kind: 'waiting'
  readonly for: 'dispatch' | 'start' | 'runner' | 'absent-runner' | 'result'
  readonly workflow: string
  /** The deadline for another look. */
  readonly deadline: Date
}

/** Ended without a measurement. */
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
  /** Why GitHub refused to dispatch it: a clause in our words. */
  readonly why?: string
}
