/** LitGPT 0.5.13 lora.py LoRAQKVLinear: adapters on some of the parts that one projection joins. */
import type { LinearPart } from '../../../program/ops/linears.ts'
import { made } from '../autograd.ts'
import { lowered } from '../ops/casts.ts'
import { dropout } from '../ops/dropout.ts'
import { add, concatenate, elementwise } from '../ops/primitives.ts'
import { lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { type Adapters, adapterWeight } from './adapters.ts'
import { matrixProduct } from './matrix-product.ts'

/** The base's result with what the adapters of these parts add to it, zero for all others. */
export function withPartsAdapted(
  tape: Tape,
  name: string,
  x: Tensor,
  base: Tensor,
  parts: readonly LinearPart[],
  adapters: Adapters,
): Tensor {
  const adapted = parts.filter(part => adapters.targets.includes(part.name))
  const inner = innerProduct(tape, name, x, adapted.length, adapters)
  const outer = outerProducts(tape, name, inner, adapted, { adapters, isOneKernel: areEqual(parts) })
  const padded = adapted.length === parts.length ? outer : amongZeros(tape, outer, base)
  const product = elementwise(tape, 'mul', padded)
  const sum = add(tape, base, product)
  tape.record('return', { reads: [base, inner, outer, product], outputs: [] })
  return sum
}

function innerProduct(tape: Tape, name: string, x: Tensor, count: number, adapters: Adapters): Tensor {
  const features = adapters.rank * count
  const weight = lowered(tape, adapterWeight(tape, `${name}.lora_A`, [features, lastSize(x)]))
  const factor = lowered(tape, dropout(tape, x, adapters.dropout))
  const output = tape.tensor([...x.shape.slice(0, -1), features], factor.dtype, [factor, weight])
  tape.record(`${name}.lora_A`, matrixProduct(factor, weight, [], output, lastSize(x)))
  return output
}

/** A convolution over tokens with a kernel of one: in as many groups as parts, or one for each part where they differ in size. */
function outerProducts(
  tape: Tape,
  name: string,
  inner: Tensor,
  parts: readonly LinearPart[],
  { adapters: { rank }, isOneKernel }: { readonly adapters: Adapters; readonly isOneKernel: boolean },
): Tensor {
  const total = parts.reduce((sum, { features }) => sum + features, 0)
  const parameter = adapterWeight(tape, `${name}.lora_B`, [total, rank])
  const weight = lowered(tape, parameter, { cache: false })
  const convolved = (features: number) => {
    const output = tape.tensor([...inner.shape.slice(0, -1), features], inner.dtype, [inner, weight])
    // torch: `convolution` saves both factors.
    tape.record(`${name}.lora_B`, { ...matrixProduct(inner, weight, [], output, rank), saves: [inner, weight] })
    return output
  }
  return isOneKernel
    ? convolved(total)
    : concatenate(
        tape,
        parts.map(({ features }) => convolved(features)),
      )
}

/** torch: derivatives.yaml `index_copy`: keeps the places, and what is copied for its shape. */
function amongZeros(tape: Tape, x: Tensor, whole: Tensor): Tensor {
  const output = tape.tensor(whole.shape, x.dtype, [x])
  tape.record('index_copy_', {
    reads: [x],
    outputs: [output],
    saves: [x],
    saved: [tape.storage(lastSize(x), 'int64', false)],
    gradients: [made(x)],
  })
  return output
}

function areEqual(parts: readonly LinearPart[]): boolean {
  return new Set(parts.map(({ features }) => features)).size === 1
}
