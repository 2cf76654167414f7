/** What runs on the GPUs of verl's actor before its update: vLLM, and passes that score the responses. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Batch } from '../../trainer/language-model.ts'
import { isOn } from '../../trainer/method.ts'
import { notModelled } from '../unmodelled-tools.ts'
import { DEFAULT_ROW } from './actor-batch.ts'
import { readCritic } from './critic.ts'
import { refuse, refuseSwitches, sectionAt } from './settings.ts'

type Online = Extract<TrainingMethod, { kind: 'online' }>

/** A model of its own on the same GPUs. */
export function refuseRewardModel(reader: FieldReader, document: Section): void {
  const judge = document.at('reward_model', 'enable')
  if (isOn(reader, judge)) reader.refuse(judge, ...notModelled("verl's reward model runs on the same GPUs"))
}

interface Terms {
  readonly gpus: number
  /** GPUs that share every sequence (Ulysses); one where none do. */
  readonly shared: number
  readonly batch: Batch
  readonly isPadded: boolean
  /** Tokens of the longest sequence, of its response, and of the rows that micro-batches are, where they are. */
  readonly longest: number
  readonly answer: number
  readonly row: number | undefined
  readonly checkpoints: boolean
}

export function readMethod(reader: FieldReader, document: Section, terms: Terms): Online {
  const { batch, longest, answer, isPadded, row, shared } = terms
  const [loss, reward] = [
    document.at('actor_rollout_ref', 'actor', 'use_kl_loss'),
    document.at('algorithm', 'use_kl_in_reward'),
  ]
  const hasReference = isOn(reader, loss) || isOn(reader, reward)
  // The reference's pass computes no entropies, which outweigh the rest of a padded one.
  const passes = hasReference && !isPadded ? (['rollout', 'ref'] as const) : (['rollout'] as const)
  const scored = Math.max(...passes.map(part => tokensScored(reader, document, part, terms)))
  if (hasReference)
    reader.assume("The reference's weights wait on the host, as verl has it, and come one block at a time.")
  reader.assume(
    'Throughput is that of the update; the time that generation and scoring take is not modelled. Reward functions are assumed to use no GPU memory.',
  )
  const sequencesScored = Math.ceil((scored * shared) / (row ?? longest))
  const critic = readCritic(reader, document, { ...terms, microBatch: batch.microBatch, scored: sequencesScored })
  const method = {
    kind: 'online',
    reference: 'none',
    completionLength: answer,
    // Of rows there is one to a micro-batch.
    completions: row === undefined ? batch.microBatch * batch.gradientAccumulation : 1,
    scored: sequencesScored,
    ...readEntropies(reader, document),
    ...readCompilation(reader, document),
    ...critic,
    generation: readGeneration(reader, document),
    tempersInPlace: true,
    comparesFeatures: false,
  } as const
  return reader.note('method', method, document.at('algorithm', 'adv_estimator') ?? "verl's default")
}

/**
 * workers/actor/dp_actor.py: part of the loss where they have a coefficient, else only logged. A whole file of releases before 0.4 has
 * a coefficient, and then the loss has them whatever a command sets it to (other-files/verl-defaults.ts).
 */
function readEntropies(reader: FieldReader, document: Section): Pick<Online, 'entropies'> {
  const at = (key: string) => document.at('actor_rollout_ref', 'actor', key)
  const [coefficient, checkpoints] = [at('entropy_coeff'), at('entropy_checkpointing')]
  const isTrained = isNonZero(reader, coefficient)
  if (!isTrained && !isOn(reader, at('calculate_entropy'))) return {}
  refuseSwitches(reader, [checkpoints, at('entropy_from_logits_with_chunking')])
  if (!isTrained) return { entropies: 'logged' }
  const isOfOldFile = coefficient?.file !== undefined && checkpoints === undefined
  return { entropies: isOfOldFile ? 'always' : 'trained' }
}

/** workers/actor/dp_actor.py: of rows without padding, torch.compile makes one kernel of the entropies unless it is turned off. */
function readCompilation(reader: FieldReader, document: Section): Pick<Online, 'eagerEntropies'> {
  const actor = sectionAt(document, 'actor_rollout_ref', 'actor')
  const fields = [actor?.at('use_torch_compile'), actor?.at('fsdp_config', 'use_torch_compile')]
  const isOff = fields.some(field => field !== undefined && reader.flag(field) === false)
  return isOff ? { eagerEntropies: true } : {}
}

function isNonZero(reader: FieldReader, field: Field | undefined): boolean {
  if (field === undefined || field.value.kind === 'empty') return false
  const number = field.value.kind === 'number' ? field.value.number : reader.share(field)
  return number !== undefined && number !== 0
}

/** On one GPU, in a pass that scores. The reference may share sequences among other numbers of GPUs. */
function tokensScored(reader: FieldReader, document: Section, part: 'rollout' | 'ref', terms: Terms): number {
  const { batch, longest, row } = terms
  const at = (key: string) => document.at('actor_rollout_ref', part, key)
  const count = (field: Field | undefined) =>
    field?.value.kind === 'empty' ? undefined : reader.wholeNumber(field, { max: 10_000_000 })
  const own = part === 'ref' ? count(at('ulysses_sequence_parallel_size')) : undefined
  const shared = own ?? terms.shared
  const dynamic = at('log_prob_use_dynamic_bsz')
  if (dynamic === undefined ? row !== undefined : isOn(reader, dynamic)) {
    const limit = count(at('log_prob_max_token_len_per_gpu')) ?? (row === undefined ? DEFAULT_ROW : row / terms.shared)
    return Math.max(longest / shared, limit)
  }
  const ofAll = count(at('log_prob_micro_batch_size'))
  const groups = Math.max(1, terms.gpus / shared)
  const each = count(at('log_prob_micro_batch_size_per_gpu')) ?? (ofAll && Math.max(1, Math.floor(ofAll / groups)))
  return (Math.min(each ?? batch.microBatch, MAX_BATCH) * longest) / shared
}

const DEFAULT_SHARE = 0.5

/** workers/rollout/vllm_rollout: in a share of each GPU, asleep while the actor trains unless its cache is to stay. */
function readGeneration(reader: FieldReader, document: Section): Online['generation'] {
  const at = (key: string) => document.at('actor_rollout_ref', 'rollout', key)
  const name = at('name')
  const engine = name && reader.text(name)
  if (engine === 'sglang') tellOfSglang(reader, name)
  else if (name !== undefined && engine !== 'vllm') refuse(reader, name, `Generation by ${quote(name.source)}`)
  const share = reader.share(at('gpu_memory_utilization')) ?? DEFAULT_SHARE
  const frees = at('free_cache_engine')
  const sleeps = frees === undefined || reader.flag(frees) !== false
  const moved = movedOut(reader, document)
  const [who, part] = [engine === 'sglang' ? 'SGLang' : 'vLLM', `${Math.round(share * 100)} % of every GPU`]
  reader.assume(
    sleeps
      ? `${who} generates in ${part}, and releases that memory while the actor trains.`
      : `${who} always holds ${part}.`,
  )
  return { kind: 'vllm', share, sleeps, ...(moved.length > 0 && { movedOut: moved }) }
}

/** workers/rollout/sglang_rollout: the share is of weights and cache alone. */
function tellOfSglang(reader: FieldReader, name: Field | undefined): void {
  if (name !== undefined) reader.uncounted.push(name)
  reader.assume(
    "SGLang's share (mem_fraction_static) is counted as vLLM's: what its graphs and activations take beside it is not.",
  )
}

/** On the host while vLLM generates, and back for the update. */
function movedOut(reader: FieldReader, document: Section): ('weights' | 'optimizerState')[] {
  const isMoved = (key: string) => isOn(reader, document.at('actor_rollout_ref', 'actor', 'fsdp_config', key))
  return [
    ...(isMoved('param_offload') ? (['weights'] as const) : []),
    ...(isMoved('optimizer_offload') ? (['optimizerState'] as const) : []),
  ]
}
