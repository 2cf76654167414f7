/**
 * Mamba's convolution and scan in the kernels of causal-conv1d and mamba-ssm, which transformers uses if they are installed;
 * derived from their source code, because they do not run on the meta device.
 */
import type { SelectiveScan } from '../../models/ops.ts'
import { type Autograd, made } from '../autograd.ts'
import { elements, lastSize, type Tensor } from '../storage.ts'

/** causal_conv1d 1.6 causal_conv1d_interface.py CausalConv1dFn: saves its input, before the SiLU that it applies too. */
export function fusedConvolution(autograd: Autograd, name: string, x: Tensor, parameters: readonly Tensor[]): Tensor {
  const [weight = x] = parameters
  const output = autograd.tensor(x.shape, x.dtype, [x, ...parameters])
  autograd.record(name, {
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
  autograd: Autograd,
  { states, steps, input, output, gate }: SelectiveScan<Tensor>,
  parameters: { readonly rates: Tensor; readonly skip: Tensor; readonly bias: Tensor },
): Tensor {
  const [tokens = 0] = states.shape
  const stateSize = lastSize(input)
  const rates = autograd.elementwise('exp', autograd.cast(parameters.rates, 'float32'), { savesOutput: true })
  const wide = [parameters.skip, parameters.bias].map(parameter => autograd.cast(parameter, 'float32'))
  const constants = [autograd.elementwise('neg', rates), ...wide]
  const inputs = [states, steps, input, output, gate]
  const result = autograd.tensor(states.shape, gate.dtype, [...inputs, ...constants])
  const copy = (tensor: Tensor) => autograd.storage(elements(tensor), tensor.dtype, true)
  const kept = Math.ceil(tokens / CHUNK_TOKENS) * lastSize(states) * 2 * stateSize
  autograd.record('selective scan', {
    reads: [...inputs, ...constants],
    outputs: [result],
    saves: constants,
    saved: [...inputs.map(copy), copy(steps), autograd.storage(kept, 'float32', true)],
    gradients: [...inputs, ...constants].map(made),
    backwardScratch: [autograd.like(result, 'temporaries')],
    flopsPerSample: 6 * elements(states) * stateSize,
  })
  return result
}
