/** Embeddings and linear layers: dense, with adapters, or fused with the loss. */

import { lastNameOf } from '../../../models/linears.ts'
import type { LinearOptions, LinearPart } from '../../../program/ops/linears.ts'
import { isOfNemoRl } from '../../../training/choices.ts'
import { isUnquantized } from '../../../training/unquantized.ts'
import { made } from '../autograd.ts'
import { type Adapters, adapterWeight, turnedInput, withLowRank, withMagnitude } from '../kernels/adapters.ts'
import { checkpointedLoss } from '../kernels/checkpointed-loss.ts'
import { chunkedLoss } from '../kernels/chunked-loss.ts'
import { fakeQuantized, fourBitProduct } from '../kernels/fake-quantization.ts'
import { withPartsAdapted } from '../kernels/joined-adapters.ts'
import { lossOfChunks, lossOfWhole } from '../kernels/litgpt-loss.ts'
import { matrixProduct } from '../kernels/matrix-product.ts'
import { streamedLoss } from '../kernels/streamed-loss.ts'
import { bytesPerElement, elements, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'
import { cast, lowered } from './casts.ts'
import { frame, local } from './frames.ts'
import { layerNorm } from './norms.ts'
import { add } from './primitives.ts'
import { quantizedLinear } from './quantized-linears.ts'
import { allTokens, exchanged, ownTokens } from './token-parallel.ts'
import { isPolicy, isSavedWhole, isTrained, savedWhole, weightNamed } from './weights.ts'

export function embedding(tape: Tape, name: string, ids: Tensor, count: number, features: number): Tensor {
  // torch: derivatives.yaml `embedding`: saves the indices; embedding_dense_backward writes a gradient of the whole table.
  const { gpus = 1, dividesTokens = false } = tape.spec.tensorParallel ?? {}
  const shape = [dividesTokens ? count / gpus : count, features]
  const table = savedWhole(tape, name, shape) ?? weightNamed(tape, `${name}.weight`, shape)
  tape.embeddings.add(table.storage)
  const output = tape.tensor([...ids.shape, features], table.dtype, [table], ids)
  tape.record(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table)], kernel: 'look-up' })
  return ids === tape.batchInput ? ownTokens(tape, amongWords(tape, output)) : output
}

/**
 * bitsandbytes nn/modules.py StableEmbedding, as litgpt/finetune/lora.py puts it in after it has made the optimizer: no `zero_grad`
 * reaches the gradients.
 */
export function normedEmbedding(tape: Tape, name: string, ids: Tensor, count: number, features: number): Tensor {
  const words = embedding(tape, name, ids, count, features)
  const gradients = (part: string, size: number) =>
    tape.buffer(`${name}.${part}.grad`, size * bytesPerElement[words.dtype], tape.wholeBuffers)
  gradients('weight', count * features)
  gradients('norm', 2 * features)
  return layerNorm(tape, `${name}.norm`, { ...words, requiresGrad: tape.pass === undefined })
}

/**
 * transformers: `masked_scatter` of the towers' outputs into the embeddings, through which their weights' gradients
 * flow.
 */
function amongWords(tape: Tape, words: Tensor): Tensor {
  const towers = tape.towers
  if (towers.length === 0) return words
  tape.towers = []
  const output = tape.tensor(words.shape, words.dtype, [words, ...towers])
  tape.record('masked_scatter', { reads: [words], outputs: [output], gradients: [words, ...towers].map(made) })
  return output
}

export function constantEmbedding(tape: Tape, name: string, count: number, features: number, rows: number): Tensor {
  const ids = tape.tensor([rows], 'int64', [], { batched: false })
  tape.record(name, { reads: [], outputs: [ids] })
  return embedding(tape, name, ids, count, features)
}

export function linear(
  tape: Tape,
  name: string,
  states: Tensor,
  features: number,
  options: LinearOptions = {},
): Tensor {
  // transformers' _tp_plan: the output layer's rows are divided among GPUs, and its results are gathered.
  const isDivided = isOutputLayer(tape, name) && options.tiedTo === undefined
  const outFeatures = features / (isDivided ? (tape.spec.tensorParallel?.gpus ?? 1) : 1)
  const isSum = /(?:o_proj|down_proj|\.wo|\.w2)$/.test(name)
  const output = linearPart(tape, name, isSum ? states : allTokens(tape, states), outFeatures, options)
  if (isSum) return ownTokens(tape, output)
  const { fusedLoss, checkpointedLoss, tensorParallel } = tape.spec
  return outFeatures === features || fusedLoss || checkpointedLoss || tensorParallel?.dividesLoss
    ? output
    : exchanged(tape, 'all_gather', output, [...output.shape.slice(0, -1), features])
}

function linearPart(tape: Tape, name: string, states: Tensor, outFeatures: number, options: LinearOptions): Tensor {
  const isOutput = isOutputLayer(tape, name)
  const x = isOutput ? asked(tape, states) : states
  if (isOutput) {
    tape.outputLayerInput = x
    const { chunkedLoss: chunks, checkpointedLoss: isCheckpointed, fusedLoss: isFused, method } = tape.spec
    const weight = () => linearWeight(tape, name, [outFeatures, lastSize(x)], options)
    const isOwnLoss = tape.takesOwnLoss
    if (isFused) idleAdapters(tape, name, outFeatures, lastSize(x))
    if (chunks !== undefined && tape.pass === undefined) return chunkedLoss(tape, name, x, weight(), chunks)
    if (isCheckpointed && isOwnLoss) return checkpointedLoss(tape, name, x, weight(), options)
    if (isFused && method?.kind !== 'online') return fusedLoss(tape, name, x, weight())
    if (isFused && isOwnLoss) return streamedLoss(tape, name, x, weight())
    if (tape.spec.modelCode === 'litgpt' && isOwnLoss) return litgptLoss(tape, name, x, outFeatures, options)
  }
  return maybeAdapted(tape, name, x, outFeatures, options)
}

/** A fused loss takes the layer's own weights, so that its adapters are there and get no gradient. */
function idleAdapters(tape: Tape, name: string, outFeatures: number, features: number): void {
  const { lora } = tape.spec
  if (lora === undefined || !isAdapted(tape, name)) return
  adapterWeight(tape, `${name}.lora_A.weight`, [lora.rank, features])
  adapterWeight(tape, `${name}.lora_B.weight`, [outFeatures, lora.rank])
}

function maybeAdapted(tape: Tape, name: string, given: Tensor, outFeatures: number, options: LinearOptions): Tensor {
  const { lora } = tape.spec
  const isCast = options.castsInput === true && !isQuantized(tape, name, options)
  const x = isCast ? local(tape, cast(tape, given, tape.weightDtype)) : given
  if (lora === undefined) return ownLinear(tape, name, x, outFeatures, options)
  const { parts } = options
  if (parts !== undefined && hasAdaptedPart(tape, parts, lora)) {
    const base = ownLinear(tape, name, x, outFeatures, options)
    return frame(tape, x, input => withPartsAdapted(tape, name, input, base, parts, lora))
  }
  return isAdapted(tape, name)
    ? adapted(tape, name, x, outFeatures, options, lora)
    : ownLinear(tape, name, x, outFeatures, options)
}

function hasAdaptedPart(tape: Tape, parts: readonly LinearPart[], { targets }: Adapters): boolean {
  for (const { name } of parts) tape.linearNames.add(name)
  return parts.some(({ name }) => targets.includes(name))
}

function litgptLoss(tape: Tape, name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
  const outputLayer = (states: Tensor) => maybeAdapted(tape, name, states, outFeatures, options)
  return tape.spec.lora === undefined ? lossOfWhole(tape, outputLayer(x)) : lossOfChunks(tape, x, outputLayer)
}

function ownLinear(tape: Tape, name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
  return isQuantized(tape, name, options)
    ? quantizedLinear(tape, name, x, outFeatures, options)
    : denseLinear(tape, name, x, outFeatures, options)
}

/** The copy that trains beside adapters, where peft keeps one. */
function linearWeight(tape: Tape, name: string, shape: readonly number[], { tiedTo }: LinearOptions): Tensor {
  const original = tiedTo ?? `${name}.weight`
  return savedWhole(tape, name, shape, original) ?? weightNamed(tape, original, shape)
}

function denseLinear(tape: Tape, name: string, x: Tensor, outFeatures: number, options: LinearOptions): Tensor {
  // torch: autocast_mode.cpp cached_cast: the cast of `weight.T`, a view, is not cached.
  const cache = !options.composed
  const parameter = linearWeight(tape, name, [outFeatures, lastSize(x)], options)
  const biasName = `${name}.bias`
  const bias =
    options.bias === false
      ? []
      : [savedWhole(tape, name, [outFeatures], biasName, 'bias') ?? weightNamed(tape, biasName, [outFeatures])]
  const groupSize = roundingGroup(tape, name, x, options)
  const format = tape.spec.fakeQuantization?.format
  if (groupSize !== undefined && format !== undefined) return fourBitProduct(tape, name, x, parameter, groupSize)
  const weight =
    groupSize === undefined ? lowered(tape, parameter, { cache }) : fakeQuantized(tape, parameter, groupSize)
  const fused = options.composed ? [] : bias.map(part => lowered(tape, part))
  const factor = groupSize === undefined ? lowered(tape, x) : fakeQuantized(tape, x, lastSize(x))
  const output = tape.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight, ...fused], x)
  tape.record(name, matrixProduct(factor, weight, fused, output, lastSize(x)))
  return options.composed ? bias.reduce((sum, part) => add(tape, sum, part), output) : output
}

/**
 * torchao's quantizers skip tied output layers and widths that are not a multiple of the group; torchtune's LoRA recipe
 * skips layers without adapters.
 */
function roundingGroup(tape: Tape, name: string, x: Tensor, { tiedTo }: LinearOptions): number | undefined {
  const { fakeQuantization, lora } = tape.spec
  if (fakeQuantization === undefined || tiedTo !== undefined) return undefined
  const isMeant = lora === undefined || isAdapted(tape, name)
  return isMeant && lastSize(x) % fakeQuantization.groupSize === 0 ? fakeQuantization.groupSize : undefined
}

/**
 * Liger's ops/fused_linear_cross_entropy.py: computes the gradients of its input and of the weight while it goes
 * through the logits in chunks of about the input's size, and keeps those gradients instead.
 */
function fusedLoss(tape: Tape, name: string, x: Tensor, weight: Tensor): Tensor {
  const factor = lowered(tape, x)
  const isTraining = weight.requiresGrad && tape.pass === undefined
  const loss = tape.tensor([], 'float32', [x, weight], { batched: false })
  tape.record(name, {
    reads: [factor, weight],
    outputs: [loss],
    saved: [tape.like(factor, 'logits'), ...(isTraining ? [tape.like(weight, 'logits')] : [])],
    scratch: [tape.like(factor, 'logits'), tape.storage(elements(factor), 'float32', true, 'logits')],
    gradients: [factor, weight].map(made),
    flopsPerSample: (2 * elements(x) * elements(weight)) / lastSize(x),
    computeDtype: factor.dtype,
  })
  return loss
}

/** transformers `logits_to_keep`: a view of the last positions. */
function asked(tape: Tape, states: Tensor): Tensor {
  const { method, loop } = tape.spec
  const asksForAnswers = method?.kind === 'online' && loop !== 'verl' && !isOfNemoRl(loop)
  const positions = tape.pass?.sequences?.logitsOf ?? (asksForAnswers ? method.completionLength + 1 : undefined)
  const [tokens = 0] = states.shape
  if (positions === undefined || positions >= tokens) return states
  const output = { ...states, shape: [positions, lastSize(states)], edge: tape.newEdge() }
  tape.record('slice', { reads: [states], outputs: [output], gradients: [made(states)] })
  return output
}

function isOutputLayer(tape: Tape, name: string): boolean {
  return tape.spec.task === 'causal-lm' && (name === 'lm_head' || name === 'embed_out')
}

/** bitsandbytes skips the output layer; torchtune's builders skip the attention of a part without adapters. */
function isQuantized(tape: Tape, name: string, options: LinearOptions = {}): boolean {
  const { isQuantizable = !isOutputLayer(tape, name) } = options
  if (tape.spec.lora?.inWeightsType && name.includes('_attn.') && !isTrained(tape, name)) return false
  const { quantization, unquantized } = tape.spec
  if (quantization === undefined || !isQuantizable || /^(?:score|classifier)(?:\.|$)/.test(name)) return false
  return unquantized === undefined || !isUnquantized(unquantized, name)
}

/** By its last name, which on a mixture means the experts' matrices alone, or by the end of its path. */
export function isAdapted(tape: Tape, name: string): boolean {
  const module = lastNameOf(name)
  tape.linearNames.add(module)
  if (isSavedWhole(tape, name)) return false
  const { up = [], down, router } = tape.expertNames ?? {}
  const isOfExperts = [...up, down, router].includes(module)
  const targets = tape.spec.lora?.targets ?? []
  const byPath = targets.filter(target => target.includes('.') && name.endsWith(`.${target}`))
  for (const target of byPath) tape.linearNames.add(target)
  const isNamed = byPath.length > 0 || (!isOfExperts && targets.includes(module))
  return isNamed && isPolicy(tape) && isTrained(tape, name)
}

function adapted(
  tape: Tape,
  name: string,
  x: Tensor,
  outFeatures: number,
  options: LinearOptions,
  adapters: Adapters,
): Tensor {
  if (adapters.form === 'oft') {
    const turned = (input: Tensor) => turnedInput(tape, name, input, adapters)
    return frame(tape, x, input => cast(tape, ownLinear(tape, name, turned(input), outFeatures, options), x.dtype))
  }
  const base = ownLinear(tape, name, x, outFeatures, options)
  const isQuantised = isQuantized(tape, name, options)
  if (adapters.form === undefined) {
    return frame(tape, x, input => withLowRank(tape, name, input, { base, isQuantised }, adapters))
  }
  const weight = isQuantised ? undefined : weightNamed(tape, `${name}.weight`, [outFeatures, lastSize(x)])
  const bias = options.bias === false ? undefined : weightNamed(tape, `${name}.bias`, [outFeatures])
  return frame(tape, x, input => withMagnitude(tape, name, input, { base, weight, bias, isQuantised }, adapters))
}
