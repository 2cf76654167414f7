/** Which of NeMo RL's algorithms a config is of, by the section that each of its scripts reads, and what is held beside the policy. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Batch } from '../../trainer/language-model.ts'
import { isOn, ordinary, reward, type Training } from '../../trainer/method.ts'
import { notModelled } from '../unmodelled-tools.ts'
import { computed, growsWith } from './computed.ts'
import { refuse } from './refuse.ts'
import { written } from './written.ts'

interface Terms {
  readonly batch: Batch
  /** Tokens of the rows that micro-batches are, where they are. */
  readonly row: number | undefined
}

/** Others that train on the same GPUs, or hold teachers there. */
const others = ['ppo', 'distillation', 'mopd', 'opd', 'xtoken_distillation'] as const

export function readAlgorithm(reader: FieldReader, document: Section, terms: Terms): Training {
  for (const key of others) {
    const field = document.at(key)
    if (field?.value.kind === 'mapping') {
      reader.refuse(field, ...notModelled(`NeMo RL's ${quote(key)} holds further models on the same GPUs`))
      return ordinary
    }
  }
  const rewards = document.at('policy', 'reward_model_cfg', 'enabled')
  if (isOn(reader, rewards)) return readReward(reader, document, rewards)
  const [grpo, dpo] = [document.at('grpo'), document.at('dpo')]
  if (grpo !== undefined) return readUpdate(reader, document, grpo, terms)
  // algorithms/dpo.py: the reference's weights wait on the host, and take the place of the policy's for a pass.
  if (dpo !== undefined) {
    refuseRows(reader, document)
    reader.assume(
      "Each sample is two sequences, the chosen and the rejected response, in one forward pass; the reference's weights wait on the host, and take the place of the policy's to score every batch.",
    )
    const method = {
      kind: 'preference',
      reference: 'copy',
      logProbabilities: 'torchtune',
      withCrossEntropy: false,
    } as const
    return { method: reader.note('method', method, dpo) }
  }
  if (document.at('sft') === undefined)
    reader.refuse(
      document.at('policy'),
      ...notModelled(
        'The config has no section of fine-tuning, DPO, a reward model or GRPO (sft, dpo, rm, grpo), and what NeMo RL trains',
      ),
    )
  return ordinary
}

/** algorithms/dpo.py setup */
function refuseRows(reader: FieldReader, document: Section): void {
  for (const key of ['dynamic_batching', 'sequence_packing']) {
    const field = document.at('policy', key, 'enabled')
    if (isOn(reader, field))
      reader.refuse(field, 'unsupported-setting', `NeMo RL does not start DPO with ${key}`, 'Set it to false.')
  }
}

function readReward(reader: FieldReader, document: Section, field: Field): Training {
  const type = document.at('policy', 'reward_model_cfg', 'reward_model_type')
  if (type !== undefined && reader.text(type) !== 'bradley_terry')
    refuse(reader, type, `A ${quote(type.source)} reward model`)
  return reward(reader, field, 'score')
}

/** algorithms/grpo.py: completions are generated, scored, and learnt from. */
function readUpdate(reader: FieldReader, document: Section, grpo: Field, { batch, row }: Terms): Training {
  const generation = (key: string) => written(document.at('policy', 'generation', key))
  for (const key of ['top_k', 'top_p'] as const) {
    const field = generation(key)
    const isOff =
      field?.value.kind === 'number' && (field.value.number === -1 || (key === 'top_p' && field.value.number === 1))
    if (field !== undefined && !isOff) refuse(reader, field, `Sampling by ${field.name}`)
  }
  const judge = document.at('env', 'reward_model', 'enabled')
  if (isOn(reader, judge)) refuse(reader, judge, 'A reward model on GPUs of the cluster')
  const temperature = generation('temperature')
  const longest = reader.wholeNumber(document.at('policy', 'max_total_sequence_length'), { max: 10_000_000 }) ?? 1
  reader.leavesLengthOpen = true
  reader.assume(
    'Sequences of max_total_sequence_length: a step takes less where prompts and completions are shorter than they may be. Throughput is that of the update.',
  )
  const method = {
    kind: 'online',
    reference: 'none',
    completionLength: Math.min(
      longest,
      longestCompletion(reader, computed(document, generation('max_new_tokens'))) ?? longest,
    ),
    completions: row === undefined ? batch.microBatch * batch.gradientAccumulation : 1,
    scored: readScored(reader, document, { batch, row }, longest),
    generation: readGeneration(reader, document),
    tempersInPlace: temperature?.value.kind === 'number' && temperature.value.number !== 1,
    comparesFeatures: false,
  } as const
  return { method: reader.note('method', method, grpo) }
}

function longestCompletion(reader: FieldReader, field: Field | undefined): number | undefined {
  return field && reader.wholeNumber(field, { max: 10_000_000 })
}

/** Sequences in a pass of get_logprobs. */
function readScored(reader: FieldReader, document: Section, { batch, row }: Terms, longest: number): number {
  const size = computed(document, written(document.at('policy', 'logprob_batch_size')))
  const count = Math.min(MAX_BATCH, (size && reader.wholeNumber(size, { max: MAX_BATCH })) ?? batch.microBatch)
  if (row === undefined) return count
  const section = isOn(reader, document.at('policy', 'sequence_packing', 'enabled'))
    ? 'sequence_packing'
    : 'dynamic_batching'
  const tokens = document.at('policy', section, 'logprob_mb_tokens')
  const isProduct = tokens === undefined || growsWith(tokens, 'policy.logprob_batch_size')
  return Math.ceil(
    (isProduct ? count * longest : (reader.wholeNumber(computed(document, tokens), { max: 10_000_000 }) ?? row)) / row,
  )
}

type Generation = Extract<TrainingMethod, { kind: 'online' }>['generation']

/**
 * models/generation/vllm: on the GPUs that train, vLLM's own process sleeps while they do (`enable_sleep_mode`, `sleep(level=1)`), and
 * the policy is on the host while it generates (`offload_after_refit`).
 */
function readGeneration(reader: FieldReader, document: Section): Generation {
  const at = (key: string) => document.at('policy', 'generation', key)
  const colocated = document.at('policy', 'generation', 'colocated', 'enabled')
  if (colocated !== undefined && reader.flag(colocated) === false) return { kind: 'server' }
  const backend = at('backend')
  const engine = reader.text(backend)
  if (backend !== undefined && engine !== undefined && engine !== 'vllm')
    refuse(reader, backend, `Generation by ${quote(engine)}`)
  const written = document.at('policy', 'generation', 'vllm_cfg', 'gpu_memory_utilization')
  const share = reader.share(written) ?? 0.6
  reader.assume(
    `vLLM generates in ${Math.round(share * 100)} % of every GPU, with the policy on the host, and releases that memory while the policy trains; what its process keeps asleep is not counted.`,
  )
  return { kind: 'vllm', share, sleeps: true, movedOut: ['weights', 'optimizerState'] }
}
