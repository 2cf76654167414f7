/**
 * ZeRO-1 and ZeRO-2 as DeepSpeed 0.19 runs them (runtime/zero/stage_1_and_2.py): every GPU has all weights, a part of the
 * optimizer, and of the gradients what that part needs.
 */
import { modelCopies } from '../../training/batches.ts'
import { bytesPerElement, type Storage } from '../tape/storage.ts'
import type { Exchange, ExchangeContext, Memory } from './exchange.ts'
import { GradientBuckets } from './gradient-buckets.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'
import { PartitionedStep } from './partitioned-step.ts'
import { zeroSettings } from './zero-settings.ts'

export class Zero implements Exchange {
  readonly resident: readonly Storage[]
  readonly partAtATime = 1
  readonly stepsFlat = true
  readonly #memory: Memory
  readonly #gradients: HeldGradients
  readonly #buckets: GradientBuckets
  readonly #step: PartitionedStep
  readonly #isZero2: boolean
  /** Gradients are sent while the backward pass goes on. */
  readonly #sendsEarly: boolean
  readonly #isOffloaded: boolean
  readonly #bytesOfOthers: number
  #microStepsLeft: number
  #receivedBytes = 0
  /** The gradients of this GPU's part: of this micro-batch, and the sum of those before. */
  #part: Storage | undefined
  #sum: Storage | undefined

  constructor(context: ExchangeContext) {
    const { spec, parameters, memory } = context
    const { reduceBucket, overlapsCommunication } = zeroSettings(spec, parameters)
    const trained = trainedOf(parameters.values())
    this.#memory = memory
    this.#gradients = new HeldGradients(context)
    this.#isZero2 = spec.sharding === 'zero2'
    this.#sendsEarly = this.#isZero2 || overlapsCommunication
    this.#isOffloaded = spec.offload !== undefined
    this.#microStepsLeft = Math.min(spec.gradientAccumulation, 2)
    this.#step = new PartitionedStep(context, { dividesEach: false, subGroup: Number.POSITIVE_INFINITY })
    this.#bytesOfOthers = sum(trained.map(bytesOf)) * (1 - 1 / modelCopies(spec))
    this.#buckets = new GradientBuckets(memory, {
      bufferBytes: reduceBucket * bytesPerElement[trained[0]?.dtype ?? 'float32'],
      count: overlapsCommunication ? 2 : 1,
      // The GPU whose part comes last in the model has its first gradient before any other: the worst of all.
      ...(this.#isZero2 && { sent: () => this.#allocatePart() }),
    })
    // temp_grad_buffer_for_gpu_offload: what passes through it is on its way to the host.
    this.resident = this.#isOffloaded ? [memory.fixed(Math.max(0, ...trained.map(bytesOf)), 'temporaries')] : []
  }

  forwardEnds(): void {}

  receives(parameter: Storage, gradient: Storage): void {
    this.#buckets.open()
    if (this.#isZero2) {
      this.#buckets.take(gradient)
      return
    }
    this.#gradients.add(parameter, gradient)
    const isSent = this.#microStepsLeft === 1 && this.#sendsEarly && this.#buckets.fits(gradient)
    const whole = isSent ? this.#gradients.take(parameter) : undefined
    if (whole !== undefined) this.#buckets.take(whole)
    // Whole gradients pile up, so the worst of all is the GPU whose part comes first in the model, and its gradients last.
    this.#receivedBytes += gradient.fixedBytes
    if (this.#microStepsLeft === 1 && this.#sendsEarly && this.#receivedBytes > this.#bytesOfOthers)
      this.#allocatePart()
  }

  backwardEnds(): void {
    const isLast = this.#microStepsLeft === 1
    if (isLast && !this.#sendsEarly) for (const gradient of this.#gradients.takeAll()) this.#buckets.take(gradient)
    this.#buckets.flush()
    this.#receivedBytes = 0
    if (isLast || this.#isZero2) {
      this.#allocatePart()
      this.#buckets.close()
      this.#addPart()
    }
    if (isLast) this.#gradients.release()
    this.#microStepsLeft--
  }

  #allocatePart(): void {
    if (this.#part !== undefined || this.#isOffloaded) return
    this.#part = this.#memory.fixed(this.#step.gradientBytes, 'gradients')
    this.#memory.allocate(this.#part)
  }

  #addPart(): void {
    if (this.#sum === undefined) this.#sum = this.#part
    else if (this.#part !== undefined) this.#memory.release(this.#part)
    this.#part = undefined
  }

  optimizerBegins(): void {
    if (this.#isOffloaded) return
    this.#step.checkOverflow()
    this.#step.takeNorm()
    this.#step.begin()
    if (this.#sum !== undefined) this.#memory.release(this.#sum)
    this.#sum = undefined
  }

  optimizerEnds(): void {
    this.#step.end()
  }

  gradientsEnd(): void {}
}
