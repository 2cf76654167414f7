/** DeepSpeed's buffers for gradients on their way to other GPUs: contiguous_gradients, on unless a config turns it off. */
import type { Storage } from '../tape/storage.ts'
import type { Memory } from './exchange.ts'

export interface BucketRules {
  readonly bufferBytes: number
  /** Two where one fills while the other is sent. */
  readonly count: number
  /** Told of everything that other GPUs have got. */
  readonly sent?: () => void
}

export class GradientBuckets {
  readonly buffers: readonly Storage[]
  readonly #memory: Memory
  readonly #bufferBytes: number
  readonly #sent: () => void
  #isOpen = false
  #filledBytes = 0
  /** Larger than a buffer, so sent as it is: there until the next gradient comes. */
  #waiting: Storage | undefined

  constructor(memory: Memory, { bufferBytes, count, sent = () => {} }: BucketRules) {
    this.#memory = memory
    this.#bufferBytes = bufferBytes
    this.#sent = sent
    this.buffers = Array.from({ length: count }, () => memory.fixed(bufferBytes, 'temporaries'))
  }

  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    for (const buffer of this.buffers) this.#memory.allocate(buffer)
  }

  close(): void {
    if (this.#isOpen) for (const buffer of this.buffers) this.#memory.release(buffer)
    this.#isOpen = false
  }

  fits(gradient: Storage): boolean {
    return gradient.fixedBytes <= this.#bufferBytes
  }

  /** Copies what fits, and lets the gradient go in any case, now or soon. */
  take(gradient: Storage): void {
    this.#sendWaiting()
    if (this.#filledBytes + gradient.fixedBytes > this.#bufferBytes) this.#send()
    if (this.fits(gradient)) {
      this.#filledBytes += gradient.fixedBytes
      this.#memory.release(gradient)
    } else {
      this.#waiting = gradient
    }
  }

  flush(): void {
    this.#sendWaiting()
    this.#send()
  }

  #sendWaiting(): void {
    if (this.#waiting === undefined) return
    this.#sent()
    this.#memory.release(this.#waiting)
    this.#waiting = undefined
  }

  /** What is in the bucket is put together once more. */
  #send(): void {
    if (this.#filledBytes === 0) return
    const message = this.#memory.fixed(this.#filledBytes, 'temporaries')
    this.#memory.allocate(message)
    this.#memory.release(message)
    this.#sent()
    this.#filledBytes = 0
  }
}
