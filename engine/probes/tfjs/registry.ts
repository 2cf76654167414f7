/**
 * The ops that really run in TensorFlow.js, by name; what is not here is not runnable there. Where TensorFlow.js has no
 * layer of the kind, the composition is tfjs-layers' or the one that its documentation suggests: what a training script
 * in TensorFlow.js would hold in memory, this holds.
 *
 * Every row runs in a `tidy`: what its gradient does not need is freed when it returns.
 */
import type * as tf from '@tensorflow/tfjs-core'
import type { Rows } from '../../program/interpreter.ts'
import { block, frame, input, layers, local, positionIds, withInputGradients } from './rows/frames.ts'
import {
  addPositions,
  batchNorm,
  channelsFirst,
  channelsLast,
  conv2d,
  firstToken,
  flattenPixels,
  globalAveragePool,
  lastToken,
  maxPool,
  prependTokens,
} from './rows/images.ts'
import { constantEmbedding, embedding, linear } from './rows/linears.ts'
import { attention, cached, rotary, rotaryTable } from './rows/mixers.ts'
import {
  add,
  clamp,
  dropout,
  dropPath,
  float32,
  gathered,
  gelu,
  geluNew,
  layerNorm,
  layerScale,
  multiply,
  relu,
  repeatHeads,
  residual,
  rmsNorm,
  scale,
  sigmoid,
  silu,
  slices,
  softcap,
  split,
  square,
  tanh,
} from './rows/pointwise.ts'
import type { TfjsRun } from './run.ts'

export const rows = {
  input,
  positionIds,
  local,
  frame,
  block,
  layers,
  firstToken,
  lastToken,
  conv2d,
  batchNorm,
  maxPool,
  globalAveragePool,
  channelsLast,
  channelsFirst,
  flattenPixels,
  prependTokens,
  addPositions,
  embedding,
  constantEmbedding,
  linear,
  rotaryTable,
  rotary,
  cached,
  attention,
  layerNorm,
  rmsNorm,
  add,
  residual,
  gelu,
  geluNew,
  tanh,
  relu,
  silu,
  square,
  sigmoid,
  clamp,
  multiply,
  scale,
  float32,
  softcap,
  dropout,
  dropPath,
  layerScale,
  split,
  slices,
  gathered,
  repeatHeads,
  withInputGradients,
} satisfies Partial<Rows<TfjsRun, tf.Tensor>>
