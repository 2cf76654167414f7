/** The input of a step: the batch that the training loop holds. */
import { isOfImages, type TrainingSpec } from '../../config/spec.ts'
import { Autograd } from '../autograd.ts'
import { stridedTokens } from '../objectives/strided-log-probabilities.ts'
import type { Dtype, Tensor } from '../storage.ts'

export class Batch extends Autograd {
  protected readonly batchInput: Tensor
  readonly labels: Tensor
  #pixels: Tensor | undefined

  constructor(spec: TrainingSpec, device: { hasFlash: boolean }) {
    super(spec, device)
    const isImage = isOfImages(spec.task)
    const imageSize = spec.imageSize ?? 0
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0]
    const labelShape = spec.task === 'seq2seq-lm' ? [spec.targetLength ?? spec.sequenceLength ?? 0] : inputShape
    const perToken = ['causal-lm', 'masked-lm', 'seq2seq-lm'].includes(spec.task)
    this.batchInput = this.#batchTensor(inputShape, isImage ? this.weightDtype : 'int64')
    this.labels = this.#batchTensor(perToken ? labelShape : [], 'int64')
    if (this.isPadded) this.#batchTensor(inputShape, 'int64')
  }

  pixels(y: number, x: number): Tensor {
    if (this.spec.images === undefined) return this.tensor([3, y, x], this.weightDtype, [])
    this.#pixels ??= this.#batchTensor([3, y, x], this.weightDtype)
    // transformers enable_input_require_grads: the output of every part that embeds an input requires gradients.
    const { lora, gradientCheckpointing } = this.spec
    return { ...this.#pixels, requiresGrad: lora !== undefined && gradientCheckpointing && this.training }
  }

  get input(): Tensor {
    const tokens = this.pass?.sequences?.tokens ?? stridedTokens(this.spec)
    return tokens === undefined ? this.batchInput : this.tensor([tokens], 'int64', [])
  }

  #batchTensor(shape: readonly number[], dtype: Dtype): Tensor {
    const tensor = this.tensor(shape, dtype, [])
    tensor.storage.kind = 'inputs'
    this.batch.push(tensor.storage)
    return tensor
  }
}
