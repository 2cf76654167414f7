/** Activations and scaling, as PyTorch and transformers compose them. */

import { made } from '../autograd.ts'
import type { Tensor } from '../storage.ts'
import { markLogits } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { raised } from './casts.ts'
import { add, elementwise, multiply, power } from './primitives.ts'
import { weightNamed } from './weights.ts'

export function gelu(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'gelu', x, { saves: [x] })
}

export function geluNew(tape: Tape, x: Tensor): Tensor {
  // transformers activations.py NewGELUActivation: 0.5 * x * (1 + tanh(√(2/π) * (x + 0.044715 * pow(x, 3))))
  const half = elementwise(tape, 'mul', x)
  const cubed = power(tape, raised(tape, x))
  const inner = elementwise(tape, 'mul', add(tape, x, elementwise(tape, 'mul', cubed)))
  return multiply(tape, half, elementwise(tape, 'add', tanh(tape, inner)))
}

export function geluErf(tape: Tape, x: Tensor): Tensor {
  // transformers modeling_esm.py gelu: x * 0.5 * (1.0 + erf(x / √2)), of which `erf` saves its input.
  const half = elementwise(tape, 'mul', x)
  const scaled = elementwise(tape, 'div', x)
  const error = tape.tensor(scaled.shape, scaled.dtype, [scaled], scaled)
  // torch derivatives.yaml erf: 2 / √π * exp(-(self.pow(2))) * grad, whose four factors are temporaries of one expression.
  const backwardScratch = Array.from({ length: 4 }, () => tape.like(scaled, 'temporaries'))
  tape.record('erf', { reads: [scaled], outputs: [error], saves: [scaled], gradients: [made(scaled)], backwardScratch })
  return multiply(tape, half, elementwise(tape, 'add', error))
}

export function silu(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'silu', x, { saves: [x] })
}

export function tanh(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'tanh', x, { savesOutput: true })
}

export function relu(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'relu', x, { savesOutput: true })
}

export function sigmoid(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'sigmoid', x, { savesOutput: true })
}

export function clamp(tape: Tape, x: Tensor): Tensor {
  return elementwise(tape, 'clamp', x, { saves: [x] })
}

/** `inFloat16`: what the types of the tape call bfloat16 is float16. */
export function clampFloat16(tape: Tape, x: Tensor): Tensor {
  const isFloat16 = x.dtype === 'float16' || (x.dtype === 'bfloat16' && tape.spec.inFloat16 === true)
  return isFloat16 ? clamp(tape, x) : x
}

export function square(tape: Tape, x: Tensor): Tensor {
  return power(tape, x)
}

export function scale(tape: Tape, x: Tensor, { inPlace = false } = {}): Tensor {
  if (inPlace) return scaledInPlace(tape, x)
  const output = elementwise(tape, 'mul', x)
  if (tape.headsFirst.has(x.storage)) tape.headsFirst.add(output.storage)
  return output
}

export function tanhGate(tape: Tape, name: string, x: Tensor): Tensor {
  return multiply(tape, tanh(tape, weightNamed(tape, name, [1])), x)
}

/** x / bound, tanh, * bound. */
export function bounded(tape: Tape, x: Tensor): Tensor {
  return scale(tape, tanh(tape, scale(tape, x)))
}

export function softcap(tape: Tape, logits: Tensor): Tensor {
  // transformers Gemma2ForCausalLM: logits / cap, tanh, * cap
  return [scale, tanh, scale].reduce((x, op) => markLogits(op(tape, x)), logits)
}

function scaledInPlace(tape: Tape, x: Tensor): Tensor {
  const output = { ...x, edge: tape.newEdge() }
  tape.record('mul_', { reads: [x], outputs: [output], gradients: [made(x)] })
  return output
}
