/**
 * What several GPUs do between them in the middle of a step: weights are gathered and let go, gradients summed and divided. The
 * timeline tells an exchange what the step does; the exchange allocates and releases.
 */
import type { TrainingSpec } from '../../training/spec.ts'
import type { ByteKind, Storage, Tensor } from '../tape/storage.ts'

export type Parameters = ReadonlyMap<string, Tensor>

export interface Memory {
  allocate(storage: Storage): void
  release(storage: Storage): void
  /** A storage of so many bytes whatever the batch. */
  fixed(bytes: number, kind: ByteKind): Storage
}

/** A recomputation is part of the backward pass. */
export type Pass = 'without gradients' | 'forward' | 'backward'

export interface Exchange {
  /** There through the step beside the shares. */
  readonly resident: readonly Storage[]
  /** Of what this GPU's optimizer steps with, what it steps with at a time. */
  readonly partAtATime: number
  /** Whether the optimizer steps with this GPU's part in one flat tensor, instead of with the parameters. */
  readonly stepsFlat: boolean
  /** An operation begins, and has ended, that uses these parameters' storages. Absent where nothing hangs on it. */
  begins?(used: readonly Storage[], pass: Pass): void
  ends?(used: readonly Storage[], pass: Pass): void
  forwardEnds(): void
  /** A pass has ended that no backward pass follows. Absent where nothing hangs on it. */
  passEnds?(): void
  /** The whole gradient of a parameter has come. */
  receives(parameter: Storage, gradient: Storage): void
  backwardEnds(): void
  /** Before the optimizer's own temporaries, and after them. */
  optimizerBegins(): void
  optimizerEnds(): void
  /** optimizer.zero_grad(set_to_none=True), the default. */
  gradientsEnd(): void
}

export interface ExchangeContext {
  readonly spec: TrainingSpec
  readonly parameters: Parameters
  readonly memory: Memory
  /** Told of every gradient that is kept; true where it is stepped with at once and let go. */
  readonly kept: (parameter: Storage) => boolean
}
