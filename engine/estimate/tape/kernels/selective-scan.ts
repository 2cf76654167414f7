/**
 * Mamba's convolution and scan in the kernels of causal-conv1d and mamba-ssm, which transformers uses if they are installed;
 * derived from their source code, because they do not run on the meta device.
 */

import { made } from '../autograd.ts'
import { cast } from '../ops/casts.ts'
import { elementwise } from '../ops/primitives.ts'
import { weightNamed } from '../ops/weights.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

/** causal_conv1d 1.6 causal_conv1d_interface.py CausalConv1dFn: saves its input, before the SiLU that it applies too. */
export function fusedConvolution(
  tape: Tape,
  name: string,
  x: Tensor,
  kernel: number,
  { bias }: { readonly bias: boolean },
): Tensor {
  const weight = weightNamed(tape, `${name}.weight`, [lastSize(x), 1, kernel])
  const parameters = bias ? [weight, weightNamed(tape, `${name}.bias`, [lastSize(x)])] : [weight]
  const output = tape.tensor(x.shape, x.dtype, [x, ...parameters])
  tape.record(name, {
    reads: [x, ...parameters],
    outputs: [output],
    saves: [x, ...parameters],
    gradients: [x, ...parameters].map(made),
    flopsPerSample: 2 * elements(x) * lastSize(weight),
  })
  return output
}

/** Tokens between two saved states of the scan: csrc/selective_scan/selective_scan.cpp. */
const CHUNK_TOKENS = 2_048

/**
 * mamba_ssm 2.3 ops/selective_scan_interface.py SelectiveScanFn: transposes states, steps and gate from token-major to
 * channel-major copies; saves the copies and its result before and after the gate.
 */
export function selectiveScan(
  tape: Tape,
  name: string,
  [states, steps, input, output, gate]: readonly [Tensor, Tensor, Tensor, Tensor, Tensor],
): Tensor {
  const channels = lastSize(states)
  const logRates = weightNamed(tape, `${name}.A_log`, [channels, lastSize(input)])
  const skip = weightNamed(tape, `${name}.D`, [channels])
  const bias = weightNamed(tape, `${name}.dt_proj.bias`, [channels])
  const [tokens = 0] = states.shape
  const stateSize = lastSize(input)
  const rates = elementwise(tape, 'exp', cast(tape, logRates, 'float32'), { savesOutput: true })
  const wide = [skip, bias].map(parameter => cast(tape, parameter, 'float32'))
  const constants = [elementwise(tape, 'neg', rates), ...wide]
  const inputs = [states, steps, input, output, gate]
  const result = tape.tensor(states.shape, gate.dtype, [...inputs, ...constants])
  const copy = (tensor: Tensor) => tape.storage(elements(tensor), tensor.dtype, true)
  const kept = Math.ceil(tokens / CHUNK_TOKENS) * lastSize(states) * 2 * stateSize
  tape.record('selective scan', {
    reads: [...inputs, ...constants],
    outputs: [result],
    saves: constants,
    saved: [...inputs.map(copy), copy(steps), tape.storage(kept, 'float32', true)],
    gradients: [...inputs, ...constants].map(made),
    backwardScratch: [tape.like(result, 'temporaries')],
    flopsPerSample: 6 * elements(states) * stateSize,
  })
  return result
}
