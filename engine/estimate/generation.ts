/**
 * Memory of generating text in an evaluation, as T5 does it (transformers 5.18 generation/utils.py): the
 * encoder's output and the keys and values of every layer, once a beam, beside what one token takes.
 */
import { computesInFloat32, type TrainingSpec } from '../config/spec.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { bytesPerElement } from './tape/storage.ts'

/** Copies of one token's scores over the vocabulary in float32, while the next token is chosen. */
const SCORES = 4

/** Of a batch, without the weights; undefined for models of which nobody has looked at it. */
export function generationBytes(spec: TrainingSpec, config: ModelConfig, batch: number): number | undefined {
  const { evaluation, sequenceLength: tokens = 0, targetLength = tokens } = spec
  if (evaluation?.generates === undefined || config.model_type !== 't5') return undefined
  const { beams, maxLength = targetLength } = evaluation.generates
  const layers = config.num_decoder_layers ?? config.num_layers
  const width = config.d_kv * config.num_heads
  const bytes = bytesPerElement[computesInFloat32(spec) ? 'float32' : 'bfloat16']
  const rows = batch * beams
  const caches = 2 * layers * rows * (maxLength + tokens) * width * bytes
  const encoded = rows * tokens * config.d_model * bytes
  // cache_utils.py reorder_cache, of one layer's keys at a time; without beams only the decoder's own grow.
  const copied = rows * (beams > 1 ? tokens : maxLength) * width * bytes
  return caches + encoded + copied + SCORES * rows * config.vocab_size * bytesPerElement.float32
}
