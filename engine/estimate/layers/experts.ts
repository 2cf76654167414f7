/** Mixtures of experts: routers and expert matrices, with their quantisation and adapters. */
import type { EveryExpertOptions, ExpertOptions, RouterOptions } from '../../models/ops.ts'
import { made } from '../autograd.ts'
import { lowRankFactors, withLowRankMatrices } from '../kernels/adapters.ts'
import { chosenRows, expertProduct, oneByOne, scoredRows, summed } from '../kernels/every-expert.ts'
import {
  bestExperts,
  type ExpertFactors,
  groupedExperts,
  type RouterParameters,
  routerLogits,
} from '../kernels/experts.ts'
import { type LinearExperts, linearExperts } from '../kernels/linear-experts.ts'
import { quantizedBytes } from '../kernels/quantization.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import { Linears } from './linears.ts'

export class Experts extends Linears {
  routed(name: string, states: Tensor, options: RouterOptions): readonly [weights: Tensor, chosen: Tensor] {
    // kt-kernel sft/layer.py _compute_routing: without gradients.
    const x = this.spec.expertStyle === 'ktransformers' ? { ...states, requiresGrad: false } : states
    const { linear, expertScale, count } = options
    const logits =
      linear === undefined
        ? routerLogits(this, x, this.#routerParameters(name, x, options), options)
        : this.linear(`${name}.${linear}`, x, count, { bias: false })
    const scale = expertScale === undefined ? undefined : this.weight(`${name}.${expertScale}`, [count])
    return bestExperts(this, logits, options, scale)
  }

  experts(
    name: string,
    x: Tensor,
    [weights, chosen]: readonly [weights: Tensor, chosen: Tensor],
    { count, inner, hasBias = false, isGated = true }: ExpertOptions,
    gate: (joined: Tensor) => Tensor,
  ): Tensor {
    if (this.spec.expertStyle === 'ktransformers') return this.#onHost(name, x)
    const { quantization } = this.spec
    if (this.spec.expertStyle === 'linear' && quantization !== undefined && !hasBias) {
      const layers = this.#expertLayers(name, { inner, hidden: lastSize(x), isGated })
      return linearExperts(this, x, { weights, chosen }, { quantization, count, ...layers }, gate)
    }
    const held = count / (this.spec.expertParallel ?? 1)
    const hidden = lastSize(x)
    const joined = isGated ? 2 * inner : inner
    const up = isGated ? 'gate_up_proj' : 'up_proj'
    const bias = (part: string, features: number) => this.weight(`${name}.${part}_bias`, [count, features])
    const names = this.expertNames
    const matrices = {
      up: this.#expertMatrix(`${name}.${up}`, [held, joined, hidden], names?.up),
      down: this.#expertMatrix(`${name}.down_proj`, [held, hidden, inner], names && [names.down]),
    }
    const { output, locals } = groupedExperts(
      this,
      x,
      { weights, chosen },
      {
        ...matrices,
        upFactors: this.#expertFactors(`${name}.${up}`, matrices.up),
        downFactors: this.#expertFactors(`${name}.down_proj`, matrices.down),
        ...(hasBias && { upBias: bias(up, joined), downBias: bias('down_proj', hidden) }),
      },
      gate,
    )
    this.locals.push(...locals, matrices.up, matrices.down)
    return output
  }

  #expertLayers(
    name: string,
    { inner, hidden, isGated }: { readonly inner: number; readonly hidden: number; readonly isGated: boolean },
  ): Pick<LinearExperts, 'up' | 'down'> {
    const { up = ['gate_proj', 'up_proj'], down = 'down_proj' } = this.expertNames ?? {}
    const adapted = (names: readonly string[]) => {
      for (const each of names) this.linearNames.add(each)
      return this.isPolicy() && names.some(each => this.spec.lora?.targets.includes(each))
    }
    const layers = isGated ? 2 : 1
    return {
      up: { name: `${name}.${up.join('_')}`, outFeatures: layers * inner, layers, isAdapted: adapted(up) },
      down: { name: `${name}.${down}`, outFeatures: hidden, layers: 1, isAdapted: adapted([down]) },
    }
  }

  /** `names`: the targets that together put adapters on it, with their ranks added up. */
  #expertMatrix(name: string, shape: readonly number[], names: readonly string[] = []): Tensor {
    const matrix = this.#expertWeight(name, shape)
    const { rank = 0, targets = [] } = this.spec.lora ?? {}
    for (const adapted of names) this.linearNames.add(adapted)
    const isAdapted = names.length > 0 && this.isPolicy() && names.every(adapted => targets.includes(adapted))
    if (isAdapted) return withLowRankMatrices(this, name, matrix, rank * names.length)
    const isMerged = this.#hasParameterAdapter(name) && this.spec.expertStyle !== 'axolotl-kernels'
    return isMerged ? withLowRankMatrices(this, name, matrix, rank) : matrix
  }

  /** Adapters of experts' matrices that stay separate products. */
  #expertFactors(name: string, matrix: Tensor): ExpertFactors | undefined {
    const { expertStyle, lora } = this.spec
    const isApart = expertStyle === 'axolotl-kernels' && this.#hasParameterAdapter(name)
    return isApart ? lowRankFactors(this, name, matrix, lora?.rank ?? 0) : undefined
  }

  #hasParameterAdapter(name: string): boolean {
    const part = name.slice(name.lastIndexOf('.') + 1)
    const { parameters } = this.spec.lora ?? {}
    if (parameters !== undefined) this.linearNames.add(part)
    return this.isPolicy() && (parameters?.includes(part) ?? false)
  }

  /** kt-kernel sft/autograd.py KTMoEFunction: nothing is kept on the GPU; the output is as large as the input. */
  #onHost(name: string, x: Tensor): Tensor {
    const output = this.tensor(x.shape, x.dtype, [x])
    this.record(name, { reads: [x], outputs: [output], gradients: [made(x)] })
    return output
  }

  everyExpert(
    name: string,
    x: Tensor,
    { count, perToken, inner }: EveryExpertOptions,
    gate: (joined: Tensor) => Tensor,
    shared: () => Tensor,
  ): Tensor {
    const router = { count, perToken, scoring: 'sigmoid' } as const
    const logits = routerLogits(this, x, this.#routerParameters(`${name}.router`, x, router), router)
    if (this.spec.expertStyle === 'torchtune') {
      const rows = chosenRows(this, x, logits, perToken)
      const results = this.frame(rows, input => this.#chosenExperts(`${name}.experts`, input, count, inner))
      return this.residual(shared(), results)
    }
    const rows = scoredRows(this, x, logits, perToken)
    const results = this.frame(rows, scored => {
      if (this.spec.expertStyle === 'axolotl-linear') {
        const project = (part: string, index: number, input: Tensor, to: number) =>
          this.linear(`${name}.experts.${part}.${index}`, input, to, { bias: false })
        return oneByOne(this, scored, count, (input, index) => {
          const activated = this.silu(project('gate_projs', index, input, inner))
          const product = this.multiply(project('up_projs', index, input, inner), activated)
          return project('down_projs', index, product, lastSize(x))
        })
      }
      const weight = (part: string, from: number, to: number) =>
        this.#expertWeight(`${name}.experts.${part}`, [count, from, to])
      const up = weight('gate_up_proj', lastSize(x), 2 * inner)
      const joined = expertProduct(this, scored, up)
      const gated = gate(joined)
      const down = weight('down_proj', inner, lastSize(x))
      const output = expertProduct(this, gated, down)
      this.record('return', { reads: [joined, up, down], outputs: [] })
      return output
    })
    this.locals.push(logits, rows, results)
    return this.residual(shared(), summed(this, results, x), { inPlace: true })
  }

  /** torchtune modules/moe/experts.py LoRAGroupedExperts: one matrix per part for all experts, and one pair of adapters. */
  #chosenExperts(name: string, rows: Tensor, count: number, inner: number): Tensor {
    const project = (part: string, input: Tensor, to: number) => {
      const product = (weight: Tensor, from: Tensor) => expertProduct(this, from, weight)
      const base = product(this.weight(`${name}.${part}`, [count, lastSize(input), to]), input)
      const { rank } = this.spec.lora ?? {}
      if (rank === undefined || !this.isAdapted(`${name}.${part}`)) return base
      const adapter = (pair: 'a' | 'b', from: number, onto: number) =>
        this.parameter(`${name}.lora_${part}_${pair}`, [count, from, onto], { trainable: true })
      const narrow = product(adapter('a', lastSize(input), rank), input)
      return this.add(base, this.scale(product(adapter('b', rank, to), narrow)))
    }
    const activated = this.silu(project('gate_proj', rows, inner))
    const output = project('down_proj', this.multiply(activated, project('up_proj', rows, inner)), lastSize(rows))
    return this.gathered(output)
  }

  /**
   * bitsandbytes nn/parametrize.py: quantised parameters that are no linear layer's are dequantised whole when they are asked for,
   * and cached until their module returns. What was dequantised is what the products save.
   */
  #expertWeight(name: string, shape: readonly number[]): Tensor {
    const { quantization, quantizedExperts } = this.spec
    if (quantization === undefined || !quantizedExperts) return this.weight(name, shape)
    const count = elements({ shape })
    const { weights, constants } = quantizedBytes(quantization, count, count / (shape.at(-1) ?? 1))
    this.buffer(name, weights)
    this.buffer(`${name}.quant_state`, constants)
    const dequantised = this.tensor(shape, this.weightDtype, [], { batched: false })
    this.record('dequantise', { reads: [], outputs: [dequantised] })
    return dequantised
  }

  #routerParameters(name: string, x: Tensor, { count, hasBias }: RouterOptions): RouterParameters {
    const weight = this.weight(`${name}.weight`, [count, lastSize(x)])
    return hasBias ? { weight, bias: this.weight(`${name}.bias`, [count]) } : { weight }
  }
}
