/**
 * ZeRO-3 as DeepSpeed 0.19 runs it (runtime/zero/stage3.py): every GPU has a piece of every parameter, of its gradient and of its
 * optimizer state.
 */
import { modelCopies } from '../../training/batches.ts'
import { bytesPerElement, type Storage } from '../tape/storage.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { GatheredParameters } from './gathered-parameters.ts'
import { GradientBuckets } from './gradient-buckets.ts'
import { trainedOf } from './parameter-sizes.ts'
import { PartitionedStep } from './partitioned-step.ts'
import { zeroSettings } from './zero-settings.ts'

export class Zero3 implements Exchange {
  readonly resident: readonly Storage[]
  readonly partAtATime: number
  readonly stepsFlat = true
  /** Absent if one GPU has everything. */
  readonly #gathered: GatheredParameters | undefined
  readonly #buckets: GradientBuckets
  readonly #step: PartitionedStep
  readonly #isOffloaded: boolean

  /** `order`: the parameters that each operation of a micro-step uses. */
  constructor(context: ExchangeContext, order: readonly (readonly Storage[])[]) {
    const { spec, parameters, memory } = context
    const settings = zeroSettings(spec, parameters)
    const [trained] = trainedOf(parameters.values())
    const isWhole = modelCopies(spec) === 1 && spec.offload !== 'optimizer-and-weights'
    this.#isOffloaded = spec.offload !== undefined
    this.#step = new PartitionedStep(context, { dividesEach: true, subGroup: settings.subGroup })
    this.partAtATime = this.#step.partAtATime
    this.#gathered = isWhole ? undefined : new GatheredParameters(memory, settings, parameters, order)
    this.#buckets = new GradientBuckets(memory, {
      bufferBytes: settings.reduceBucket * bytesPerElement[trained?.dtype ?? 'float32'],
      count: 1,
    })
    this.resident = [
      ...this.#buckets.buffers,
      ...(this.#isOffloaded ? [] : [memory.fixed(this.#step.gradientBytes, 'gradients')]),
    ]
  }

  begins(used: readonly Storage[]): void {
    this.#gathered?.begins(used)
  }

  ends(used: readonly Storage[]): void {
    this.#gathered?.ends(used)
  }

  forwardEnds(): void {}

  passEnds(): void {
    this.#gathered?.restart()
  }

  receives(_parameter: Storage, gradient: Storage): void {
    this.#buckets.take(gradient)
  }

  backwardEnds(): void {
    this.#buckets.flush()
    this.#gathered?.reset()
  }

  optimizerBegins(): void {
    if (this.#isOffloaded) return
    this.#step.takeNorm()
    this.#step.begin()
  }

  optimizerEnds(): void {
    this.#step.end()
  }

  gradientsEnd(): void {}
}
