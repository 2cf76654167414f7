/**
 * Mamba 2 in mamba-ssm's kernels, which transformers takes where they are installed; derived from their sources
 * (mamba_ssm 2.3 ops/triton/ssd_combined.py MambaSplitConv1dScanCombinedFn), as they do not run on the meta device.
 */
import type { Mamba2Shape } from '../models/ops.ts'
import { type Autograd, made } from './autograd.ts'
import { bytesPerElement, elements, type Tensor } from './storage.ts'

const FLOAT32_BYTES = bytesPerElement.float32

/** Makes the parameter `part` of the layer. */
type Weight = (part: string, shape: readonly number[]) => Tensor

/** One function from the first projection's result to the second's: it saves its input and what the scan gave. */
export function mamba2(autograd: Autograd, x: Tensor, shape: Mamba2Shape, weight: Weight): Tensor {
  const [tokens = 0] = x.shape
  const { heads, groups, outFeatures } = shape
  const { inner, convolved } = widthsOf(shape)
  const output = autograd.lowered(weight('out_proj.weight', [outFeatures, inner]), { cache: false })
  const small = [
    weight('conv1d.weight', [convolved, 1, shape.kernel]),
    ...(shape.convolutionBias ? [weight('conv1d.bias', [convolved])] : []),
    weight('dt_bias', [heads]),
    autograd.elementwise('exp', autograd.cast(weight('A_log', [heads]), 'float32'), { savesOutput: true }),
    weight('D', [heads]),
    ...(shape.hasNorm ? [weight('norm.weight', [inner])] : []),
    ...(shape.outputBias ? [autograd.lowered(weight('out_proj.bias', [outFeatures]))] : []),
  ]
  const inputs = [x, ...small, output]
  const result = autograd.tensor([tokens, outFeatures], autograd.autocastDtype ?? x.dtype, inputs)
  const scanned = autograd.storage(tokens * inner, x.dtype, true)
  const deviations = autograd.storage(tokens * groups, 'float32', true)
  const bytes = workBytes(shape, tokens, bytesPerElement[x.dtype])
  const created = scanned.bytesPerSample + elements(result) * bytesPerElement[result.dtype]
  const within = (size: number) => autograd.storage(size, 'bool', true, 'temporaries')
  autograd.record('mamba2', {
    reads: inputs,
    outputs: [result],
    saves: inputs,
    saved: shape.hasNorm ? [scanned, deviations] : [scanned],
    gradients: inputs.map(made),
    scratch: [within(Math.max(bytes.forwardEnd, bytes.forwardScan - created))],
    backwardScratch: [within(bytes.backward)],
    flopsPerSample: flops(shape, tokens),
  })
  return result
}

function widthsOf({ heads, headSize, groups, stateSize }: Mamba2Shape): { inner: number; convolved: number } {
  const inner = heads * headSize
  return { inner, convolved: inner + 2 * groups * stateSize }
}

interface WorkBytes {
  /** Beside what the function leaves: when it returns, and while it passes states from chunk to chunk. */
  readonly forwardEnd: number
  readonly forwardScan: number
  readonly backward: number
}

/** `element`: bytes of one of the input's. The backward pass convolves and scans again. */
function workBytes(shape: Mamba2Shape, tokens: number, element: number): WorkBytes {
  const { heads, groups, stateSize, chunkTokens } = shape
  const { inner, convolved } = widthsOf(shape)
  const chunks = Math.ceil(tokens / chunkTokens)
  const paddedTokens = chunks * chunkTokens
  const rows = tokens * inner * element
  const convolution = tokens * convolved * element
  const steps = 2 * paddedTokens * heads * FLOAT32_BYTES
  const scores = paddedTokens * groups * chunkTokens * FLOAT32_BYTES
  const stateElements = chunks * inner * stateSize
  const lastState = inner * stateSize * FLOAT32_BYTES
  const always = convolution + steps + lastState
  return {
    forwardEnd: always + stateElements * element + rows,
    forwardScan: always + stateElements * (FLOAT32_BYTES + element),
    // The result again, the gradients of it, of what the norm gave (or what the gate takes and gives), and of the convolution.
    backward:
      (shape.hasNorm ? 3 : 4) * rows +
      convolution +
      always +
      scores +
      tokens * heads * element +
      2 * stateElements * (FLOAT32_BYTES + element),
  }
}

/** Products of the convolution, the chunks' own scores and results, the states' making and reading, and the projection. */
function flops(shape: Mamba2Shape, tokens: number): number {
  const { groups, stateSize, chunkTokens, kernel, outFeatures } = shape
  const { inner, convolved } = widthsOf(shape)
  const withinChunks = chunkTokens * (groups * stateSize + inner)
  return 2 * tokens * (kernel * convolved + withinChunks + 2 * inner * stateSize + inner * outFeatures)
}
