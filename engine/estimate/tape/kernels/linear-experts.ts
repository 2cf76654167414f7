/**
 * Experts as transformers 4 ran them: linear layers, one expert after the other on the tokens that chose it (modeling_mixtral.py
 * MixtralSparseMoeBlock). bitsandbytes quantises them as it does all others, and dequantises one matrix at a time.
 */
import type { Quantization } from '../../../training/choices.ts'
import { keepsQuantizedInputs } from '../../library-rules.ts'
import { made } from '../autograd.ts'
import { cast, lowered } from '../ops/casts.ts'
import { dropout } from '../ops/dropout.ts'
import { add, elementwise, multiply } from '../ops/primitives.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { adapterWeight, castForAdapters } from './adapters.ts'
import { gatheredRows, type Routed } from './experts.ts'
import { matrixProduct } from './matrix-product.ts'
import { dequantisationOf, quantizedBytes } from './quantization.ts'

/** Layers of every expert that read the same input; their outputs are held as one tensor. */
export interface ExpertLayers {
  readonly name: string
  /** Of all of them. */
  readonly outFeatures: number
  /** 2 for a gate and its factor. */
  readonly layers: number
  readonly isAdapted: boolean
}

export interface LinearExperts {
  readonly quantization: Quantization
  readonly count: number
  readonly up: ExpertLayers
  readonly down: ExpertLayers
}

/** More experts are taken together in so many groups: what they keep is the same, and what passes is small. */
const MAX_GROUPS = 8

export function linearExperts(
  tape: Tape,
  x: Tensor,
  { chosen, weights }: Routed,
  { quantization, count, up, down }: LinearExperts,
  gate: (joined: Tensor) => Tensor,
): Tensor {
  const groups = Math.min(count, MAX_GROUPS)
  const rowCount = elements(chosen) / groups
  let all = tape.tensor(x.shape, x.dtype, [])
  tape.record('zeros', { reads: [], outputs: [all] })
  for (let index = 0; index < groups; index++) {
    const group = { index, experts: count / groups, quantization }
    const order = tape.tensor([rowCount], 'int64', [])
    tape.record('where', { reads: [chosen], outputs: [order] })
    const rows = gatheredRows(tape, x, [rowCount, lastSize(x)], order)
    const result = product(tape, gate(product(tape, rows, up, group)), down, group)
    const weighted = multiply(tape, result, gatheredRows(tape, weights, [rowCount], order))
    const sum: Tensor = { ...all, requiresGrad: all.requiresGrad || weighted.requiresGrad, edge: tape.newEdge() }
    const gradients = [{ to: all, passes: true }, made(weighted)]
    tape.record('index_add', { reads: [all, weighted, order], outputs: [sum], saves: [order], gradients })
    all = sum
  }
  return all
}

interface Group {
  readonly index: number
  readonly experts: number
  readonly quantization: Quantization
}

function product(tape: Tape, x: Tensor, layers: ExpertLayers, group: Group): Tensor {
  const base = frozenProduct(tape, x, layers, group)
  const { lora } = tape.spec
  if (lora === undefined || !layers.isAdapted) return base
  const name = `${layers.name}.${group.index}`
  const rank = lora.rank * layers.layers
  const input = dropout(tape, castForAdapters(tape, x, true), lora.dropout)
  const first = adapterWeight(tape, `${name}.lora_A.weight`, [rank * group.experts, lastSize(x)])
  const second = adapterWeight(tape, `${name}.lora_B.weight`, [layers.outFeatures, lora.rank * group.experts])
  const inner = adapterProduct(tape, `${name}.lora_A`, input, first, rank)
  const outer = adapterProduct(tape, `${name}.lora_B`, inner, second, layers.outFeatures)
  return cast(tape, add(tape, base, elementwise(tape, 'mul', outer)), base.dtype)
}

/** As one layer's of Tape, with one expert's matrix dequantised at a time. */
function frozenProduct(tape: Tape, x: Tensor, { name, outFeatures, layers }: ExpertLayers, group: Group): Tensor {
  const { index, experts, quantization } = group
  const matrixElements = (outFeatures / layers) * lastSize(x)
  const all = quantizedBytes(quantization, matrixElements * layers * experts, outFeatures * experts)
  tape.quantized(`${name}.${index}.weight`, all, layers * experts)
  const factor = quantization === 'int8' ? x : cast(tape, x, tape.half)
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor])
  const matrix = tape.fixed(matrixElements * bytesPerElement[factor.dtype], 'temporaries')
  tape.record(name, {
    reads: [factor],
    outputs: [output],
    keeps: keepsQuantizedInputs(tape.spec, quantization) ? [factor] : [],
    gradients: [made(factor)],
    scratch: [matrix],
    backwardScratch: [matrix],
    flopsPerSample: 2 * elements(output) * lastSize(x),
    dequantises: dequantisationOf(quantization, matrixElements * layers * experts),
  })
  return cast(tape, output, x.dtype)
}

function adapterProduct(tape: Tape, name: string, x: Tensor, parameter: Tensor, outFeatures: number): Tensor {
  const [factor, weight] = [lowered(tape, x), lowered(tape, parameter)]
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight], x)
  tape.record(name, matrixProduct(factor, weight, [], output, lastSize(x)))
  return output
}
