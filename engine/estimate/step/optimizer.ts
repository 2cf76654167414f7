/** What each optimizer keeps between steps and needs during one, one row each. Sources: torch/optim, transformers, bitsandbytes. */
import type { Optimizer } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { defaultOptimizer, keepsEmbeddingsIn32Bits, keepsRoots } from '../library-rules.ts'
import { bytesPerElement, elements, type Storage, type Tensor } from '../tape/storage.ts'

export interface OptimizerRule {
  /** Bytes kept per trainable parameter tensor; its name is given because its role may matter. */
  readonly stateBytes: (parameter: Tensor, name: string) => number
  /** Of these, tensors of the parameter's shape and type, where PyTorch's optimizer keeps nothing else. */
  readonly moments?: number
  /** Further bytes of it in CUDA's managed memory, outside of PyTorch's allocator: the driver moves them to the host if need be. */
  readonly pagedBytes?: (parameter: Tensor) => number
  /** Sizes of a step's temporaries in bytes: for all parameters at once, or for one parameter after the other. */
  readonly temporaries: (parameter: Tensor) => readonly number[]
  readonly temporariesLive: 'together' | 'one by one'
  /** Of these, bytes that a local variable still names in the next parameter's turn, until its own are there. */
  readonly leaves?: (parameter: Tensor) => number
  /** Reads and writes of the parameters' bytes in one step, for the throughput model. */
  readonly passes: number
  /** Kernels for every parameter, where they are not launched for many parameters at once. */
  readonly launchesPerTensor: number
}

/** bitsandbytes optim/optimizer.py: smaller tensors keep 32-bit state (`min_8bit_size`), larger ones a constant per block. */
const MIN_8BIT_ELEMENTS = 4_096
const BLOCK_ELEMENTS = 256
/** get_state_buffer of the same file: the state of smaller tensors is not paged. */
const MIN_PAGED_ELEMENTS = 100_000

const parameterBytes = (parameter: Tensor) => elements(parameter) * bytesPerElement[parameter.dtype]
const float32Bytes = (parameter: Tensor) => elements(parameter) * bytesPerElement.float32
const eightBitBytes = (parameter: Tensor) =>
  elements(parameter) < MIN_8BIT_ELEMENTS ? float32Bytes(parameter) : elements(parameter) + blockConstants(parameter)
const blockConstants = (parameter: Tensor) => (elements(parameter) * bytesPerElement.float32) / BLOCK_ELEMENTS
const isPaged = (parameter: Tensor) => elements(parameter) >= MIN_PAGED_ELEMENTS

/** As many tensors like the parameter. */
function moments(count: number): Pick<OptimizerRule, 'stateBytes' | 'moments'> {
  return { stateBytes: parameter => count * parameterBytes(parameter), moments: count }
}

/** In place: fused kernels work in registers, SGD's foreach kernels on the parameters and buffers themselves. */
const inPlace = { temporaries: () => [], temporariesLive: 'one by one' } as const

export const optimizerRules: Record<Optimizer, OptimizerRule> = {
  // torch/optim/adamw.py: exp_avg and exp_avg_sq like the parameter. _multi_tensor_adam: torch._foreach_sqrt(exp_avg_sqs).
  adamw: {
    ...moments(2),
    temporaries: parameter => [parameterBytes(parameter)],
    temporariesLive: 'together',
    passes: 18,
    launchesPerTensor: 0.5,
  },
  'adamw-fused': {
    ...inPlace,
    ...moments(2),
    passes: 7,
    launchesPerTensor: 0.5,
  },
  // _single_tensor_adam: exp_avg_sq.sqrt() and its quotient.
  'adamw-loop': {
    ...moments(2),
    temporaries: parameter => [parameterBytes(parameter), parameterBytes(parameter)],
    temporariesLive: 'one by one',
    passes: 18,
    launchesPerTensor: 12,
  },
  sgd: { ...inPlace, stateBytes: () => 0, passes: 3, launchesPerTensor: 0.5 },
  'sgd-momentum': { ...inPlace, ...moments(1), passes: 7, launchesPerTensor: 0.5 },
  // transformers optimization.py Adafactor without momentum: float32 rows and columns of a matrix, or the whole vector; a step
  // holds the squared gradient beside the update, and float32 copies of a 16-bit parameter and its gradient. `update` is the last
  // parameter's until the squared gradient takes its place.
  adafactor: {
    stateBytes: adafactorBytes,
    temporaries: parameter => {
      const copies = parameter.dtype === 'float32' ? 2 : 4
      return Array.from({ length: copies }, () => float32Bytes(parameter))
    },
    temporariesLive: 'one by one',
    leaves: float32Bytes,
    passes: 16,
    launchesPerTensor: 20,
  },
  // torch/optim/rmsprop.py: square_avg like the parameter. _multi_tensor_rmsprop: torch._foreach_sqrt(square_avgs).
  rmsprop: {
    ...moments(1),
    temporaries: parameter => [parameterBytes(parameter)],
    temporariesLive: 'together',
    passes: 10,
    launchesPerTensor: 0.5,
  },
  // lion-pytorch, torchtune: one momentum like the parameter.
  lion: { ...inPlace, ...moments(1), passes: 5, launchesPerTensor: 0.5 },
  // bitsandbytes optim/optimizer.py Optimizer1State: whatever the parameter's type.
  'lion-32bit': { ...inPlace, stateBytes: float32Bytes, passes: 5, launchesPerTensor: 1 },
  // adam_mini/adam_mini.py: moments in float32; a step holds the squared gradient or the update, and its negative.
  'adam-mini': {
    stateBytes: (parameter, name) => (wholeSecondMoment.test(name) ? 2 : 1) * float32Bytes(parameter),
    temporaries: parameter =>
      Array.from({ length: parameter.dtype === 'float32' ? 2 : 3 }, () => float32Bytes(parameter)),
    temporariesLive: 'one by one',
    passes: 10,
    launchesPerTensor: 10,
  },
  'adamw-8bit': { ...inPlace, stateBytes: parameter => 2 * eightBitBytes(parameter), passes: 4, launchesPerTensor: 1 },
  // Constants of blocks are never paged.
  'paged-adamw-8bit': {
    ...inPlace,
    stateBytes: parameter => 2 * (isPaged(parameter) ? blockConstants(parameter) : eightBitBytes(parameter)),
    pagedBytes: parameter => (isPaged(parameter) ? 2 * elements(parameter) : 0),
    passes: 4,
    launchesPerTensor: 1,
  },
  'paged-adamw': {
    ...inPlace,
    stateBytes: parameter => (isPaged(parameter) ? 0 : 2 * float32Bytes(parameter)),
    pagedBytes: parameter => (isPaged(parameter) ? 2 * float32Bytes(parameter) : 0),
    passes: 7,
    launchesPerTensor: 0.5,
  },
}

/**
 * Bytes of the temporaries of one parameter after the other, with what the one before leaves. `vectorsLast`: biases and norms come after
 * all matrices, whatever their place among the parameters.
 */
export function temporariesInTurn(
  { temporaries, leaves }: OptimizerRule,
  parameters: readonly Tensor[],
  vectorsLast: boolean,
): readonly (readonly number[])[] {
  let left = 0
  return parameters.map(parameter => {
    const ownBytes = temporaries(parameter)
    const allBytes = left > 0 ? [left, ...ownBytes] : ownBytes
    const comesLater = vectorsLast && parameter.shape.length < 2
    if (!comesLater) left = leaves?.(parameter) ?? 0
    return allBytes
  })
}

export type StateRule = Pick<OptimizerRule, 'stateBytes' | 'pagedBytes'>

/** bitsandbytes' 8-bit optimizers, for a parameter of which they are told to keep 32. */
const in32Bits: Partial<Record<Optimizer, StateRule>> = {
  'adamw-8bit': { stateBytes: parameter => 2 * float32Bytes(parameter) },
  'paged-adamw-8bit': optimizerRules['paged-adamw'],
}

/** What is kept of a parameter. `embeddings`: the weights of embeddings. */
export function stateRules(spec: TrainingSpec, embeddings: ReadonlySet<Storage>): (parameter: Tensor) => StateRule {
  const rule = optimizerRules[spec.optimizer]
  const ofEmbeddings = keepsEmbeddingsIn32Bits(spec) ? in32Bits[spec.optimizer] : undefined
  return ({ storage }) => (ofEmbeddings !== undefined && embeddings.has(storage) ? ofEmbeddings : rule)
}

/** As the releases that the spec names step. Compiled, AdamW's intermediate results stay in registers, as in its fused form. */
export function steppingRule(spec: TrainingSpec): OptimizerRule {
  const optimizer = defaultOptimizer(spec)
  if (spec.compiled && optimizer === 'adamw') return optimizerRules['adamw-fused']
  const rule = optimizerRules[optimizer]
  return keepsRoots(spec) ? { ...rule, temporaries: bothCopies } : rule
}

function bothCopies(parameter: Tensor): readonly number[] {
  return [parameterBytes(parameter), parameterBytes(parameter)]
}

/** Embeddings and output layers have a second moment per element; other tensors have one per head or row, or a single one. */
const wholeSecondMoment = /embed|embd|wte|lm_head\.weight|output\.weight/

function adafactorBytes(parameter: Tensor): number {
  const [rows, columns] = [parameter.shape.at(-2), parameter.shape.at(-1)]
  if (rows === undefined || columns === undefined) return float32Bytes(parameter)
  return (elements(parameter) / columns + elements(parameter) / rows) * bytesPerElement.float32
}
