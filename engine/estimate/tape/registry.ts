/**
 * How PyTorch runs each op of a program, by name: a function of the tape, which says what is read, saved and created.
 */

import type { Rows } from '../../program/interpreter.ts'
import { composedLayerNorm, xielu } from './kernels/composed-ops.ts'
import {
  addedToOtherStreams,
  correctedStreams,
  either,
  firstStream,
  magnitude,
  meanOfStreams,
  predictedStreams,
  scaledTo,
  sparsified,
  stackedStreams,
} from './kernels/gemma3n.ts'
import { channelDecay, gatedDeltaRule, kimiDelta } from './kernels/linear-attention.ts'
import { pixelAttention } from './kernels/pixel-attention.ts'
import { fusedConvolution, selectiveScan } from './kernels/selective-scan.ts'
import { clamp, gelu, geluNew, relu, scale, sigmoid, silu, softcap, square, tanh, tanhGate } from './ops/activations.ts'
import { input, pixels, shiftedLabels } from './ops/batch.ts'
import { float32 } from './ops/casts.ts'
import { dropout, dropPath } from './ops/dropout.ts'
import { everyExpert, experts, routed } from './ops/experts.ts'
import { block, frame, handOn, layers, local, residual, withInputGradients } from './ops/frames.ts'
import {
  batchNorm,
  channelsFirst,
  channelsLast,
  conv2d,
  detached,
  flattenPixels,
  globalAveragePool,
  joinPixels,
  maxPool,
  upsampleNearest,
} from './ops/images.ts'
import { constantEmbedding, embedding, linear } from './ops/linears.ts'
import {
  attention,
  cached,
  causalConvolution,
  chooseKeys,
  mamba2,
  relativePositionBias,
  rotary,
  rotaryTable,
  zeroPositionBias,
} from './ops/mixers.ts'
import { gatedInFloat32, gatedNorm, layerNorm, layerScale, rmsNorm } from './ops/norms.ts'
import {
  addedAmongWords,
  amongWords,
  patchEmbedding,
  patches,
  patchPositions,
  resampledPositions,
} from './ops/patches.ts'
import { add, concatenate, multiply } from './ops/primitives.ts'
import {
  gathered,
  headsJoined,
  inRows,
  joined,
  leaving,
  mask,
  padded,
  repeatHeads,
  slices,
  split,
} from './ops/shapes.ts'
import { addPositions, firstToken, lastToken, meanOfTokens, prependTokens } from './ops/tokens.ts'
import { constant, idle, positionIds } from './ops/weights.ts'
import type { Tensor } from './storage.ts'
import type { Tape } from './tape.ts'

export const rows: Rows<Tape, Tensor> = {
  gathered,
  composedLayerNorm,
  xielu,
  stackedStreams,
  firstStream,
  meanOfStreams,
  magnitude,
  scaledTo,
  predictedStreams,
  correctedStreams,
  addedToOtherStreams,
  sparsified,
  either,
  gatedDeltaRule,
  channelDecay,
  kimiDelta,
  pixelAttention,
  fusedConvolution,
  selectiveScan,
  gelu,
  geluNew,
  tanh,
  relu,
  silu,
  square,
  sigmoid,
  clamp,
  scale,
  tanhGate,
  softcap,
  input,
  pixels,
  patches,
  patchEmbedding,
  patchPositions,
  amongWords,
  addedAmongWords,
  resampledPositions,
  shiftedLabels,
  float32,
  dropout,
  dropPath,
  routed,
  experts,
  everyExpert,
  residual,
  withInputGradients,
  handOn,
  local,
  frame,
  block,
  layers,
  conv2d,
  batchNorm,
  maxPool,
  upsampleNearest,
  detached,
  joinPixels,
  globalAveragePool,
  channelsLast,
  channelsFirst,
  flattenPixels,
  embedding,
  constantEmbedding,
  linear,
  rotaryTable,
  rotary,
  cached,
  attention,
  causalConvolution,
  mamba2,
  chooseKeys,
  relativePositionBias,
  zeroPositionBias,
  layerNorm,
  rmsNorm,
  layerScale,
  gatedNorm,
  gatedInFloat32,
  add,
  multiply,
  concatenate,
  mask,
  padded,
  joined,
  split,
  slices,
  leaving,
  inRows,
  repeatHeads,
  headsJoined,
  firstToken,
  meanOfTokens,
  lastToken,
  prependTokens,
  addPositions,
  idle,
  positionIds,
  constant,
}
