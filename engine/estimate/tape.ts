/**
 * The tape: the layers that models are written in, as PyTorch composes them from autograd's primitives. Each layer states
 * its rule and where PyTorch or transformers decides it. The parts below, each over the one before: layers/{batch,blocks,weights,
 * pointwise,linears,experts,mixers}.ts; here are images, the choice of tokens, and the loss.
 */
import type { Convolution, Ops, PixelAttentionShape } from '../models/ops.ts'
import { made, widest } from './autograd.ts'
import { shiftedCopy } from './kernels/composed-ops.ts'
import { Gemma3nTape } from './kernels/gemma3n.ts'
import { matrixProduct } from './kernels/matrix-product.ts'
import { pixelAttention } from './kernels/pixel-attention.ts'
import { Mixers } from './layers/mixers.ts'
import { copiesLogits, softmaxSaves } from './library-rules.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from './storage.ts'

export class Tape extends Mixers implements Ops<Tensor> {
  readonly gemma3n = new Gemma3nTape(this)

  shiftedLabels(): Tensor {
    if (!this.training) return this.labels
    const shifted = this.tensor(this.labels.shape, 'int64', [])
    this.record('shift', { reads: [this.labels], outputs: [shifted] })
    return shifted
  }

  firstToken(x: Tensor): Tensor {
    // torch: a select is a view; SelectBackward0 writes a zeroed gradient of the whole.
    const output = { ...x, shape: x.shape.slice(1), edge: this.newEdge() }
    this.record('select', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  meanOfTokens(x: Tensor): Tensor {
    // transformers ModernBertForSequenceClassification: (hidden * mask).sum(1) / mask.sum(1); the product saves the mask alone.
    const masked = this.elementwise('mul', x)
    const output = this.tensor(x.shape.slice(1), x.dtype, [masked])
    this.record('sum', { reads: [masked], outputs: [output], gradients: [{ to: masked, passes: true }] })
    return this.elementwise('div', output)
  }

  lastToken(x: Tensor): Tensor {
    const output = this.tensor(x.shape.slice(1), x.dtype, [x])
    this.record('index', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  conv2d(name: string, x: Tensor, outChannels: number, options: Convolution): Tensor {
    // torch: `convolution`: saves input and weight. cuDNN's workspace depends on the algorithm it picks and is not known here.
    const [inChannels, ...size] = image(x)
    const { kernel, stride, padding = Math.floor(kernel / 2), groups = 1 } = options
    const filter = [inChannels / groups, kernel, kernel]
    const weight = this.lowered(this.weight(`${name}.weight`, [outChannels, ...filter]))
    const bias = options.bias ? [this.lowered(this.weight(`${name}.bias`, [outChannels]))] : []
    const factor = this.lowered(x)
    const outputSize = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
    const output = this.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias])
    this.record(name, {
      ...matrixProduct(factor, weight, bias, output, elements({ shape: filter })),
      kernel: groups === inChannels && groups > 1 ? 'depthwise' : 'convolution',
    })
    return output
  }

  batchNorm(name: string, x: Tensor): Tensor {
    // torch: `native_batch_norm`/cuDNN: saves its input and two statistics per channel.
    const [channels] = image(x)
    const parameters = ['weight', 'bias'].map(part => this.weight(`${name}.${part}`, [channels]))
    const statisticsBytes = channels * bytesPerElement[this.weightDtype]
    this.buffer(`${name}.running_mean`, statisticsBytes)
    this.buffer(`${name}.running_var`, statisticsBytes)
    this.buffer(`${name}.num_batches_tracked`, bytesPerElement.int64)
    const output = this.tensor(x.shape, x.dtype, [x, ...parameters])
    const statistics = this.training ? [0, 1].map(() => this.storage(channels, 'float32', false)) : []
    this.record(name, {
      reads: [x, ...parameters],
      outputs: [output],
      saves: [x],
      saved: statistics,
      gradients: [x, ...parameters].map(made),
      kernel: 'batch-norm',
    })
    return output
  }

  maxPool(x: Tensor, options: { kernel: number; stride: number; padding: number }): Tensor {
    // torch: `max_pool2d_with_indices`: saves its input and an int64 index per output element.
    const [channels, ...size] = image(x)
    const { kernel, stride, padding } = options
    const pooled = size.map(pixels => Math.floor((pixels + 2 * padding - kernel) / stride) + 1)
    const output = this.tensor([channels, ...pooled], x.dtype, [x])
    const indices = this.storage(elements(output), 'int64', true)
    this.record('max_pool2d', { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] })
    return output
  }

  upsampleNearest(x: Tensor): Tensor {
    // torch: autocast_mode.h has `upsample_nearest2d` among what is computed in float32.
    const wide = this.raised(x)
    const [channels, y, width] = image(wide)
    const output = this.tensor([channels, 2 * y, 2 * width], wide.dtype, [wide])
    this.record('upsample_nearest2d', { reads: [wide], outputs: [output], gradients: [made(wide)] })
    return output
  }

  detached(x: Tensor): Tensor {
    return { ...x, requiresGrad: false, edge: this.newEdge() }
  }

  joinPixels(parts: readonly Tensor[]): Tensor {
    return this.concatenate(
      parts.map(part => {
        const [channels, y, width] = image(part)
        return { ...part, shape: [channels, y * width] }
      }),
    )
  }

  pixelAttention(joined: Tensor, shape: PixelAttentionShape): readonly [Tensor, Tensor] {
    return pixelAttention(this, joined, shape)
  }

  globalAveragePool(x: Tensor): Tensor {
    const output = this.tensor(x.shape.slice(0, 1), x.dtype, [x])
    this.record('mean', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  channelsLast(x: Tensor): Tensor {
    const [channels, y, width] = image(x)
    return { ...x, shape: [y, width, channels] }
  }

  channelsFirst(x: Tensor): Tensor {
    const [y = 0, width = 0, channels = 0] = x.shape
    return { ...x, shape: [channels, y, width] }
  }

  flattenPixels(x: Tensor): Tensor {
    const [channels, y, width] = image(x)
    return { ...x, shape: [y * width, channels] }
  }

  prependTokens(names: readonly string[], x: Tensor): Tensor {
    // torch: `cat` of the patches and of each token expanded to the batch, a view; the gradient of that is a sum over the batch.
    const [tokens = 0, hidden = 0] = x.shape
    const learned = names.map(name => this.weight(name, [1, hidden]))
    const [first = x] = learned
    const output = this.tensor([names.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned])
    const patches = { to: x, passes: output.dtype === x.dtype }
    this.record('cat', { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches] })
    return output
  }

  addPositions(name: string, x: Tensor, count: number): Tensor {
    const table = this.weight(name, [count, lastSize(x)])
    const [rows = 0] = x.shape
    return this.add(x, rows % count === 0 ? table : this.#resampled(table, x.shape))
  }

  crossEntropy(logits: Tensor): Tensor {
    const { fusedLoss, chunkedLoss, compiled, task } = this.spec
    if ((fusedLoss || chunkedLoss !== undefined) && task === 'causal-lm') return logits
    // torch: `_log_softmax` saves its output; `nll_loss` saves it too and writes a zeroed gradient of the same size.
    // transformers loss_utils.py ForCausalLMLoss works on `logits.float()`; the other heads hand their logits on as they are.
    this.markLogits(logits)
    const perToken = this.labels.shape.length > 0
    const wide = this.spec.task === 'causal-lm' ? this.cast(logits, 'float32') : this.raised(logits)
    if (compiled) return this.#compiledCrossEntropy(wide)
    const copied = this.spec.task === 'causal-lm' && copiesLogits(this.spec) ? [wide, shiftedCopy(this, wide)] : []
    const input = copied[1] ?? wide
    const logProbabilities = this.markLogits(this.elementwise('log_softmax', input, softmaxSaves(this.spec, input)))
    const loss = this.tensor([], wide.dtype, [logProbabilities], { batched: false })
    this.record('nll_loss', {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: perToken ? [this.storage(elements(this.labels), 'int64', true)] : [],
      gradients: [made(logProbabilities)],
    })
    this.record('return', { reads: copied, outputs: [] })
    return loss
  }

  /** torch: Inductor fuses the softmax with the loss, and its backward pass computes the gradient from the logits. */
  #compiledCrossEntropy(logits: Tensor): Tensor {
    const loss = this.tensor([], logits.dtype, [logits], { batched: false })
    this.record('cross_entropy', { reads: [logits], outputs: [loss], saves: [logits], gradients: [made(logits)] })
    return loss
  }

  /** The earlier tool's loss: the mean of the logits. */
  mean(logits: Tensor): Tensor {
    this.markLogits(logits)
    const loss = this.tensor([], logits.dtype, [logits], { batched: false })
    this.record('mean', { reads: [logits], outputs: [loss], gradients: [made(logits)] })
    return loss
  }

  /** transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special tokens'. */
  #resampled(table: Tensor, shape: readonly number[]): Tensor {
    const unbatched = { batched: false }
    const resampled = this.tensor(shape, table.dtype, [table], unbatched)
    this.record('upsample_bicubic2d', { reads: [table], outputs: [resampled], gradients: [made(table)] })
    const joined = this.tensor(shape, table.dtype, [resampled], unbatched)
    this.record('cat', { reads: [resampled], outputs: [joined], gradients: [{ to: resampled, passes: true }] })
    return joined
  }
}

function image(x: Tensor): [channels: number, y: number, x: number] {
  const [channels = 0, y = 0, width = 0] = x.shape
  return [channels, y, width]
}
