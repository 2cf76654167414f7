/**
 * Mamba 2 in mamba-ssm's kernels, which transformers uses if they are installed; derived from their source code (mamba_ssm 2.3
 * ops/triton/ssd_combined.py), because they do not run on the meta device.
 */
import type { Mamba2Shape } from '../../../program/ops/mixers.ts'
import { keepsNoCache } from '../../../training/choices.ts'
import { made } from '../autograd.ts'
import { silu } from '../ops/activations.ts'
import { cast, lowered } from '../ops/casts.ts'
import { linear } from '../ops/linears.ts'
import { elementwise, multiply, power } from '../ops/primitives.ts'
import { split } from '../ops/shapes.ts'
import { bytesPerElement, elements, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { fusedConvolution } from './selective-scan.ts'

const FLOAT32_BYTES = bytesPerElement.float32

/** Makes the parameter `part` of the layer. */
type Weight = (part: string, shape: readonly number[]) => Tensor

/**
 * MambaSplitConv1dScanCombinedFn, from the first projection's result to the second's: saves its input and the scan's output, and
 * repeats convolution and scan in the backward pass. transformers uses it in training if nothing is cached. It needs the second
 * projection's matrix unquantised.
 */
export function fusedMamba2(tape: Tape, x: Tensor, shape: Mamba2Shape, weight: Weight): Tensor {
  const [tokens = 0] = x.shape
  const { groups, outFeatures } = shape
  const { inner } = widthsOf(shape)
  const output = lowered(tape, weight('out_proj.weight', [outFeatures, inner]), { cache: false })
  const inputs = [
    x,
    ...convolutionOf(shape, weight),
    ...scanParameters(tape, shape, weight),
    ...(shape.norm === undefined ? [] : [weight('norm.weight', [inner])]),
    ...(shape.outputBias ? [lowered(tape, weight('out_proj.bias', [outFeatures]))] : []),
    output,
  ]
  const result = tape.tensor([tokens, outFeatures], tape.autocastDtype ?? x.dtype, inputs)
  const scanned = tape.storage(tokens * inner, x.dtype, true)
  const deviations = tape.storage(tokens * groups, 'float32', true)
  const bytes = workBytes(shape, tokens, bytesPerElement[x.dtype])
  const created = scanned.bytesPerSample + elements(result) * bytesPerElement[result.dtype]
  const forwardEnd = bytes.convolution + bytes.lastScan + bytes.rows
  const forwardScan = bytes.convolution + bytes.stateScan - created
  // The recomputed result; the gradients of it, of the norm's output (or of the gate's input and output) and of the convolution.
  const backward = (shape.norm === undefined ? 4 : 3) * bytes.rows + 2 * bytes.convolution + bytes.backwardScan
  tape.record('mamba2', {
    reads: inputs,
    outputs: [result],
    saves: inputs,
    saved: shape.norm === undefined ? [scanned] : [scanned, deviations],
    gradients: inputs.map(made),
    scratch: [scratch(tape, Math.max(forwardEnd, forwardScan))],
    backwardScratch: [scratch(tape, backward)],
    flopsPerSample: scanFlops(shape, tokens) + 2 * tokens * inner * outFeatures,
  })
  return result
}

/** transformers' Mamba 2 layers with cached states or in eval mode: convolution, scan, norm and projection one by one. */
export function composedMamba2(tape: Tape, name: string, x: Tensor, shape: Mamba2Shape, weight: Weight): Tensor {
  const { heads, groups, stateSize } = shape
  const { inner, convolved } = widthsOf(shape)
  const [gate = x, mixed = x, steps = x] = split(tape, x, [inner, convolved, heads])
  const states = fusedConvolution(tape, `${name}.conv1d`, mixed, shape.kernel, { bias: shape.convolutionBias })
  const parts = split(tape, states, [inner, groups * stateSize, groups * stateSize])
  const scanned = chunkScan(tape, [...parts, steps], shape, scanParameters(tape, shape, weight))
  const gated =
    shape.norm === undefined ? multiply(tape, scanned, silu(tape, gate)) : gatedNorm(tape, scanned, gate, shape, weight)
  return linear(tape, `${name}.out_proj`, gated, shape.outFeatures, { bias: shape.outputBias })
}

/** MambaChunkScanCombinedFn: saves its inputs, its result and the decay of the states. */
function chunkScan(tape: Tape, inputs: readonly Tensor[], shape: Mamba2Shape, parameters: readonly Tensor[]): Tensor {
  const [states] = inputs
  if (states === undefined) throw new Error('no states to scan')
  const [tokens = 0] = states.shape
  const all = [...inputs, ...parameters]
  const result = tape.tensor(states.shape, states.dtype, all)
  const bytes = workBytes(shape, tokens, bytesPerElement[states.dtype])
  tape.record('mamba2 scan', {
    reads: all,
    outputs: [result],
    saves: [...all, result],
    saved: [tape.storage(bytes.steps / 2, 'bool', true)],
    gradients: all.map(made),
    scratch: [scratch(tape, Math.max(bytes.lastScan, bytes.stateScan - bytes.rows))],
    backwardScratch: [scratch(tape, bytes.backwardScan)],
    flopsPerSample: scanFlops(shape, tokens),
  })
  if (!keepsNoCache(tape.spec.loop)) cacheState(tape, shape)
  return result
}

/** transformers cache_utils.py LinearAttentionLayer: the state after the last token, which the outputs return. */
function cacheState(tape: Tape, shape: Mamba2Shape): void {
  const state = tape.tensor([widthsOf(shape).inner, shape.stateSize], 'float32', [])
  tape.record('cached state', { reads: [], outputs: [state] })
  tape.held.push(state.storage)
}

/** In float32, its weights before it is cast back or after. */
function gatedNorm(tape: Tape, scanned: Tensor, gate: Tensor, shape: Mamba2Shape, weight: Weight): Tensor {
  const weights = weight('norm.weight', [widthsOf(shape).inner])
  const wide = multiply(tape, cast(tape, scanned, 'float32'), silu(tape, cast(tape, gate, 'float32')))
  const squares = power(tape, wide)
  const mean = tape.tensor([...scanned.shape.slice(0, -1), shape.groups], 'float32', [squares])
  tape.record('mean', { reads: [squares], outputs: [mean], gradients: [made(squares)] })
  const normalised = multiply(tape, wide, elementwise(tape, 'rsqrt', mean, { savesOutput: true }))
  return shape.norm === 'weighted-in-float32'
    ? cast(tape, multiply(tape, weights, normalised), scanned.dtype)
    : multiply(tape, weights, cast(tape, normalised, scanned.dtype))
}

function convolutionOf(shape: Mamba2Shape, weight: Weight): Tensor[] {
  const { convolved } = widthsOf(shape)
  const kernel = weight('conv1d.weight', [convolved, 1, shape.kernel])
  return shape.convolutionBias ? [kernel, weight('conv1d.bias', [convolved])] : [kernel]
}

function scanParameters(tape: Tape, { heads }: Mamba2Shape, weight: Weight): Tensor[] {
  const rates = elementwise(tape, 'exp', cast(tape, weight('A_log', [heads]), 'float32'), { savesOutput: true })
  return [weight('dt_bias', [heads]), elementwise(tape, 'neg', rates), weight('D', [heads])]
}

function scratch(tape: Tape, bytes: number) {
  return tape.storage(bytes, 'bool', true, 'temporaries')
}

function widthsOf({ heads, headSize, groups, stateSize }: Mamba2Shape): { inner: number; convolved: number } {
  const inner = heads * headSize
  return { inner, convolved: inner + 2 * groups * stateSize }
}

interface WorkBytes {
  /** A number for each feature of all heads. */
  readonly rows: number
  readonly convolution: number
  /** Steps and how far they let states decay. */
  readonly steps: number
  /** Allocated when the scan is done, and while it passes states from chunk to chunk. */
  readonly lastScan: number
  readonly stateScan: number
  /** The scan's backward pass, which scans again. */
  readonly backwardScan: number
}

/** `element`: bytes of one of the input's. */
function workBytes(shape: Mamba2Shape, tokens: number, element: number): WorkBytes {
  const { heads, groups, stateSize, chunkTokens } = shape
  const { inner, convolved } = widthsOf(shape)
  const chunks = Math.ceil(tokens / chunkTokens)
  const paddedTokens = chunks * chunkTokens
  const steps = 2 * paddedTokens * heads * FLOAT32_BYTES
  const scores = paddedTokens * groups * chunkTokens * FLOAT32_BYTES
  const stateElements = chunks * inner * stateSize
  const always = steps + inner * stateSize * FLOAT32_BYTES
  return {
    rows: tokens * inner * element,
    convolution: tokens * convolved * element,
    steps,
    lastScan: always + stateElements * element,
    stateScan: always + stateElements * (FLOAT32_BYTES + element),
    // States and their gradients in float32, and both cast to the input's type, unless the states already have it.
    backwardScan:
      always +
      scores +
      tokens * heads * element +
      stateElements * (2 * FLOAT32_BYTES + (element === FLOAT32_BYTES ? 1 : 2) * element),
  }
}

/** The convolution, the chunks' own scores and results, the states' making and reading. */
function scanFlops(shape: Mamba2Shape, tokens: number): number {
  const { groups, stateSize, chunkTokens, kernel } = shape
  const { inner, convolved } = widthsOf(shape)
  const withinChunks = chunkTokens * (groups * stateSize + inner)
  return 2 * tokens * (kernel * convolved + withinChunks + 2 * inner * stateSize)
}
