/**
 * workers/fsdp_workers.py: a mini-batch counts prompts over all GPUs, a micro-batch the sequences on one, or its
 * tokens; GPUs that share every sequence count as one, but in tokens.
 */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Batch } from '../../trainer/language-model.ts'
import { isOn } from '../../trainer/method.ts'
import { groupsShown, refuse } from './settings.ts'

interface Terms {
  readonly gpus: number
  /** GPUs that share every sequence (Ulysses); one where none do. */
  readonly shared: number
  readonly isPadded: boolean
  /** Tokens of the longest sequence. */
  readonly longest: number
}

interface ActorBatch extends Batch {
  /** Tokens of the row that a micro-batch is, where it is none of so many sequences. */
  readonly row?: number
}

const DEFAULT_MINI_BATCH = 256

export function readActorBatch(reader: FieldReader, document: Section, terms: Terms): ActorBatch {
  const at = (key: string) => written(document.at('actor_rollout_ref', 'actor', key))
  const prompts = reader.wholeNumber(at('ppo_mini_batch_size'), { max: MAX_BATCH }) ?? DEFAULT_MINI_BATCH
  const perPrompt = reader.wholeNumber(document.at('actor_rollout_ref', 'rollout', 'n'), { max: MAX_BATCH }) ?? 1
  const sequences = prompts * perPrompt
  const groups = terms.gpus / terms.shared
  const each = Math.floor(sequences / groups)
  const from = at('ppo_mini_batch_size') ?? "verl's ppo_mini_batch_size"
  const dynamic = at('use_dynamic_bsz')
  if (isOn(reader, dynamic)) return inRows(reader, dynamic, at('ppo_max_token_len_per_gpu'), { ...terms, each, from })
  const [ofAll, perGpu] = [at('ppo_micro_batch_size'), at('ppo_micro_batch_size_per_gpu')]
  const count = reader.wholeNumber(perGpu ?? ofAll, { max: MAX_BATCH }) ?? 1
  const microBatch = reader.note(
    'microBatch',
    perGpu === undefined ? Math.max(1, Math.floor(count / groups)) : count,
    perGpu ?? ofAll ?? 'none is written',
  )
  const batch = { microBatch, batchSize: perGpu, accumulation: undefined }
  if (each >= microBatch && each % microBatch === 0)
    return { ...batch, gradientAccumulation: reader.note('gradientAccumulation', each / microBatch, from) }
  const message = `A mini-batch is ${sequences} sequences, ${each} on ${groupsShown(groups, terms.shared)}, which micro-batches of ${microBatch} do not fill, so that verl does not start`
  const fix = 'Make the sequences of a mini-batch on one GPU a multiple of the micro-batch.'
  reader.refuse(perGpu ?? ofAll, 'batch-sizes-disagree', message, fix)
  return { ...batch, gradientAccumulation: 1 }
}

interface RowTerms extends Terms {
  /** Sequences of a mini-batch on one GPU. */
  readonly each: number
  readonly from: Field | string
}

/** Tokens, of ppo_max_token_len_per_gpu and of what takes its value. */
export const DEFAULT_ROW = 16_384

/** utils/seqlen_balancing.py: as few rows as hold the sequences of a mini-batch, none longer than the limit. */
function inRows(
  reader: FieldReader,
  dynamic: Field,
  limit: Field | undefined,
  { shared, isPadded, longest, each, from }: RowTerms,
): ActorBatch {
  const row = ((limit && reader.wholeNumber(limit, { max: 10_000_000 })) ?? DEFAULT_ROW) * shared
  if (isPadded) refuse(reader, dynamic, 'use_dynamic_bsz with padding')
  if (row < longest) {
    const message = `Rows of ${row} tokens hold no sequence of ${longest}, so that verl does not start`
    reader.refuse(limit ?? dynamic, 'out-of-range', message, 'Raise actor_rollout_ref.actor.ppo_max_token_len_per_gpu.')
  }
  reader.note('microBatch', 1, limit ?? dynamic)
  const gradientAccumulation = reader.note('gradientAccumulation', Math.max(1, Math.ceil((each * longest) / row)), from)
  return { microBatch: 1, gradientAccumulation, batchSize: undefined, accumulation: undefined, row }
}

function written(field: Field | undefined): Field | undefined {
  return field?.value.kind === 'empty' ? undefined : field
}
