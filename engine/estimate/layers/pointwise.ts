/** Norms, activations and changes of shape, as PyTorch composes them. */
import type { RmsNormOptions } from '../../models/ops.ts'
import { made } from '../autograd.ts'
import { composedLayerNorm, xielu } from '../kernels/composed-ops.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import { Weights } from './weights.ts'

export class Pointwise extends Weights {
  layerNorm(name: string, x: Tensor, { isLowered = false, bias = true } = {}): Tensor {
    // torch: `native_layer_norm`: saves its input and a mean and a reciprocal deviation per row, in float32.
    const parts = bias ? ['weight', 'bias'] : ['weight']
    const parameters = parts.map(part => this.weight(`${name}.${part}`, [lastSize(x)]))
    const wide = isLowered ? this.lowered(x) : this.raised(x)
    const output = this.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide)
    const rows = elements(wide) / lastSize(wide)
    const statistics = [this.storage(rows, 'float32', wide.batched), this.storage(rows, 'float32', wide.batched)]
    this.record(name, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made),
    })
    return output
  }

  rmsNorm(name: string, x: Tensor, options: RmsNormOptions): Tensor {
    // transformers: LlamaRMSNorm weights the result after casting it back; GemmaRMSNorm multiplies by 1 + weight in float32.
    if ((this.spec.compiled || this.spec.fusedNorms) && !options.isUnweighted)
      return this.#fusedNorm(name, x, options.size)
    const normalised = this.#unitRows(x, options.size, options.scalesInput ?? false)
    if (options.isUnweighted) return this.cast(normalised, x.dtype)
    const weight = this.weight(`${name}.weight`, [options.size])
    if (!options.scalesInFloat32) return this.multiply(weight, this.cast(normalised, x.dtype))
    const factor = options.aroundOne ? this.elementwise('add', this.cast(weight, 'float32')) : weight
    return this.cast(this.multiply(normalised, factor), x.dtype)
  }

  /** One kernel, Liger's or Inductor's, which keeps its input in the input's type, and a scale per row. */
  #fusedNorm(name: string, x: Tensor, size: number): Tensor {
    const weight = this.weight(`${name}.weight`, [size])
    const output = this.tensor(x.shape, x.dtype, [x, weight], x)
    this.record(name, {
      reads: [x, weight],
      outputs: [output],
      saves: [x],
      saved: [this.storage(elements(x) / size, 'float32', x.batched)],
      gradients: [x, weight].map(made),
    })
    return output
  }

  composedLayerNorm(name: string, x: Tensor): Tensor {
    return composedLayerNorm(this, x, this.weight(`${name}.weight`, [lastSize(x)]))
  }

  residual(x: Tensor, skip: Tensor, options: { inPlace?: boolean } = {}): Tensor {
    this.locals.push(x, skip)
    return this.add(x, skip, options)
  }

  gelu(x: Tensor): Tensor {
    return this.elementwise('gelu', x, { saves: [x] })
  }

  geluNew(x: Tensor): Tensor {
    // transformers activations.py NewGELUActivation: 0.5 * x * (1 + tanh(√(2/π) * (x + 0.044715 * pow(x, 3))))
    const half = this.elementwise('mul', x)
    const cubed = this.power(this.raised(x))
    const inner = this.elementwise('mul', this.add(x, this.elementwise('mul', cubed)))
    return this.multiply(half, this.elementwise('add', this.tanh(inner)))
  }

  silu(x: Tensor): Tensor {
    return this.elementwise('silu', x, { saves: [x] })
  }

  tanh(x: Tensor): Tensor {
    return this.elementwise('tanh', x, { savesOutput: true })
  }

  relu(x: Tensor): Tensor {
    return this.elementwise('relu', x, { savesOutput: true })
  }

  sigmoid(x: Tensor): Tensor {
    return this.elementwise('sigmoid', x, { savesOutput: true })
  }

  clamp(x: Tensor): Tensor {
    return this.elementwise('clamp', x, { saves: [x] })
  }

  square(x: Tensor): Tensor {
    return this.power(x)
  }

  xielu(name: string, x: Tensor): Tensor {
    const slopes = ['alpha_p', 'alpha_n'].map(part => this.weight(`${name}.${part}`, [1])) as [Tensor, Tensor]
    return xielu(this, x, slopes)
  }

  scale(x: Tensor, { inPlace = false } = {}): Tensor {
    if (inPlace) return this.#scaledInPlace(x)
    const output = this.elementwise('mul', x)
    if (this.headsFirst.has(x.storage)) this.headsFirst.add(output.storage)
    return output
  }

  tanhGate(name: string, x: Tensor): Tensor {
    return this.multiply(this.tanh(this.weight(name, [1])), x)
  }

  mask(rows: number, columns: number): Tensor {
    const mask = this.tensor([rows, columns], this.autocastDtype ?? this.weightDtype, [])
    this.record('mask', { reads: [], outputs: [mask] })
    return mask
  }

  padded(x: Tensor, rows: number): Tensor {
    const output = this.tensor([rows, ...x.shape.slice(1)], x.dtype, [x])
    this.record('pad', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  joined(parts: readonly Tensor[], rows: number): Tensor {
    const [first, ...others] = parts.map(part => this.#firstRows(part, rows))
    if (first === undefined) throw new Error('nothing to join')
    // transformers MllamaVisionModel: torch.stack of the layers between, and torch.cat of the last with those.
    return this.concatenate([first, this.concatenate(others)])
  }

  float32(x: Tensor): Tensor {
    return this.cast(x, 'float32')
  }

  softcap(logits: Tensor): Tensor {
    // transformers Gemma2ForCausalLM: logits / cap, tanh, * cap
    return [this.scale, this.tanh, this.scale].reduce((x, op) => this.markLogits(op.call(this, x)), logits)
  }

  dropPath(x: Tensor, probability: number): Tensor {
    // transformers ConvNextDropPath: hidden_states.div(keep_prob) * random_tensor, a number a sample.
    if (!this.training || probability === 0) return x
    const kept = this.tensor([], x.dtype, [])
    this.record('floor', { reads: [], outputs: [kept] })
    return this.multiply(this.elementwise('div', x), kept)
  }

  layerScale(name: string, x: Tensor): Tensor {
    return this.multiply(this.weight(name, [lastSize(x)]), x)
  }

  split(x: Tensor, sizes: readonly number[]): Tensor[] {
    // torch: `split` gives views; SplitBackward0 concatenates their gradients into one tensor.
    const outputs = sizes.map(size => ({ ...x, shape: [...x.shape.slice(0, -1), size], edge: this.newEdge() }))
    this.record('split', { reads: [x], outputs, gradients: [made(x)] })
    return outputs
  }

  slices(x: Tensor, sizes: readonly number[]): Tensor[] {
    return sizes.map(size => this.slice(x, size))
  }

  gathered(x: Tensor): Tensor {
    return this.elementwise('clone', x)
  }

  repeatHeads(x: Tensor, times: number): Tensor {
    const output = this.tensor([...x.shape.slice(0, -1), lastSize(x) * times], x.dtype, [x])
    this.record('expand', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  headsJoined(own: Tensor, other: Tensor, sharedBy = 1): Tensor {
    const features = lastSize(own) + lastSize(other) * sharedBy
    const output = this.tensor([...own.shape.slice(0, -1), features], own.dtype, [own, other])
    // torch: CopySlices copies the gradient of the whole before it hands parts of it on.
    const backwardScratch = sharedBy > 1 ? [this.like(output, 'temporaries')] : []
    this.record('cat', { reads: [own, other], outputs: [output], gradients: [own, other].map(made), backwardScratch })
    this.headsFirst.add(output.storage)
    return output
  }

  gatedNorm(name: string, x: Tensor, gate: Tensor, size: number): Tensor {
    // transformers KimiLinearRMSNormGated: weighted and gated before it is cast back.
    const weight = this.cast(this.weight(`${name}.weight`, [size]), 'float32')
    const weighted = this.multiply(weight, this.#unitRows(x, size, false))
    return this.cast(this.multiply(weighted, this.sigmoid(this.cast(gate, 'float32'))), x.dtype)
  }

  gatedInFloat32(x: Tensor, gate: Tensor): Tensor {
    return this.cast(this.multiply(x, this.silu(this.cast(gate, 'float32'))), x.dtype)
  }

  markLogits(logits: Tensor): Tensor {
    logits.storage.kind = 'logits'
    return logits
  }

  #firstRows(x: Tensor, rows: number): Tensor {
    const output = { ...x, shape: [rows, ...x.shape.slice(1)], edge: this.newEdge() }
    this.record('slice', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  #scaledInPlace(x: Tensor): Tensor {
    const output = { ...x, edge: this.newEdge() }
    this.record('mul_', { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  #unitRows(x: Tensor, size: number, scalesInput: boolean): Tensor {
    const wide = this.cast(x, 'float32')
    const rows = [...x.shape.slice(0, -1), lastSize(x) / size]
    const squares = this.power(wide)
    const mean = this.tensor(rows, 'float32', [squares], x)
    this.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
    const scale = this.elementwise('rsqrt', mean, { savesOutput: true })
    return this.multiply(scalesInput ? x : wide, scale)
  }
}
