/**
 * Memory of generating text in an evaluation (transformers 5.18 generation/utils.py), beside the weights: keys and values
 * of every layer, once a beam, beside what one token takes.
 */
import { familyOf, type ModelConfig } from '../models/architecture.ts'
import type { EncoderDecoder } from '../models/family.ts'
import { computesInFloat32 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { generationOf } from './evaluation.ts'
import type { Device } from './footprint.ts'
import { bytesPerElement } from './tape/storage.ts'

/** Copies of one token's scores over the vocabulary in float32, while the next token is chosen. */
const SCORES = 4

/** Tokens after the prompt where no length is asked for: generation/configuration_utils.py. */
const DEFAULT_NEW_TOKENS = 20

/** Of a batch; undefined for models of which nobody has looked at it. */
export function generationBytes(
  spec: TrainingSpec,
  config: ModelConfig,
  device: Device,
  batch: number,
): number | undefined {
  const generates = spec.evaluation?.generates
  if (generates === undefined) return undefined
  const encoderDecoder = familyOf(config).generation?.(config)
  if (encoderDecoder !== undefined) return withEncoder(spec, encoderDecoder, generates, batch)
  if (spec.task !== 'causal-lm') return undefined
  const { sequenceLength: prompt = 1 } = spec
  const tokens = Math.max(prompt + 1, generates.maxLength ?? prompt + DEFAULT_NEW_TOKENS)
  return generationOf(spec, config, device, { prompt, tokens, perSample: generates.beams }).bytesAt(batch)
}

type Generates = NonNullable<NonNullable<TrainingSpec['evaluation']>['generates']>

/** The encoder's own pass is one of the evaluation's. */
function withEncoder(
  spec: TrainingSpec,
  { decoderLayers, width, hidden, vocabulary, inputBytes = 0, ...model }: EncoderDecoder,
  { beams, maxLength }: Generates,
  batch: number,
): number {
  const { sequenceLength: inputs = 0, targetLength: targets = inputs } = spec
  const { encoderTokens = inputs, maxTokens = targets } = model
  const generated = maxLength ?? maxTokens
  const rows = batch * beams
  const bytes = bytesPerElement[computesInFloat32(spec) ? 'float32' : 'bfloat16']
  const caches = 2 * decoderLayers * rows * (generated + encoderTokens) * width * bytes
  const encoded = rows * encoderTokens * hidden * bytes
  // cache_utils.py reorder_cache, of one layer's keys at a time; without beams only the decoder's own grow.
  const copied = rows * (beams > 1 ? encoderTokens : generated) * width * bytes
  return caches + encoded + copied + batch * inputBytes + SCORES * rows * vocabulary * bytesPerElement.float32
}
