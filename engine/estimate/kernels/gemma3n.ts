/** transformers: models/gemma3n Gemma3nTextAltUp, Gemma3nTextMLP._gaussian_topk, Gemma3nModel.forward, as autograd sees them. */
import type { Gemma3nOps } from '../../models/gemma3n-ops.ts'
import { type Autograd, made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'

export class Gemma3nTape implements Gemma3nOps<Tensor> {
  readonly #autograd: Autograd

  constructor(autograd: Autograd) {
    this.#autograd = autograd
  }

  stacked(parts: readonly Tensor[]): Tensor {
    const [first] = parts
    if (first === undefined) throw new Error('nothing to stack')
    const output = this.#autograd.tensor([parts.length, ...first.shape], first.dtype, parts)
    this.#autograd.record('stack', {
      reads: parts,
      outputs: [output],
      gradients: parts.map(to => ({ to, passes: true })),
    })
    return output
  }

  stream(streams: Tensor): Tensor {
    // torch: SelectBackward0 writes a zeroed gradient of the whole.
    const output = { ...streams, shape: streams.shape.slice(1), edge: this.#autograd.newEdge() }
    this.#autograd.record('select', { reads: [streams], outputs: [output], gradients: [made(streams)] })
    return output
  }

  mean(streams: Tensor): Tensor {
    const output = this.#autograd.tensor(streams.shape.slice(1), streams.dtype, [streams])
    this.#autograd.record('mean', { reads: [streams], outputs: [output], gradients: [made(streams)] })
    return output
  }

  magnitude(x: Tensor): Tensor {
    return this.#autograd.elementwise('sqrt', this.#meanOfSquares(x), { savesOutput: true })
  }

  scaledTo(magnitude: Tensor, x: Tensor): Tensor {
    const wide = this.#autograd.cast(x, magnitude.dtype)
    const own = this.magnitude(wide)
    const product = this.#autograd.multiply(wide, magnitude)
    // torch: DivBackward0 saves both operands for the divisor's gradient.
    const output = this.#autograd.tensor(x.shape, product.dtype, [product, own])
    this.#autograd.record('div', {
      reads: [product, own],
      outputs: [output],
      saves: [product, own],
      gradients: [product, own].map(made),
      backwardScratch: [this.#autograd.like(output, 'temporaries')],
    })
    return output
  }

  predicted(streams: Tensor, coefficients: Tensor): Tensor {
    const autograd = this.#autograd
    const [left, right] = [autograd.lowered(streams), autograd.lowered(coefficients)]
    const product = autograd.tensor(streams.shape, left.dtype, [left, right])
    autograd.record('bmm', {
      reads: [left, right],
      outputs: [product],
      saves: [left, right],
      gradients: [left, right].map(made),
      flopsPerSample: 2 * elements(product) * (streams.shape[0] ?? 1),
    })
    const sum = this.#passing('clone', autograd.add(product, streams, { inPlace: true }))
    return autograd.cast(sum, streams.dtype)
  }

  corrected(predictions: Tensor, result: Tensor, coefficients: Tensor): Tensor {
    const autograd = this.#autograd
    const first = this.stream(predictions)
    const error = autograd.tensor(result.shape, result.dtype, [result, first])
    const gradients = [{ to: result, passes: true }, made(first)]
    autograd.record('sub', { reads: [result, first], outputs: [error], gradients })
    const repeated = autograd.tensor(predictions.shape, error.dtype, [error])
    autograd.record('repeat', { reads: [error], outputs: [repeated], gradients: [made(error)] })
    return autograd.add(autograd.multiply(repeated, coefficients), predictions, { inPlace: true })
  }

  addedToOthers(streams: Tensor, x: Tensor): Tensor {
    // torch: CopySlices copies the gradient of the whole, and that of the slice again. `streams[1:] += x` also puts the sum back
    // into its place, whose gradient is padded to a whole.
    const autograd = this.#autograd
    const others = () => autograd.storage(elements(streams) - elements(x), streams.dtype, true, 'temporaries')
    const sum = { ...streams, edge: autograd.newEdge() }
    autograd.record('add_', {
      reads: [streams, x],
      outputs: [sum],
      gradients: [streams, x].map(made),
      backwardScratch: [others()],
    })
    const output = { ...streams, edge: autograd.newEdge() }
    const backwardScratch = [others(), autograd.like(streams, 'temporaries')]
    autograd.record('copy_', { reads: [sum], outputs: [output], gradients: [made(sum)], backwardScratch })
    return output
  }

  sparsified(x: Tensor): Tensor {
    const autograd = this.#autograd
    const rows = x.shape.slice(0, -1)
    const mean = autograd.tensor([...rows, 1], x.dtype, [x])
    autograd.record('mean', { reads: [x], outputs: [mean], gradients: [made(x)] })
    const deviation = autograd.tensor([...rows, 1], x.dtype, [x])
    autograd.record('std', { reads: [x], outputs: [deviation], saves: [x, deviation], gradients: [made(x)] })
    const cutoff = autograd.add(mean, autograd.elementwise('mul', deviation))
    const above = autograd.tensor(x.shape, x.dtype, [x, cutoff])
    autograd.record('sub', { reads: [x, cutoff], outputs: [above], gradients: [{ to: x, passes: true }, made(cutoff)] })
    return autograd.elementwise('relu', above, { savesOutput: true })
  }

  either(x: Tensor, y: Tensor): Tensor {
    const autograd = this.#autograd
    const output = autograd.tensor(x.shape, x.dtype, [x, y])
    const mask = autograd.storage(elements(x) / lastSize(x), 'bool', true)
    autograd.record('where', { reads: [x, y], outputs: [output], saved: [mask], gradients: [x, y].map(made) })
    return output
  }

  #meanOfSquares(x: Tensor): Tensor {
    const autograd = this.#autograd
    const squares = autograd.power(autograd.raised(x))
    const mean = autograd.tensor([...x.shape.slice(0, -1), 1], squares.dtype, [squares])
    autograd.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
    return mean
  }

  /** A new tensor whose gradient is that of its source. */
  #passing(name: string, x: Tensor): Tensor {
    const output = this.#autograd.tensor(x.shape, x.dtype, [x])
    this.#autograd.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] })
    return output
  }
}
