/**
 * PPO's critic, workers/critic/dp_critic.py: a model with one number a token in place of the logits, which is updated before the actor
 * on the same GPUs. Where it is the actor's model, and trains no more tokens at a time, no longer kept, its update takes less than the
 * actor's, and only what it holds meanwhile is counted; all else is refused.
 */
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import { notModelled } from '../unmodelled-tools.ts'
import { readOptimizer, refuse, refuseFsdpSettings, refuseSwitches, refuseWritten, sectionAt } from './settings.ts'

type Online = Extract<TrainingMethod, { kind: 'online' }>

interface ActorTerms {
  readonly gpus: number
  /** GPUs that share every sequence (Ulysses); one where none do. */
  readonly shared: number
  readonly microBatch: number
  /** Tokens of the rows that micro-batches are, where they are. */
  readonly row: number | undefined
  /** Sequences in a pass that scores. */
  readonly scored: number
  readonly checkpoints: boolean
}

function hasCritic(reader: FieldReader, document: Section): boolean {
  const enabled = document.at('critic', 'enable')
  return enabled === undefined || enabled.value.kind === 'empty'
    ? (reader.text(document.at('algorithm', 'adv_estimator')) ?? 'gae') === 'gae'
    : isOn(reader, enabled)
}

/** `critic.ppo_max_token_len_per_gpu` where none is written. */
const DEFAULT_CRITIC_ROW = 32_768

export function readCritic(reader: FieldReader, document: Section, terms: ActorTerms): Pick<Online, 'criticHolds'> {
  if (!hasCritic(reader, document)) return {}
  refuseOtherModel(reader, document)
  refuseOtherSettings(reader, document, terms.shared)
  refuseLargerBatches(reader, document, terms)
  readOptimizer(reader, sectionAt(document, 'critic', 'optim'))
  const checkpoints = criticAt(document, 'model', 'enable_gradient_checkpointing')
  if (terms.checkpoints && checkpoints !== undefined && reader.flag(checkpoints) === false)
    refuse(reader, checkpoints, 'A critic without gradient checkpointing beside an actor with it')
  reader.assumeMore(
    "The critic is taken to share the actor's GPUs, as in verl's main_ppo, and to be updated before it in a step that takes less; what it holds meanwhile is counted. The time of that step is not.",
  )
  return { criticHolds: heldMeanwhile(reader, document) }
}

/** Another model than the actor's. */
function refuseOtherModel(reader: FieldReader, document: Section): void {
  const [path, own] = [
    written(document.at('critic', 'model', 'path')),
    document.at('actor_rollout_ref', 'model', 'path'),
  ]
  if (path === undefined) {
    const subject = "A critic that is verl's default model (critic.model.path) beside the actor"
    reader.refuse(document.at('algorithm', 'adv_estimator') ?? own, ...notModelled(subject))
  } else if (path.source !== own?.source)
    reader.refuse(path, ...notModelled(`A critic that is another model than the actor, ${quote(path.source)}`))
}

/** What has to be the same for both, and what verl takes for each where none is written. */
const sameForBoth: readonly (readonly [
  critic: readonly [string, ...string[]],
  actor: readonly [string, ...string[]],
  byDefault: string,
])[] = [
  [['strategy'], ['strategy'], 'fsdp'],
  [['model', 'fsdp_config', 'fsdp_size'], ['fsdp_config', 'fsdp_size'], '-1'],
  [['model', 'fsdp_config', 'model_dtype'], ['fsdp_config', 'model_dtype'], 'fp32'],
]

/** Divided among the GPUs in another way than the actor is, or with adapters. */
function refuseOtherSettings(reader: FieldReader, document: Section, groupSize: number): void {
  for (const [critic, actor, byDefault] of sameForBoth) {
    const own = written(document.at('critic', ...critic))
    const of = written(document.at('actor_rollout_ref', 'actor', ...actor))
    if ((own?.source ?? byDefault) === (of?.source ?? byDefault)) continue
    const what = `critic.${critic.join('.')} is not as the actor's`
    reader.refuse(own ?? of, ...notModelled(`PPO in verl whose ${what}`))
  }
  const ulysses = criticAt(document, 'ulysses_sequence_parallel_size')
  if (((ulysses && reader.wholeNumber(ulysses, { max: 1_000 })) ?? 1) !== groupSize) {
    const field = ulysses ?? document.at('algorithm', 'adv_estimator')
    reader.refuse(
      field,
      ...notModelled("PPO in verl whose critic.ulysses_sequence_parallel_size is not as the actor's"),
    )
  }
  refuseFsdpSettings(reader, sectionAt(document, 'critic', 'model', 'fsdp_config'))
  const model = sectionAt(document, 'critic', 'model')
  const actorOffloads = document.at('actor_rollout_ref', 'model', 'enable_activation_offload')
  if (isOn(reader, actorOffloads))
    reader.refuse(actorOffloads, ...notModelled("PPO's critic in verl beside activations on the host"))
  refuseSwitches(reader, [model?.at('enable_activation_offload'), model?.at('tiled_mlp', 'enabled')])
  refuseWritten(reader, [model?.at('lora_adapter_path')])
  for (const rank of [model?.at('lora_rank'), document.at('actor_rollout_ref', 'model', 'lora_rank')])
    if (rank !== undefined && (reader.wholeNumber(rank, { min: 0, max: 10_000 }) ?? 1) > 0)
      reader.refuse(rank, ...notModelled("PPO's critic in verl beside adapters"))
}

/** More at a time than the actor trains, or than is scored without gradients. */
function refuseLargerBatches(reader: FieldReader, document: Section, terms: ActorTerms): void {
  const dynamic = criticAt(document, 'use_dynamic_bsz')
  const isDynamic = dynamic === undefined ? terms.row !== undefined : isOn(reader, dynamic)
  if (isDynamic !== (terms.row !== undefined))
    reader.refuse(dynamic, ...notModelled("PPO in verl whose critic.use_dynamic_bsz is not as the actor's"))
  else if (terms.row === undefined) refuseMoreSequences(reader, document, terms)
  else refuseLongerRows(reader, document, terms.row / terms.shared)
}

function refuseLongerRows(reader: FieldReader, document: Section, row: number): void {
  const removes = criticAt(document, 'model', 'use_remove_padding')
  if (removes === undefined || reader.flag(removes) !== true) {
    const field = removes ?? document.at('actor_rollout_ref', 'actor', 'use_dynamic_bsz')
    reader.refuse(
      field,
      ...notModelled('A critic that pads (critic.model.use_remove_padding) beside an actor with rows'),
    )
  }
  const limit = criticAt(document, 'ppo_max_token_len_per_gpu')
  const tokens = limit && reader.wholeNumber(limit, { max: 10_000_000 })
  if ((tokens ?? DEFAULT_CRITIC_ROW) <= row) return
  const field = limit ?? document.at('actor_rollout_ref', 'actor', 'ppo_max_token_len_per_gpu')
  reader.refuse(field, ...notModelled('A critic with longer rows (critic.ppo_max_token_len_per_gpu) than the actor'))
}

function refuseMoreSequences(reader: FieldReader, document: Section, terms: ActorTerms): void {
  const onEach = (key: string) => {
    const [perGpu, ofAll] = [criticAt(document, `${key}_per_gpu`), criticAt(document, key)]
    const field = perGpu ?? ofAll
    const count = field && reader.wholeNumber(field, { max: 10_000_000 })
    const groups = perGpu === undefined ? Math.max(1, terms.gpus / terms.shared) : 1
    return { field, count: count && Math.max(1, Math.floor(count / groups)) }
  }
  const [update, values] = [onEach('ppo_micro_batch_size'), onEach('forward_micro_batch_size')]
  if (update.field === undefined) {
    const message = 'It sets no micro-batch of the critic, without which verl does not start'
    reader.refuse(
      document.at('algorithm', 'adv_estimator'),
      'missing',
      message,
      'Set critic.ppo_micro_batch_size_per_gpu.',
    )
  }
  if ((update.count ?? 0) > terms.microBatch)
    reader.refuse(update.field, ...notModelled("A critic with a larger micro-batch than the actor's"))
  if ((values.count ?? 0) > Math.max(terms.microBatch, terms.scored))
    reader.refuse(values.field, ...notModelled('A critic that scores more sequences at a time than the actor'))
}

/**
 * workers/fsdp_workers.py CriticWorker: what is offloaded waits on the host outside of the critic's own update. In that the actor's then
 * has to wait as well, or the critic's is the larger.
 */
function heldMeanwhile(reader: FieldReader, document: Section): NonNullable<Online['criticHolds']> {
  const parts = [
    ['weights', 'param_offload'],
    ['optimizerState', 'optimizer_offload'],
  ] as const
  return parts.flatMap(([part, key]) => {
    const own = document.at('critic', 'model', 'fsdp_config', key)
    if (!isOn(reader, own)) return [part]
    if (!isOn(reader, document.at('actor_rollout_ref', 'actor', 'fsdp_config', key)))
      refuse(reader, own, `${own.name} without the actor's`)
    return []
  })
}

function criticAt(document: Section, ...keys: [string, ...string[]]): Field | undefined {
  return written(document.at('critic', ...keys))
}

function written(field: Field | undefined): Field | undefined {
  return field?.value.kind === 'empty' ? undefined : field
}
