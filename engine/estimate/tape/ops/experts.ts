/** Mixtures of experts: routers and expert matrices, with their quantisation and adapters. */
import type { EveryExpertOptions, ExpertOptions, RouterOptions } from '../../../program/ops/linears.ts'
import { isUnquantized } from '../../../training/unquantized.ts'
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
import type { Tape } from '../tape.ts'
import { scale, silu } from './activations.ts'
import { frame, residual } from './frames.ts'
import { isAdapted, linear } from './linears.ts'
import { add, multiply } from './primitives.ts'
import { gathered } from './shapes.ts'
import { isPolicy, weightNamed } from './weights.ts'

export function routed(
  tape: Tape,
  name: string,
  x: Tensor,
  options: RouterOptions,
): readonly [weights: Tensor, chosen: Tensor] {
  const { linear: module, expertScale, count } = options
  const logits =
    module === undefined
      ? routerLogits(tape, x, routerParameters(tape, name, x, options), options)
      : linear(tape, `${name}.${module}`, x, count, { bias: false })
  const scale = expertScale === undefined ? undefined : weightNamed(tape, `${name}.${expertScale}`, [count])
  return bestExperts(tape, logits, options, scale)
}

export function experts(
  tape: Tape,
  name: string,
  x: Tensor,
  [weights, chosen]: readonly [weights: Tensor, chosen: Tensor],
  { count, inner, hasBias = false, isGated = true }: ExpertOptions,
  gate: (joined: Tensor) => Tensor,
): Tensor {
  const { quantization } = tape.spec
  const hidden = lastSize(x)
  const joined = isGated ? 2 * inner : inner
  const up = isGated ? 'gate_up_proj' : 'up_proj'
  const bias = (part: string, features: number) => weightNamed(tape, `${name}.${part}_bias`, [count, features])
  if (tape.spec.expertStyle === 'linear' && quantization !== undefined) {
    const layers = expertLayers(tape, name, { inner, hidden, isGated, isJoined: hasBias })
    if (hasBias) tape.locals.push(bias(up, joined), bias('down_proj', hidden))
    return linearExperts(tape, x, { weights, chosen }, { quantization, count, ...layers }, gate)
  }
  const held = count / (tape.spec.expertParallel ?? 1)
  const names = tape.expertNames
  const matrices = {
    up: expertMatrix(tape, `${name}.${up}`, [held, joined, hidden], names?.up),
    down: expertMatrix(tape, `${name}.down_proj`, [held, hidden, inner], names && [names.down]),
  }
  const { output, locals } = groupedExperts(
    tape,
    x,
    { weights, chosen },
    {
      ...matrices,
      upFactors: expertFactors(tape, `${name}.${up}`, matrices.up),
      downFactors: expertFactors(tape, `${name}.down_proj`, matrices.down),
      ...(hasBias && { upBias: bias(up, joined), downBias: bias('down_proj', hidden) }),
    },
    gate,
  )
  tape.locals.push(...locals, matrices.up, matrices.down)
  return output
}

interface ExpertLayerSizes {
  readonly inner: number
  readonly hidden: number
  readonly isGated: boolean
  /** Whether a gate and its factor are one layer, with one pair of adapters. */
  readonly isJoined: boolean
}

function expertLayers(
  tape: Tape,
  name: string,
  { inner, hidden, isGated, isJoined }: ExpertLayerSizes,
): Pick<LinearExperts, 'up' | 'down'> {
  const { up = ['gate_proj', 'up_proj'], down = 'down_proj' } = tape.expertNames ?? {}
  const adapted = (names: readonly string[]) => {
    for (const each of names) tape.linearNames.add(each)
    return isPolicy(tape) && names.some(each => tape.spec.lora?.targets.includes(each))
  }
  const outFeatures = isGated ? 2 * inner : inner
  const layers = isGated && !isJoined ? 2 : 1
  return {
    up: { name: `${name}.${up.join('_')}`, outFeatures, layers, isAdapted: adapted(up) },
    down: { name: `${name}.${down}`, outFeatures: hidden, layers: 1, isAdapted: adapted([down]) },
  }
}

/** `names`: the targets that together put adapters on it, with their ranks added up. */
function expertMatrix(tape: Tape, name: string, shape: readonly number[], names: readonly string[] = []): Tensor {
  const matrix = expertWeight(tape, name, shape)
  const { rank = 0, targets = [] } = tape.spec.lora ?? {}
  for (const adapted of names) tape.linearNames.add(adapted)
  const isAdapted = names.length > 0 && isPolicy(tape) && names.every(adapted => targets.includes(adapted))
  if (isAdapted) return withLowRankMatrices(tape, name, matrix, rank * names.length)
  const isMerged = hasParameterAdapter(tape, name) && tape.spec.expertStyle !== 'axolotl-kernels'
  return isMerged ? withLowRankMatrices(tape, name, matrix, rank) : matrix
}

/** Adapters of experts' matrices that stay separate products. */
function expertFactors(tape: Tape, name: string, matrix: Tensor): ExpertFactors | undefined {
  const { expertStyle, lora } = tape.spec
  const isApart = expertStyle === 'axolotl-kernels' && hasParameterAdapter(tape, name)
  return isApart ? lowRankFactors(tape, name, matrix, lora?.rank ?? 0) : undefined
}

function hasParameterAdapter(tape: Tape, name: string): boolean {
  const part = name.slice(name.lastIndexOf('.') + 1)
  const { parameters } = tape.spec.lora ?? {}
  if (parameters !== undefined) tape.linearNames.add(part)
  return isPolicy(tape) && (parameters?.includes(part) ?? false)
}

export function everyExpert(
  tape: Tape,
  name: string,
  x: Tensor,
  { count, perToken, inner }: EveryExpertOptions,
  gate: (joined: Tensor) => Tensor,
  shared: () => Tensor,
): Tensor {
  const router = { count, perToken, scoring: 'sigmoid' } as const
  const logits = routerLogits(tape, x, routerParameters(tape, `${name}.router`, x, router), router)
  if (tape.spec.expertStyle === 'torchtune') {
    const rows = chosenRows(tape, x, logits, perToken)
    const results = frame(tape, rows, input => chosenExperts(tape, `${name}.experts`, input, count, inner))
    return residual(tape, shared(), results)
  }
  const rows = scoredRows(tape, x, logits, perToken)
  const results = frame(tape, rows, scored => {
    if (tape.spec.expertStyle === 'axolotl-linear') {
      const project = (part: string, index: number, input: Tensor, to: number) =>
        linear(tape, `${name}.experts.${part}.${index}`, input, to, { bias: false })
      return oneByOne(tape, scored, count, (input, index) => {
        const activated = silu(tape, project('gate_projs', index, input, inner))
        const product = multiply(tape, project('up_projs', index, input, inner), activated)
        return project('down_projs', index, product, lastSize(x))
      })
    }
    const weight = (part: string, from: number, to: number) =>
      expertWeight(tape, `${name}.experts.${part}`, [count, from, to])
    const up = weight('gate_up_proj', lastSize(x), 2 * inner)
    const joined = expertProduct(tape, scored, up)
    const gated = gate(joined)
    const down = weight('down_proj', inner, lastSize(x))
    const output = expertProduct(tape, gated, down)
    tape.record('return', { reads: [joined, up, down], outputs: [] })
    return output
  })
  tape.locals.push(logits, rows, results)
  return residual(tape, shared(), summed(tape, results, x), { inPlace: true })
}

/**
 * torchtune modules/moe/experts.py LoRAGroupedExperts: one matrix per part for all experts, and one pair of adapters.
 */
function chosenExperts(tape: Tape, name: string, rows: Tensor, count: number, inner: number): Tensor {
  const project = (part: string, input: Tensor, to: number) => {
    const product = (weight: Tensor, from: Tensor) => expertProduct(tape, from, weight)
    const base = product(weightNamed(tape, `${name}.${part}`, [count, lastSize(input), to]), input)
    const { rank } = tape.spec.lora ?? {}
    if (rank === undefined || !isAdapted(tape, `${name}.${part}`)) return base
    const adapter = (pair: 'a' | 'b', from: number, onto: number) =>
      tape.parameter(`${name}.lora_${part}_${pair}`, [count, from, onto], { trainable: true })
    const narrow = product(adapter('a', lastSize(input), rank), input)
    return add(tape, base, scale(tape, product(adapter('b', rank, to), narrow)))
  }
  const activated = silu(tape, project('gate_proj', rows, inner))
  const output = project('down_proj', multiply(tape, activated, project('up_proj', rows, inner)), lastSize(rows))
  return gathered(tape, output)
}

/**
 * bitsandbytes nn/parametrize.py: quantised parameters that are no linear layer's are dequantised whole when they are
 * asked for, and cached until their module returns. What was dequantised is what the products save.
 */
function expertWeight(tape: Tape, name: string, shape: readonly number[]): Tensor {
  const { quantization, quantizedExperts, unquantized } = tape.spec
  const isWhole = unquantized !== undefined && isUnquantized(unquantized, name)
  if (quantization === undefined || !quantizedExperts || isWhole) return weightNamed(tape, name, shape)
  const count = elements({ shape })
  tape.quantized(name, quantizedBytes(quantization, count, count / (shape.at(-1) ?? 1)))
  const dequantised = tape.tensor(shape, tape.weightDtype, [], { batched: false })
  tape.record('dequantise', { reads: [], outputs: [dequantised] })
  return dequantised
}

function routerParameters(tape: Tape, name: string, x: Tensor, { count, hasBias }: RouterOptions): RouterParameters {
  const weight = weightNamed(tape, `${name}.weight`, [count, lastSize(x)])
  return hasBias ? { weight, bias: weightNamed(tape, `${name}.bias`, [count]) } : { weight }
}
