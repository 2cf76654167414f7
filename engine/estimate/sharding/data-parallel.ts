/** One GPU alone, or DistributedDataParallel: whole copies, whose gradients are summed in buckets. */
import { modelCopies } from '../../training/batches.ts'
import type { Storage } from '../tape/storage.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { HeldGradients } from './gradients.ts'
import { bytesOf, sum, trainedOf } from './parameter-sizes.ts'

export class DataParallel implements Exchange {
  readonly resident: readonly Storage[]
  readonly partAtATime = 1
  readonly stepsFlat = false
  readonly #gradients: HeldGradients

  constructor(context: ExchangeContext) {
    const { spec, parameters, memory } = context
    this.#gradients = new HeldGradients(context)
    // torch: nn/parallel/distributed.py: the buckets are copies, since gradient_as_bucket_view is off by default.
    const buckets = modelCopies(spec) === 1 ? 0 : sum(trainedOf(parameters.values()).map(bytesOf))
    this.resident = buckets > 0 ? [memory.fixed(buckets, 'temporaries')] : []
  }

  forwardEnds(): void {}

  receives(parameter: Storage, gradient: Storage): void {
    this.#gradients.add(parameter, gradient)
  }

  backwardEnds(): void {}
  optimizerBegins(): void {}
  optimizerEnds(): void {}

  gradientsEnd(): void {
    this.#gradients.release()
  }
}
